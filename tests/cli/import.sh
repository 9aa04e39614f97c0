# asperity import: the report, the scene it writes, and models in place of scenes.
. "$(dirname "$0")/checks.sh"
arm=$SOURCE/scenes/robots/arm.urdf

the_report_counts_everything() {
  gives 0 import "$arm"
  says stdout 'ignored: 4'
  says stdout '3  limit velocity: limits a drive'
  gives 0 import --json "$arm"
  json_is ignored 4
  json_is entries/0/kind translated
}

strict_refuses_what_is_ignored() {
  gives 2 import --strict "$arm"
  says stderr '4 ignored (--strict)'
}

the_scene_it_writes_runs_as_the_model_does() {
  gives 0 import "$arm" -o arm.json
  gives 0 validate arm.json
  gives 0 run --json --quiet --out none --until 0.2 arm.json
  json final/bodies/1/position/2 >a
  gives 0 run --json --quiet --out none --until 0.2 "$arm"
  [ "$(json final/bodies/1/position/2)" = "$(cat a)" ] || complain 'the model moves otherwise than its scene'
  gives 0 info "$arm"
  says stdout 'scene'
}

meshes_are_found_and_named_from_the_scenes_folder() {
  mkdir -p pkg/meshes pkg/urdf out/deep
  cp "$SOURCE"/tests/data/robots/tetra.stl pkg/meshes/
  cat >pkg/urdf/robot.urdf <<'END'
<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><mesh filename="package://pkg/meshes/tetra.stl" scale="1 -2 1"/></geometry></collision>
<collision><geometry><mesh filename="package://pkg/meshes/none.stl"/></geometry></collision>
<collision><geometry><mesh filename="../../../../../../../../../../../etc/passwd"/></geometry></collision></link></robot>
END
  gives 0 import --base floating pkg/urdf/robot.urdf -o out/deep/robot.json
  says out/deep/robot.json '"../../pkg/meshes/tetra.stl"'
  says out/deep/robot.json '"stretch": [1, -2, 1]'
  says stdout 'none.stl was not found; tried: pkg/urdf/pkg/meshes/none.stl'
  says stdout 'lies outside the model'
  gives 0 validate out/deep/robot.json
  mkdir elsewhere
  cp pkg/urdf/robot.urdf elsewhere/robot.urdf
  gives 0 import --package pkg=pkg elsewhere/robot.urdf -o a.json
  says a.json '"pkg/meshes/tetra.stl"'
}

write_pusher() {
  cat >m.xml <<'END'
<mujoco><option gravity="0 0 0"/><worldbody><body name="b"><joint name="j" type="slide" axis="1 0 0"/>
<geom size="0.1" mass="2"/></body></worldbody><actuator><motor name="push" joint="j" gear="3"/></actuator>
<keyframe><key name="k" qpos="0" ctrl="2"/></keyframe></mujoco>
END
}

motors_give_their_force() {
  write_pusher
  gives 0 run --json --quiet --out none --until 1 --set import.keyframe=k m.xml
  json_near final/bodies/0/velocity/0 3 1e-9 # 3 * 2 N on 2 kg
}

controls_are_expressions_of_time_and_columns_of_files() {
  write_pusher
  printf 't,idle,push\n0,7,0\n2,7,6\n' >moves.csv
  for control in '3*t' moves.csv:push moves.csv:3; do # 9 t N on 2 kg
    gives 0 run --json --quiet --out none --until 1 --set import.control=push="$control" m.xml
    json_near final/bodies/0/velocity/0 2.25 1e-6
    gives 0 import m.xml --control push="$control" -o driven.json
    gives 0 run --json --quiet --out none --until 1 driven.json
    json_near final/bodies/0/velocity/0 2.25 1e-6
  done
  gives 2 import m.xml --control pull=1
  says stderr "control 'pull': the model has no such input; there are: push"
  gives 2 import m.xml --control push=none.csv
  says stderr "there is no file 'none.csv'"
  gives 2 import m.xml --control push
  says stderr 'use NAME=EXPRESSION'
}

a_robot_that_is_held_stays() {
  cat >held.xml <<'END'
<mujoco><worldbody><body name="a"><joint name="lift" type="slide" axis="0 0 1"/><geom size="0.1" mass="2"/>
<body name="b" pos="1 0 0"><joint name="turn" axis="0 1 0"/><geom size="0.1" pos="0.5 0 0" mass="3"/></body></body></worldbody>
<actuator><position name="lift" joint="lift" kp="500" kv="40"/><motor name="turn" joint="turn" gear="10" ctrlrange="-2 2"/></actuator>
</mujoco>
END
  gives 0 import --hold held.xml -o held.json # lift: (2 + 3) 9.81 / 500 above 0; turn: 3 * 9.81 * 0.5 N m of 20
  says held.json '"value": 0.0981'
  gives 0 run --json --quiet --out none --until 2 held.json
  json_near final/bodies/0/position/2 0 1e-12
  json_near final/bodies/1/angular_velocity/1 0 1e-12
  sed 's/gear="10"/gear="7"/' held.xml >weak.xml # 14 N m are not enough
  gives 0 run --json --quiet --out none --until 0.1 --set import.hold=true weak.xml
  [ "$(json final/bodies/1/angular_velocity/1)" != 0 ] || complain 'a motor holds more than it can'
}

bad_words_are_refused() {
  gives 2 import "$arm" --base loose
  says stderr '--base loose: use fixed or floating'
  gives 2 import missing.urdf
  says stderr 'missing.urdf'
  printf '<robot><link name="a"></robot>' >broken.urdf
  gives 2 run broken.urdf
  says stderr 'broken.urdf:1: not well-formed XML'
  gives 2 validate broken.urdf
  says stderr 'broken.urdf:1: not well-formed XML'
  cp "$arm" arm.urdf
  gives 2 import arm.urdf -o arm.urdf
  says stderr 'would replace the model'
}

keyframes_are_starts_and_models_that_include_others_are_read() {
  gives 0 import --keyframe bent "$SOURCE/scenes/robots/leg.xml" -o leg.json
  gives 0 run --quiet --out none --until 0.05 leg.json
  gives 0 run --quiet --out none --until 0.01 --set import.keyframe=bent "$SOURCE/scenes/robots/leg.xml"
  gives 2 run --set import.keys=bent "$SOURCE/scenes/robots/leg.xml"
  says stderr "import.keys=bent: use import.keyframe=NAME, import.base=fixed or floating,"
  gives 2 info --set import.base=loose "$SOURCE/scenes/robots/leg.xml"
  says stderr "import.base=loose: use"
  gives 2 import --keyframe none "$SOURCE/scenes/robots/leg.xml"
  says stderr "there is no keyframe 'none'; there are: bent"
  cp "$SOURCE/scenes/robots/leg.xml" .
  printf '<mujoco><include file="leg.xml"/></mujoco>' >whole.xml
  printf '<mujoco><asset><model name="l" file="leg.xml"/></asset><worldbody><attach model="l" body="hip" prefix="a_"/>
<frame pos="3 0 0"><attach model="l" body="hip" prefix="b_"/></frame></worldbody></mujoco>' >two.xml
  gives 0 import whole.xml -o whole.json
  says whole.json '"knee"'
  gives 0 import two.xml -o two.json
  says two.json '"a_knee"'
  says two.json '"b_bend"'
  gives 0 validate two.json
}

prove the_report_counts_everything strict_refuses_what_is_ignored the_scene_it_writes_runs_as_the_model_does \
  meshes_are_found_and_named_from_the_scenes_folder motors_give_their_force \
  controls_are_expressions_of_time_and_columns_of_files a_robot_that_is_held_stays bad_words_are_refused \
  keyframes_are_starts_and_models_that_include_others_are_read
