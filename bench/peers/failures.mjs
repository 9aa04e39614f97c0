/* Public failure cases on Asperity and on the current npm packages of MuJoCo, Rapier and Jolt (WebAssembly):
 *
 *   node bench/peers/failures.mjs [--program build/release/cli/asperity] [--packages build/peers] [--csv FILE] [--only TEXT]
 *
 *   flat_cube    a cube thrown flat must not take off, stops after v0^2/(2 mu g), its normal forces sum to its weight
 *   pinch_12     a capsule pinched with about 19 times the force it needs must not creep
 *   dry_joint    a hinge whose dry friction holds more than the load must not creep
 *
 * The packages are fetched into the folder of --packages by npm; nothing of them is kept. Scenes: scenes/peers, and dry_joint.json
 * beside this file. Settings: MuJoCo's documentation, chapter Modeling, "Preventing slip" (elliptic cones, impratio,
 * noslip), and contacts as stiff as the step allows (solref of 2 h: with its default an 8 mm part sinks in by millimetres);
 * iterations of Rapier and Jolt raised from their defaults. Prints a table and writes a CSV;
 * --only: engines whose name holds TEXT.
 */
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), root = resolve(here, '../..');
const GRAVITY = 9.81;
const PACKAGES = ['@mujoco/mujoco@3.14.0', '@dimforge/rapier3d-compat@0.21.0', 'jolt-physics@1.1.0'];
const CUBE = {half: 0.05, mass: 1, friction: 0.5, speed: 6, until: 2};
const PINCH = {pad: [0.005, 0.04, 0.015], padMass: 0.05, at: 0.009, radius: 0.004, half: 0.03, mass: 0.045, friction: 0.7, force: 12, until: 10};
const JOINT = {mass: 0.8 / GRAVITY / 0.2, half: [0.2, 0.01, 0.01], friction: 1, until: 10};

function option(name, otherwise) {
  const at = process.argv.indexOf('--' + name);
  return at > 0 ? process.argv[at + 1] : otherwise;
}

/* ---- the judge: a world has step() and, by case, place() = [x, y, z], normal() = sum of normal forces (N), angle() (rad) ---- */

function judgeCube(world, dt) {
  let lift = 0, sliding = 0, resting = 0, place;
  for (let k = 1; k <= Math.round(CUBE.until / dt); k++) {
    world.step();
    place = world.place();
    lift = Math.max(lift, place[2] - CUBE.half);
    const error = Math.abs(world.normal() / (CUBE.mass * GRAVITY) - 1), t = k * dt;
    if (t > 0.1 && t <= 1)
      sliding = Math.max(sliding, error);
    if (t > 1.9)
      resting = Math.max(resting, error);
  }
  const way = CUBE.speed ** 2 / (2 * CUBE.friction * GRAVITY);
  return [['flat_cube', 'lift-off', 'm', lift], ['flat_cube', 'error of the stopping distance', 'm', Math.abs(place[0] - way)],
          ['flat_cube', 'normal forces while it slides, 0.1 to 1 s', 'of its weight', sliding],
          ['flat_cube', 'normal forces at rest', 'of its weight', resting]];
}

function judgePinch(world, dt) {
  for (let k = 0; k < Math.round(PINCH.until / dt); k++)
    world.step();
  return [['pinch_12', 'creep over 10 s', 'm/s', Math.hypot(...world.place()) / PINCH.until]];
}

function judgeJoint(world, dt) {
  for (let k = 0; k < Math.round(JOINT.until / dt); k++)
    world.step();
  return [['dry_joint', 'creep over 10 s', 'rad/s', Math.abs(world.angle()) / JOINT.until]];
}

const JUDGES = {cube: judgeCube, pinch: judgePinch, joint: judgeJoint};

/* ---- Asperity: a run is read back step by step ---- */

function readCsv(path) {
  const split = line => line.match(/"[^"]*"|[^,]+/g).map(x => x.replace(/"/g, ''));
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const names = split(head).map(x => x.replace(/ \[.*/, ''));
  return lines.map(line => Object.fromEntries(split(line).map((x, i) => [names[i], x])));
}

function asperity(program) {
  const open = (scene, body, until) => dt => {
    const work = mkdtempSync(join(tmpdir(), 'peers-')), call = (...words) => execFileSync(program, words, {stdio: ['ignore', 'pipe', 'inherit']});
    call('run', '--quiet', '--dt', String(dt), '--until', String(until), '--out', join(work, 'a.h5'), scene);
    const read = part => {
      call('convert', '--quiet', join(work, 'a.h5'), '--what', part, '--out', join(work, part + '.csv'));
      return readCsv(join(work, part + '.csv'));
    };
    const states = read('bodies').filter(x => Number(x.time) > 0), sums = new Map();
    for (const contact of body === 'box 1' ? read('contacts') : [])
      sums.set(contact.time, (sums.get(contact.time) ?? 0) + Number(contact.fz));
    rmSync(work, {recursive: true});
    let at = -1;
    return {
      step: () => at++,
      place: () => ['x', 'y', 'z'].map(k => Number(states[at][`${body}.${k}`])),
      normal: () => sums.get(states[at].time) ?? 0,
      angle: () => 2 * Math.asin(Number(states[at][`${body}.qy`])),
    };
  };
  return {
    cube: open(join(root, 'scenes/peers/flat_cube.json'), 'box 1', CUBE.until),
    pinch: open(join(root, 'scenes/peers/pinch_12.json'), 'capsule 1', PINCH.until),
    joint: open(join(here, 'dry_joint.json'), 'arm', JOINT.until),
  };
}

/* ---- MuJoCo ---- */

function mujoco(library, options, stiff = false) { // stiff: as stiff as contacts may be at the step, solref = 2 h
  const open = (dt, geoms, start) => {
    const model = library.MjModel.from_xml_string(`<mujoco><option timestep="${dt}" gravity="0 0 -${GRAVITY}" ${options}/>${stiff ? `<default><geom solref="${2 * dt} 1"/></default>` : ''}<worldbody>${geoms}</worldbody></mujoco>`);
    const data = new library.MjData(model), force = new library.DoubleBuffer(6);
    start(data);
    return {
      step: () => library.mj_step(model, data),
      place: () => Array.from(data.qpos.slice(data.qpos.length - 7, data.qpos.length - 4)),
      angle: () => data.qpos[0],
      normal: () => {
        let sum = 0;
        library.mj_forward(model, data); // forces of the state that is there
        for (let i = 0; i < data.ncon; i++) {
          library.mj_contactForce(model, data, i, force);
          sum += force.GetView()[0];
        }
        return sum;
      },
    };
  };
  const size = half => half.join(' ');
  const pad = side => `<body pos="${side * PINCH.at} 0 0"><joint type="slide" axis="1 0 0"/><geom type="box" size="${size(PINCH.pad)}" mass="${PINCH.padMass}" friction="${PINCH.friction} 0 0"/></body>`;
  return {
    cube: dt => open(dt, `<geom type="plane" size="0 0 1" friction="${CUBE.friction} 0 0"/><body pos="0 0 ${CUBE.half}"><freejoint/><geom type="box" size="${CUBE.half} ${CUBE.half} ${CUBE.half}" mass="${CUBE.mass}" friction="${CUBE.friction} 0 0"/></body>`,
                     data => { data.qvel[0] = CUBE.speed; }),
    pinch: dt => open(dt, pad(-1) + pad(1) + `<body><freejoint/><geom type="capsule" euler="90 0 0" size="${PINCH.radius} ${PINCH.half}" mass="${PINCH.mass}" friction="${PINCH.friction} 0 0"/></body>`,
                      data => { data.qfrc_applied[0] = PINCH.force; data.qfrc_applied[1] = -PINCH.force; }),
    joint: dt => open(dt, `<body><joint type="hinge" axis="0 1 0" frictionloss="${JOINT.friction}"/><geom type="box" pos="${JOINT.half[0]} 0 0" size="${size(JOINT.half)}" mass="${JOINT.mass}"/></body>`, () => {}),
  };
}

/* ---- Rapier: no law of dry friction in joints ---- */

function rapier(library, iterations) {
  const open = dt => {
    const world = new library.World({x: 0, y: 0, z: -GRAVITY});
    world.timestep = dt;
    world.numSolverIterations = iterations;
    return world;
  };
  const add = (world, desc, collider, mass, friction) => {
    const body = world.createRigidBody(desc.setCanSleep(false));
    const shape = world.createCollider(collider.setMass(mass).setFriction(friction).setRestitution(0), body);
    return [body, shape];
  };
  const place = body => { const p = body.translation(); return [p.x, p.y, p.z]; };
  return {
    cube: dt => {
      const world = open(dt), h = CUBE.half;
      const ground = world.createCollider(library.ColliderDesc.cuboid(50, 50, 0.5).setTranslation(0, 0, -0.5).setFriction(CUBE.friction));
      const [body, shape] = add(world, library.RigidBodyDesc.dynamic().setTranslation(0, 0, h).setLinvel(CUBE.speed, 0, 0), library.ColliderDesc.cuboid(h, h, h), CUBE.mass, CUBE.friction);
      return {
        step: () => world.step(),
        place: () => place(body),
        normal: () => {
          let sum = 0;
          world.contactPair(ground, shape, manifold => {
            for (let i = 0; i < manifold.numContacts(); i++)
              sum += manifold.contactImpulse(i) / dt;
          });
          return sum;
        },
      };
    },
    pinch: dt => {
      const world = open(dt);
      for (const side of [-1, 1]) {
        const desc = library.RigidBodyDesc.dynamic().setTranslation(side * PINCH.at, 0, 0).lockRotations().enabledTranslations(true, false, false);
        const [pad] = add(world, desc, library.ColliderDesc.cuboid(...PINCH.pad), PINCH.padMass, PINCH.friction);
        pad.addForce({x: -side * PINCH.force, y: 0, z: 0}, true);
      }
      const [body] = add(world, library.RigidBodyDesc.dynamic(), library.ColliderDesc.capsule(PINCH.half, PINCH.radius), PINCH.mass, PINCH.friction);
      return {step: () => world.step(), place: () => place(body)};
    },
  };
}

/* ---- Jolt ---- */

function jolt(library, iterations) {
  const open = dt => {
    const settings = new library.JoltSettings(), pairs = new library.ObjectLayerPairFilterTable(1), layers = new library.BroadPhaseLayerInterfaceTable(1, 1);
    settings.mMaxBodies = settings.mMaxBodyPairs = settings.mMaxContactConstraints = 256;
    pairs.EnableCollision(0, 0);
    layers.MapObjectToBroadPhaseLayer(0, new library.BroadPhaseLayer(0));
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter = new library.ObjectVsBroadPhaseLayerFilterTable(layers, 1, pairs, 1);
    const world = new library.JoltInterface(settings), system = world.GetPhysicsSystem(), own = system.GetPhysicsSettings();
    own.mNumVelocitySteps = iterations;
    own.mNumPositionSteps = Math.max(2, iterations / 5);
    own.mAllowSleeping = false;
    system.SetPhysicsSettings(own);
    system.SetGravity(new library.Vec3(0, 0, -GRAVITY));
    return {system, bodies: system.GetBodyInterface(), step: () => world.Step(dt, 1), close: () => library.destroy(world)};
  };
  const add = (own, shape, place, mass, friction, change = () => {}) => {
    const kind = mass > 0 ? library.EMotionType_Dynamic : library.EMotionType_Static;
    const settings = new library.BodyCreationSettings(shape, new library.RVec3(...place), new library.Quat(0, 0, 0, 1), kind, 0);
    settings.mFriction = friction;
    settings.mRestitution = 0;
    settings.mLinearDamping = settings.mAngularDamping = 0;
    if (mass > 0) {
      settings.mOverrideMassProperties = library.EOverrideMassProperties_CalculateInertia;
      settings.mMassPropertiesOverride.mMass = mass;
    }
    change(settings);
    const body = own.bodies.CreateBody(settings);
    own.bodies.AddBody(body.GetID(), library.EActivation_Activate);
    return body;
  };
  const box = half => new library.BoxShape(new library.Vec3(...half), 0);
  const place = body => { const p = body.GetPosition(); return [p.GetX(), p.GetY(), p.GetZ()]; };
  return {
    cube: dt => {
      const own = open(dt), h = CUBE.half;
      add(own, box([50, 50, 0.5]), [0, 0, -0.5], 0, CUBE.friction);
      const body = add(own, box([h, h, h]), [0, 0, h], CUBE.mass, CUBE.friction);
      own.bodies.SetLinearVelocity(body.GetID(), new library.Vec3(CUBE.speed, 0, 0));
      return {step: own.step, close: own.close, place: () => place(body), normal: () => NaN}; // forces are not told
    },
    pinch: dt => {
      const own = open(dt), pads = [-1, 1].map(side => add(own, box(PINCH.pad), [side * PINCH.at, 0, 0], PINCH.padMass, PINCH.friction, settings => {
        settings.mAllowedDOFs = library.EAllowedDOFs_TranslationX;
      }));
      const body = add(own, new library.CapsuleShape(PINCH.half, PINCH.radius), [0, 0, 0], PINCH.mass, PINCH.friction);
      return {
        step: () => {
          pads.forEach((pad, i) => pad.AddForce(new library.Vec3(i === 0 ? PINCH.force : -PINCH.force, 0, 0)));
          own.step();
        },
        place: () => place(body),
        close: own.close,
      };
    },
    joint: dt => {
      const own = open(dt), frame = add(own, box([0.01, 0.01, 0.01]), [-0.5, 0, 0], 0, 0), arm = add(own, box(JOINT.half), [JOINT.half[0], 0, 0], JOINT.mass, 0);
      const hinge = new library.HingeConstraintSettings();
      hinge.mPoint1 = hinge.mPoint2 = new library.RVec3(0, 0, 0);
      hinge.mHingeAxis1 = hinge.mHingeAxis2 = new library.Vec3(0, 1, 0);
      hinge.mNormalAxis1 = hinge.mNormalAxis2 = new library.Vec3(1, 0, 0);
      hinge.mMaxFrictionTorque = JOINT.friction;
      own.system.AddConstraint(hinge.Create(frame, arm));
      return {step: own.step, close: own.close, angle: () => 2 * Math.asin(arm.GetRotation().GetY())};
    },
  };
}

/* ---- all of it ---- */

async function fetchPackages(folder) {
  mkdirSync(folder, {recursive: true});
  if (!existsSync(join(folder, 'package.json')))
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', '--prefix', folder, ...PACKAGES], {stdio: ['ignore', 'ignore', 'inherit']});
  const find = createRequire(pathToFileURL(join(folder, 'package.json')));
  const load = async name => {
    const manifest = join(folder, 'node_modules', name, 'package.json'), about = JSON.parse(readFileSync(manifest, 'utf8'));
    let path;
    try {
      path = find.resolve(name);
    } catch {
      path = join(dirname(manifest), about.module ?? about.main);
    }
    return [await import(pathToFileURL(path)), about.version];
  };
  return Object.fromEntries(await Promise.all(['@mujoco/mujoco', '@dimforge/rapier3d-compat', 'jolt-physics'].map(async name => [name, await load(name)])));
}

async function listEngines(program, folder) {
  const found = await fetchPackages(resolve(folder));
  const [mj, mjVersion] = found['@mujoco/mujoco'], [ra, raVersion] = found['@dimforge/rapier3d-compat'], [jo, joVersion] = found['jolt-physics'];
  const mjLibrary = await mj.default(), joLibrary = await jo.default(), raLibrary = ra.default ?? ra;
  await raLibrary.init();
  return [
    ['asperity', asperity(resolve(program))],
    [`mujoco ${mjVersion}`, mujoco(mjLibrary, '')],
    ['mujoco elliptic', mujoco(mjLibrary, 'cone="elliptic"')],
    ['mujoco elliptic, impratio 100, solref 2h', mujoco(mjLibrary, 'cone="elliptic" impratio="100"', true)],
    ['the same, noslip 20', mujoco(mjLibrary, 'cone="elliptic" impratio="100" noslip_iterations="20"', true)],
    [`rapier ${raVersion}`, rapier(raLibrary, 4)],
    ['rapier, 50 iterations', rapier(raLibrary, 50)],
    [`jolt ${joVersion}`, jolt(joLibrary, 10)],
    ['jolt, 100 iterations', jolt(joLibrary, 100)],
  ];
}

async function main() {
  const only = option('only', '');
  const engines = (await listEngines(option('program', join(root, 'build/release/cli/asperity')), option('packages', join(root, 'build/peers')))).filter(([name]) => name.includes(only));
  const rows = new Map();
  for (const [name, worlds] of engines)
    for (const [dt, kind] of [0.01, 0.001].flatMap(dt => Object.keys(JUDGES).map(kind => [dt, kind])))
      if (worlds[kind]) {
        const world = worlds[kind](dt);
        for (const [scene, what, unit, value] of JUDGES[kind](world, dt)) {
          const key = [scene, `${what}, h = ${dt}`, unit].join('|');
          rows.set(key, {...rows.get(key), [name]: value});
        }
        world.close?.();
      }
  const names = engines.map(([name]) => name), tell = x => x === undefined || Number.isNaN(x) ? '–' : x.toExponential(1);
  console.log(`| scene | error of | unit | ${names.join(' | ')} |\n|${'---|'.repeat(names.length + 3)}`);
  let csv = 'scene,measure,unit,engine,value\n';
  for (const [key, row] of rows) {
    console.log(`| ${key.split('|').join(' | ')} | ${names.map(name => tell(row[name])).join(' | ')} |`);
    for (const name of names)
      if (row[name] !== undefined && !Number.isNaN(row[name]))
        csv += [...key.split('|'), name].map(x => `"${x}"`).join(',') + `,${row[name]}\n`;
  }
  writeFileSync(option('csv', join(root, 'bench/results/peers_failures.csv')), csv);
}

await main();
