# asperity validate, info, convert, solve, reproduce.
. "$(dirname "$0")/checks.sh"

sphere=$SOURCE/scenes/sphere-slides-then-rolls.json

validate_accepts_every_scene_of_the_project() {
  gives 0 validate "$SOURCE"/scenes/*.json "$SOURCE"/scenes/course/*.json
  grep -v "note: .*the table 'quake' is integrated twice" stderr >others # what there is to say of measured data
  is_empty others
  gives 0 validate --quiet "$sphere"
  is_empty stdout
}

validate_names_every_mistake_of_every_file() {
  printf '{"bodies": [{"name": "a", "mass": -1}, {"name": "b", "mas": 1}]}' >first.json
  printf '{' >second.json
  gives 2 validate first.json "$sphere" second.json third.json
  says stdout 'sphere-slides-then-rolls.json: valid'
  says stderr 'first.json: /bodies/0/mass'
  says stderr 'first.json: /bodies/1/mas'
  says stderr second.json
  says stderr third.json
  gives 2 validate --json first.json "$sphere"
  json_is files/0/valid false
  json_is files/0/file first.json
  json files/0/mistakes/1 >/dev/null
  json_is files/1/valid true
  json_is files/1/mistakes '[]'
  json_is invalid 1
  is_empty stderr
}

info_knows_scenes_results_and_problems() {
  gives 0 run --out r.h5 "$sphere"
  "$MAKE_LCP" solvable problem.hdf5
  for file in "$sphere" r.h5 problem.hdf5; do
    gives 0 info "$file"
    [ -s stdout ] || complain "nothing about $file"
    gives 0 info --json "$file"
    json properties/kind >/dev/null
  done
  echo 'no such thing' >other.txt
  gives 2 info other.txt
  says stderr other.txt
  gives 2 info --json other.txt
  json error >/dev/null
  gives 2 info nothing.h5
}

csv_has_a_line_per_stored_step() {
  gives 0 run --out r.h5 "$sphere"
  gives 0 convert r.h5 -o r.csv
  [ "$(wc -l <r.csv)" -eq 7 ] || complain "r.csv has $(wc -l <r.csv) lines, expected header, start and 5 steps"
  head -n 1 r.csv >header
  says header '"time [s]"'
  says header '"ground.x [m]"'
  says header '"ball.x [m]"' # names of different length
  gives 0 convert r.h5 --out r.csv --json
  json_is out r.csv
  gives 2 convert r.h5
  says stderr '-o FILE.csv'
  gives 2 convert r.h5 -o r.jpg
  says stderr 'unknown file type; use .csv, .npz, .pvd, .glb, .svg, .png, .mp4, .webm or .gif'
  gives 2 convert "$sphere" -o r.csv
  says stderr 'this is a scene, not a result; run it first: asperity run'
  gives 2 report "$SOURCE/scenes/robots/desk-arm.urdf"
  says stderr 'this is a robot model, not a result; run it first: asperity run'
  gives 2 convert nothing.h5 -o r.csv
  gives 2 convert r.h5 -o nowhere/r.csv
  says stderr nowhere/r.csv
}

pictures_say_what_they_need() {
  gives 0 run --out r.h5 "$sphere"
  CHROMIUM=/nowhere gives 2 convert r.h5 -o r.png
  grep -q 'CHROMIUM\|npm install' stderr || complain 'the remedy is not named'
  [ ! -e r.png ] || complain 'a picture was left behind'
  gives 2 convert r.h5 -o 'r%s.png'
  says stderr '%04d'
  gives 2 convert r.h5 -o r.png --frames 3
  says stderr '%04d'
  gives 2 convert r.h5 -o r.png --size huge
  says stderr 1200x750
  gives 2 convert r.h5 -o r.csv --view t=1
  says stderr FILE.png
}

a_file_of_another_kind_is_called_what_it_is() {
  gives 0 run --out r.h5 "$sphere"
  gives 2 solve r.h5
  says stderr 'r.h5: this is the result of a run, not a problem'
  gives 2 report r.h5 -o nowhere/r.html
  grep -q 'nowhere/r.html: cannot be written\|no viewer' stderr || complain 'the file is not named'
  says_not stderr '.part'
}

a_full_disk_is_no_mistake_of_the_user() {
  gives 0 run --out r.h5 "$sphere"
  for ending in csv svg glb pvd; do
    ln -sf /dev/full full.$ending
    gives 3 convert r.h5 -o full.$ending
    says stderr "full.$ending: cannot be written to its end"
  done
}

solve_reports_a_recomputed_residual() {
  "$MAKE_LCP" solvable problem.hdf5
  for solver in auto lemke pgs; do
    gives 0 solve --json --solver "$solver" problem.hdf5
    json_is file problem.hdf5
    json_is kind lcp
    json_is contacts null
    json_is dofs 2
    json_is status solved
    json_near residual 0 1e-8
    json residual_invariant >/dev/null
    for key in iterations time_s setup_s; do
      json_not_negative "$key"
    done
  done
  json_is solver pgs
  gives 0 solve problem.hdf5
  says stdout solved
}

solve_saves_what_solve_reads() {
  "$MAKE_LCP" solvable problem.hdf5
  gives 0 solve --save saved.hdf5 problem.hdf5
  gives 0 solve saved.hdf5
  gives 2 solve --save nowhere/saved.hdf5 problem.hdf5
  says stderr nowhere/saved.hdf5
}

solve_never_calls_a_miss_solved() {
  "$MAKE_LCP" unsolvable ray.hdf5
  gives 1 solve --json ray.hdf5
  json_is status ray
  "$MAKE_LCP" slow slow.hdf5
  gives 0 solve slow.hdf5
  printf 'no problem' >other.hdf5
  gives 2 solve other.hdf5
  says stderr other.hdf5
}

solve_takes_contact_problems() {
  local problem=$SOURCE/tests/data/fclib/G_SimMassRatio_nc0081_n4_step00004_it112.hdf5
  for solver in auto ipm; do
    gives 0 solve --json --solver "$solver" --save solved.hdf5 "$problem"
    json_is kind fclib_global
    json_is contacts 81
    json_is solver "$solver"
    json_is status solved
    json_near residual 0 1e-8
    json_near residual_invariant 0 1e-8
    for key in dofs iterations time_s setup_s; do
      json "$key" >/dev/null
    done
  done
  gives 0 solve --json solved.hdf5
  json_is contacts 81
  gives 1 solve --json --solver nsgs --max-time 0.001 --tol 1e-14 "$problem"
  gives 1 solve --json --solver newton --max-iterations 1 --tol 1e-14 "$problem"
  json_is status 'iteration limit'
  gives 2 solve --solver lemke "$problem"
  says stderr lemke
}

bench_compares_solvers_over_a_folder() {
  mkdir -p problems/inner
  cp "$SOURCE"/tests/data/fclib/G_GenBoxPyramid_nc0116_3rest.hdf5 problems/inner
  cp "$SOURCE"/tests/data/fclib/G_SimMassRatio_nc0081_n4_step00004_it112.hdf5 problems
  gives 0 bench --solvers auto,ipm --csv rows.csv --svg profile.svg problems
  says stdout '2/2'
  says rows.csv 'solver,tol,status'
  [ "$(wc -l <rows.csv)" -eq 5 ] || complain 'rows.csv has no line per solve'
  says profile.svg '<svg'
  gives 0 bench --json --solvers auto problems
  json_is rows/1/status solved
  json_is profile/0/solver auto
  gives 2 bench --solvers autp problems
  says stderr auto
  gives 2 bench nowhere
  mkdir empty
  gives 2 bench empty
  says stderr empty
}

reproduce_rows_agree() {
  gives 0 reproduce trinkle
  gives 0 reproduce cases
  gives 0 reproduce --json trinkle
  json rows >/dev/null
  gives 2 reproduce nobody
  says stderr trinkle
}

compare_lays_models_side_by_side() {
  gives 0 compare "$SOURCE"/scenes/sphere-slides-then-rolls.json --polar polar.svg
  says stdout 'circumscribed lemke'
  says stdout 'not Coulomb'
  says polar.svg '<svg'
  gives 0 compare --json --quiet --until 0.12 "$SOURCE"/scenes/sphere-slides-then-rolls.json
  json_is rows/0/relation reference
  json_is rows/1/relation same
  json_is rows/1/steps_uncertified 0
  json_is rows/0/steps_with_load_sharing 0
  json_is rows/0/steps_with_load_sharing_not_chosen 0
  gives 2 compare --row-time never "$SOURCE"/scenes/sphere-slides-then-rolls.json
  says stderr row-time
  gives 2 compare nowhere.json
}

arrays_for_numpy_hold_the_numbers_of_the_csv() {
  local python
  python=$(command -v python3) && "$python" -c 'import numpy' 2>/dev/null || {
    echo '  skipped: no python3 with numpy'
    return 0
  }
  gives 0 run --quiet --out r.h5 "$SOURCE/scenes/sorter-events.json"
  for part in bodies joints contacts probes energies; do
    gives 0 convert --quiet r.h5 --what "$part" -o "$part.npz"
    gives 0 convert --quiet r.h5 --what "$part" -o "$part.csv"
  done
  "$python" - >stdout 2>stderr <<'END' || complain 'numpy reads other numbers'
import csv, numpy
def table(name):
    rows = list(csv.reader(open(name + ".csv")))
    return rows[0], rows[1:]
title, rows = table("bodies")
z = numpy.load("bodies.npz")
t = numpy.array([float(row[0]) for row in rows])
assert (z["time"] == t).all()
block = z["name"].tolist().index("block")
x = title.index("block.x [m]")
assert (z["q"][:, block, 0] == [float(row[x]) for row in rows]).all()
title, rows = table("probes")
z = numpy.load("probes.npz")
assert (z["value"] == [[float(v) for v in row[1:]] for row in rows]).all() and len(z["unit"]) == len(z["name"])
title, rows = table("contacts")
z = numpy.load("contacts.npz")
assert z["count"].sum() == len(rows) == len(z["gap"])
gap, a = title.index("gap [m]"), title.index("body A")
assert (z["gap"] == [float(row[gap]) for row in rows]).all()
assert [z["name"][int(b)] for b in z["body"][:, 0]] == [row[a] for row in rows]
assert (numpy.load("joints.npz")["coordinate"][:, 0] == [float(row[1]) for row in table("joints")[1]]).all()
assert (numpy.load("energies.npz")["kinetic"] == [float(row[1]) for row in table("energies")[1]]).all()
END
  gives 2 convert --quiet r.h5 --what forces -o x.npz
  says stderr '--what forces: use bodies, joints, contacts, probes or energies'
  gives 2 convert --quiet r.h5 --what joints -o x.glb
  says stderr '--what applies to tables only: -o FILE.csv or FILE.npz'
  gives 0 run --quiet --out plain.h5 "$sphere"
  gives 2 convert --quiet plain.h5 --what probes -o x.npz
  says stderr 'the scene has no probes'
  gives 0 convert --quiet plain.h5 --what joints -o none.npz
}

# a program without the page says so, and how to get it
the_playground_names_what_it_cannot_do() {
  if ! asperity playground --quiet -o page.html >/dev/null 2>stderr; then
    says stderr 'built without the playground'
    return
  fi
  gives 0 playground --json "$sphere" -o page.html
  json_is out page.html
  printf '{"bodies": [{"name": "a", "mass": -1}]}' >broken.json
  gives 2 playground broken.json -o page.html
  says stderr 'broken.json: /bodies/0/mass'
  gives 2 playground "$SOURCE/scenes/stick-slip-on-belt.json" -o page.html
  says stderr 'event-driven is not in the playground'
  gives 2 playground "$SOURCE/scenes/wall-under-quake.json" -o page.html
  says stderr 'the playground has no files'
  gives 2 playground broken.json -o broken.json
  gives 2 playground -o missing/page.html
  says stderr 'missing/page.html'
}

prove the_playground_names_what_it_cannot_do arrays_for_numpy_hold_the_numbers_of_the_csv validate_accepts_every_scene_of_the_project validate_names_every_mistake_of_every_file \
  info_knows_scenes_results_and_problems csv_has_a_line_per_stored_step pictures_say_what_they_need \
  a_file_of_another_kind_is_called_what_it_is \
  a_full_disk_is_no_mistake_of_the_user solve_reports_a_recomputed_residual solve_saves_what_solve_reads \
  solve_never_calls_a_miss_solved solve_takes_contact_problems bench_compares_solvers_over_a_folder \
  compare_lays_models_side_by_side reproduce_rows_agree
