"""A scene built in Python: five boxes on top of each other, the lowest one pushed. Which of them slide?"""

import asperity

builder = asperity.ModelBuilder(name="tower", gravity=[0, 0, -9.81])
builder.material("wood", "wood", friction=0.4)
builder.body("ground", fixed=True, shapes=[builder.shape("half-space", material="wood")])
for i in range(5):
    box = builder.shape("box", size=[0.2, 0.2, 0.1], material="wood")
    builder.body(f"box{i}", mass=1, position=[0, 0, 0.05 + 0.1 * i], shapes=[box])
builder.run(dt=0.002, until=0.2)

world = asperity.World(builder.build())
weight = 9.81  # N, of a box
for push in (10, 40):  # N, over 0.2 s
    world.reset()
    world.before_step = lambda world: world.apply_wrench("box0", [push, 0, 0])
    run = world.run()
    moved = [world.body(f"box{i}").position[0] for i in range(5)]
    ground = world.body("box0").contact_wrench[0]
    print(f"push {push} N: boxes moved by", " ".join(f"{abs(1000 * x):.1f}" for x in moved), "mm")
    print(f"  friction on box0 {ground:.2f} N, at most {0.4 * 9 * weight:.2f} N; {run.uncertified} steps not certified")
