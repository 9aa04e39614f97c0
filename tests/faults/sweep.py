#!/usr/bin/env python3
"""Every k-th call of a kind fails, command by command (failing_calls.c says which calls there are).

    sweep.py PROGRAM SHIM SOURCE [--every] [--most N] [--only COMMAND ...] [--groups GROUP ...]

Each run gets a fresh folder with sound input. It must end by itself with an exit code of the program (0 to 3), and

    with 0 and 1   its output is that of a run in which nothing fails, bit for bit
    with 2 and 3   there is a message on standard error, and no finished output that differs
    memory         exit code 2 is wrong: lack of memory is not the input's fault

By default k = 1 to 4, and further ones in steps of a factor 2; --every: every k, up to --most of each kind. Prints a line
for each command and kind of call, and what went wrong. Exit code 1: something did.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile

GROUPS = ["memory", "read", "write", "sync", "rename", "lock", "open", "fork"]
SCENE = """{"name": "faults", "gravity": [0, 0, -9.81], "parameters": {"mu": 0.3},
 "materials": [{"pair": ["a", "a"], "friction": "mu"}], "tables": [{"name": "push", "file": "push.csv"}],
 "bodies": [{"name": "ground", "fixed": true, "shapes": [{"type": "half-space", "material": "a"}]},
  {"name": "ball", "mass": 1, "position": [0, 0, 0.1], "velocity": [1, 0, 0],
   "shapes": [{"type": "sphere", "radius": 0.1, "material": "a"}]},
  {"name": "box", "mass": 2, "position": [2, 0, 0.5], "shapes": [{"type": "convex", "file": "box.obj", "material": "a"}]}],
 "forces": [{"name": "push", "type": "force", "body": "box", "force": ["table(push, t)", 0, 0]}],
 "probes": [{"name": "vx", "value": "ball.vx"}], "run": {"dt": 0.01, "until": 0.03}}"""
CSV = "t,f\n0,1\n1,2\n"
OBJ = "".join(f"v {x} {y} {z}\n" for x in (-.5, .5) for y in (-.5, .5) for z in (-.5, .5)) + \
    "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
STUDY = """{"scene": "scene.json", "parameters": {"mu": {"values": [0.2, 0.4]}}, "outputs": {"x": "ball.x"}}"""

# command: words, files that it makes and that do not depend on clocks
COMMANDS = {
    "run": (["run", "--quiet", "scene.json", "--out", "made.h5"], ["made.h5"]),
    "run --from": (["run", "--quiet", "scene.json", "--from", "r.h5", "--until", "0.05", "--out", "made.h5"], []),
    "validate": (["validate", "scene.json"], []),
    "info": (["info", "r.h5"], []),
    "convert": (["convert", "--quiet", "r.h5", "-o", "made.csv"], ["made.csv"]),
    "report": (["report", "--quiet", "r.h5", "-o", "made.html"], ["made.html"]),
    "import": (["import", "--quiet", "leg.xml", "-o", "made.json"], ["made.json"]),
    "solve": (["solve", "--quiet", "p.hdf5", "--save", "made.hdf5"], ["made.hdf5"]),
    "bench": (["bench", "--quiet", "problems", "--max-time", "5"], []),
    "sweep": (["sweep", "run", "--quiet", "study.json", "--cores", "1"], []),
    "playground": (["playground", "--quiet", "scene.json", "-o", "made.html"], ["made.html"]),
}


def prepare(folder, program, source):
    """The sound input of all commands."""
    for name, text in (("scene.json", SCENE), ("push.csv", CSV), ("box.obj", OBJ), ("study.json", STUDY)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    problem = os.path.join(source, "tests/data/fclib/G_SimMassRatio_nc0081_n4_step00004_it112.hdf5")
    os.mkdir(os.path.join(folder, "problems"))
    shutil.copy(problem, os.path.join(folder, "p.hdf5"))
    shutil.copy(problem, os.path.join(folder, "problems"))
    shutil.copy(os.path.join(source, "scenes/robots/leg.xml"), folder)
    subprocess.run([program, "run", "--quiet", "scene.json", "--out", "r.h5"], cwd=folder, check=True)


class Faults:
    def __init__(self, options):
        self.options = options
        self.top = tempfile.mkdtemp(prefix="asperity-faults-")
        self.sound = os.path.join(self.top, "sound")
        os.mkdir(self.sound)
        prepare(self.sound, options.program, options.source)
        self.wrong = []

    def run(self, words, fail):
        """(exit code, stdout, stderr, number of calls, folder)"""
        folder = os.path.join(self.top, "work")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.sound, folder)
        environment = dict(os.environ, ASPERITY_FAIL=fail, ASPERITY_FAIL_COUNT=os.path.join(self.top, "count"),
                           LD_PRELOAD=self.options.shim, OMP_NUM_THREADS="1")
        count = 0
        try:
            done = subprocess.run([self.options.program, *words], cwd=folder, env=environment, timeout=60,
                                  stdin=subprocess.DEVNULL, capture_output=True)
        except subprocess.TimeoutExpired:
            return "hang", b"", b"", 0, folder
        try:
            with open(os.path.join(self.top, "count"), encoding="ascii") as file:
                count = int(file.read() or 0)
            os.remove(os.path.join(self.top, "count"))
        except OSError:
            pass
        return done.returncode, done.stdout, done.stderr, count, folder

    def judge(self, name, fail, code, out, message, folder, reference):
        """What is wrong with a run; None: nothing."""
        files = COMMANDS[name][1]
        if code == "hang":
            return "does not end within 60 s"
        if code < 0:
            return f"ended by signal {-code} ({signal.Signals(-code).name})"
        if code not in (0, 1, 2, 3):
            return f"exit code {code}"
        if code >= 2 and not message.strip():
            return f"exit code {code} without a message"
        if code == 2 and fail.startswith("memory"):
            return "lack of memory is called bad input: " + message.decode(errors="replace").strip()[:160]
        for file in files:
            path = os.path.join(folder, file)
            if not os.path.exists(path):
                if code <= 1:
                    return f"exit code {code}, but {file} is missing"
            elif file != "made.h5" or code <= 1:  # a result that was cut short is readable up to there
                with open(path, "rb") as made:
                    if made.read() != reference[file]:
                        return f"exit code {code} and a {file} that differs"
        if code <= 1 and (code, out) != reference["output"]:
            return f"exit code {code} and other output: {out[:100]!r}"
        return None

    def numbers(self, calls):
        """The k to try."""
        if self.options.every:
            return range(1, min(calls, self.options.most) + 1)
        chosen, k = [], 1
        while k <= calls:
            chosen.append(k)
            k += 1 if k < 4 else k
        return chosen

    def sweep(self, name, group):
        words, files = COMMANDS[name]
        code, out, message, calls, folder = self.run(words, group + ":0")
        if code not in (0, 1):
            if name == "playground" or name == "report":
                return None  # built without the page
            raise SystemExit(f"{name}: exit code {code} though nothing fails: {message.decode()}")
        reference = {"output": (code, out)}
        for file in files:
            with open(os.path.join(folder, file), "rb") as made:
                reference[file] = made.read()
        codes = {}
        tried = 0
        for k in self.numbers(calls):
            for fail in (f"{group}:{k}", f"{group}:{k}+"):
                tried += 1
                code, out, message, _, folder = self.run(words, fail)
                codes[code] = codes.get(code, 0) + 1
                wrong = self.judge(name, fail, code, out, message, folder, reference)
                if wrong:
                    self.wrong.append(f"{name}, {fail}: {wrong}")
        return calls, tried, codes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("source")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--only", nargs="*", default=list(COMMANDS))
    parser.add_argument("--groups", nargs="*", default=GROUPS)
    options = parser.parse_args()
    options.program, options.shim = os.path.abspath(options.program), os.path.abspath(options.shim)
    faults = Faults(options)
    total = 0
    print(f"{'command':<12} {'calls':<8} {'number':>7} {'tried':>6}  exit codes")
    for name in options.only:
        for group in options.groups:
            known = len(faults.wrong)
            found = faults.sweep(name, group)
            if found is None:
                print(f"{name:<12} left out: the program was built without the page")
                break
            calls, tried, codes = found
            total += tried
            text = ", ".join(f"{code}: {number}" for code, number in sorted(codes.items(), key=str))
            bad = len(faults.wrong) - known
            print(f"{name:<12} {group:<8} {calls:>7} {tried:>6}  {text}{f'  {bad} WRONG' if bad else ''}", flush=True)
    for line in faults.wrong:
        print("WRONG:", line)
    print(f"{total} runs, {len(faults.wrong)} wrong")
    shutil.rmtree(faults.top, ignore_errors=True)
    return 1 if faults.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
