#!/usr/bin/env python3
"""Mutation score: are mistakes in the code found by its tests?

  mutation.py [--seed N] [--count N] [--all] [--quick S] [--minutes M] [--build FOLDER] [--scratch FOLDER] [--out FILE]
              [--repeat FILE] [PATH ...]

  PATH          files or folders below the sources: src/problem, src/problem/judge.c ...; the three layers unless told
  --count N     mutants drawn from all of them by --seed, 1000 unless told; --all takes every one
  --quick S     tests that take longer than S seconds of processor time are left out, 4 unless told
  --minutes M   tries no further mutant after that time (SIGTERM does the same at once)
  --build       a build whose tests are made, build/release unless told
  --repeat FILE the mutants that an earlier report lists as survivors, in place of drawn ones

A mutant is one small change (mutants.py). It counts when it compiles, its machine code differs from the original's and
from that of the mutants before it, and it is killed when a test fails, crashes, or takes five times as long. Only tests
that reach the changed line are run (gcov says which), the quickest and most successful first. A line that no test
reaches gives a survivor without a run. Survivors are listed with file, line and change.

Archives and objects of the tests are copied from the build to the scratch folder; one object is compiled there for a
mutant (of a header: all that include it), and linked before the archives, whose own object is not taken then. Sources and
build are only read, and runs with scratch folders of their own do not disturb each other. Needs ninja, gcc and gcov.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import mutants

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LAYERS = ["src/problem", "src/formulate", "src/collide"]
# the tests of a layer, and of the layers above it that are its users
TESTS = {"problem": ["problem", "solver"], "collide": ["collide"], "formulate": ["formulate", "scheme", "world"]}
MEMORY = 4 << 30  # bytes that a test may take
Mutant = collections.namedtuple("Mutant", "file line kind at length new old")


def run(command, folder, check=True):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode:
        sys.exit("%s\n%s" % (" ".join(map(str, command)), done.stdout))
    return done


class Bench:
    """Copies of a build's archives and test objects, and what is compiled beside them."""

    def __init__(self, build, folder, layers):
        self.build, self.folder, self.layers = build, folder, layers
        self.commands, self.original, self.links = {}, {}, {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            path = pathlib.Path(entry["file"])
            if path.is_relative_to(SOURCE / "src"):
                self.commands.setdefault(str(path.relative_to(SOURCE)), self.flags_of(entry["command"]))
        wanted = {layer for name in layers for layer in TESTS[name]}
        for path in sorted((SOURCE / "tests").glob("*/test_*.c")):
            if path.parent.name in wanted:
                self.take_test(path.parent.name, path.stem[len("test_"):])
        self.users = self.included_by()

    @staticmethod
    def flags_of(command):
        words = shlex.split(command)
        return [w for w in words[1:-4] if not w.startswith(("-O", "-g", "-W", "-fstack", "-fcf", "-U_F", "-D_F"))] + ["-O1", "-w"]

    def take_test(self, layer, name):
        """The command that links a test, with its inputs copied."""
        line = run(["ninja", "-t", "commands", "test_%s_%s" % (layer, name)], self.build).stdout.strip().splitlines()[-1]
        words = [w for w in shlex.split(line) if w not in (":", "&&", "-g1", "-O3")]
        for word in words:
            source, target = self.build / word, self.folder / word
            if word.endswith((".o", ".a")) and not word.startswith("/"):
                if not source.exists():
                    sys.exit("%s is not there: build the tests first" % source)
                if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(source, target)
        at = words.index("-o")
        self.links["%s/%s" % (layer, name)] = (words[:at], words[at + 2:])

    def included_by(self):
        """Header -> sources of the library that include it."""
        users, name = collections.defaultdict(set), None
        for line in run(["ninja", "-t", "deps"], self.build).stdout.splitlines():
            if line and not line.startswith(" "):
                name = None
            elif line.strip():
                path = pathlib.Path(os.path.realpath(self.build / line.strip()))
                if path.is_relative_to(SOURCE / "src"):
                    name = name or str(path.relative_to(SOURCE))
                    if name in self.commands:
                        users[str(path.relative_to(SOURCE))].add(name)
        return users

    def compile(self, name, changed, text, kind, extra=()):
        """The object of source `name` where the file `changed` (itself or a header) has this text."""
        overlay = self.folder / kind / "overlay"
        target = self.folder / kind / (name + ".o")
        mutated = overlay / changed[len("src/"):]
        shutil.rmtree(overlay, ignore_errors=True)
        for path in (mutated.parent, target.parent):
            path.mkdir(parents=True, exist_ok=True)
        mutated.write_text(text)
        source = mutated if name == changed else SOURCE / name
        done = run(["gcc", "-I" + str(overlay), *self.commands[name], *extra, "-o", str(target), "-c", str(source)], self.build, check=False)
        return None if done.returncode else target

    def original_of(self, name, changed):
        if (name, changed) not in self.original:
            target = self.compile(name, changed, (SOURCE / changed).read_text(), "mutant")
            self.original[name, changed] = target.read_bytes()
        return self.original[name, changed]

    def link(self, test, objects, target, extra=()):
        before, after = self.links[test]
        target.parent.mkdir(parents=True, exist_ok=True)
        run([*before, "-s", "-fuse-ld=gold", *extra, *map(str, objects), "-o", str(target), *after], self.folder)

    def run_test(self, program, seconds, environment=None):
        """Exit code of a test program (None: too long), and seconds of processor time."""
        folder = self.folder / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen([str(program)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=limits, start_new_session=True,
                                   env={**os.environ, "TMPDIR": str(folder), **(environment or {})})
        try:
            code = process.wait(timeout=60 + 20 * seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return code, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def reach(self, quick):
        """Seconds of every quick test that passes, and (file, line) -> tests that reach it, for the layers."""
        names = [n for n in self.commands if n.split("/")[1] in self.layers]
        counted = [self.compile(n, n, (SOURCE / n).read_text(), "counted", ("--coverage",)) for n in names]
        seconds, lines, left_out = {}, collections.defaultdict(set), []
        for test in sorted(self.links):
            program, counts = self.folder / "reach-test", self.folder / "counts"
            self.link(test, [o for n, o in zip(names, counted)], program, ("--coverage",))
            shutil.rmtree(counts, ignore_errors=True)
            code, taken = self.run_test(program, 3 * quick, {"GCOV_PREFIX": str(counts)})
            if code != 0 or taken > quick:
                left_out.append("%s (%s)" % (test, "exit code %s" % code if code and taken < quick else "%.0f s" % taken))
                continue
            seconds[test] = taken
            for path in counts.rglob("*.gcda"):
                shutil.copyfile((pathlib.Path("/") / path.relative_to(counts)).with_suffix(".gcno"), path.with_suffix(".gcno"))
            files = [str(p) for p in counts.rglob("*.gcda")]
            output = run(["gcov", "--json-format", "--stdout", *files], self.build).stdout if files else ""
            for text in output.splitlines():
                for entry in json.loads(text)["files"] if text.startswith("{") else []:
                    self.add_lines(lines, test, entry)
        return seconds, lines, left_out

    def add_lines(self, lines, test, entry):
        path = pathlib.Path(os.path.realpath(self.build / entry["file"]))
        if path.is_relative_to(self.folder / "counted/overlay"):
            name = "src/" + str(path.relative_to(self.folder / "counted/overlay"))
        elif path.is_relative_to(SOURCE):
            name = str(path.relative_to(SOURCE))
        else:
            return
        for line in entry["lines"]:
            lines[name, line["line_number"]].update([test] if line["count"] else [])


class Score:
    def __init__(self, bench, quick):
        self.kills, self.seen = collections.Counter(), set()
        self.seconds, self.lines, self.left_out = bench.reach(quick)

    def tests_of(self, mutant):
        """Tests that reach the changed line, or the nearest line before it that has code of its own."""
        for line in range(mutant.line, max(0, mutant.line - 12), -1):
            if (mutant.file, line) in self.lines:
                return sorted(self.lines[mutant.file, line], key=lambda n: (self.seconds[n] + 0.1) / (1 + self.kills[n]))
        return []


def judge(bench, score, mutant):
    """What became of a mutant: ("killed", test), ("survived", ...), ("same code", ...), ("does not compile", "")."""
    text = (SOURCE / mutant.file).read_text()
    text = text[:mutant.at] + mutant.new + text[mutant.at + mutant.length:]
    names = [mutant.file] if mutant.file.endswith(".c") else sorted(bench.users[mutant.file])
    changed, digest = [], hashlib.sha1()
    for name in names:
        original = bench.original_of(name, mutant.file)
        target = bench.compile(name, mutant.file, text, "mutant")
        if not target:
            return "does not compile", ""
        if target.read_bytes() != original:
            changed.append(target)
            digest.update(target.read_bytes())
    if not changed:
        return "same code", "as the original"
    if digest.digest() in score.seen:
        return "same code", "as another mutant"
    score.seen.add(digest.digest())
    tests = score.tests_of(mutant)
    for test in tests:
        bench.link(test, changed, bench.folder / "mutant-test")
        code, _ = bench.run_test(bench.folder / "mutant-test", 5 * score.seconds[test] + 1)
        if code != 0:
            score.kills[test] += 1
            return "killed", test
    return "survived", "%d tests" % len(tests) if tests else "no test reaches it"


def all_mutants(paths):
    found = []
    for path in paths:
        for file in sorted(path.glob("*.[ch]")) if path.is_dir() else [path]:
            text = file.read_text()
            for at, length, new, line, kind in mutants.mutants_of(text):
                found.append(Mutant(str(file.relative_to(SOURCE)), line, kind, at, length, new, text[at:at + length]))
    return found


def shown(mutant):
    def flat(text):
        return " ".join(text.split()) or "nothing"
    return "%s:%d  %s  %s -> %s" % (mutant.file, mutant.line, mutant.kind, flat(mutant.old), flat(mutant.new))


def report(possible, results, left_out, out):
    by_layer = collections.defaultdict(collections.Counter)
    for mutant, end, _ in results:
        by_layer[mutant.file.split("/")[1]][end] += 1
    print("# mutation.py %s" % " ".join(shlex.quote(w) for w in sys.argv[1:]), file=out)
    print("# %d changes are possible, %d were tried; those that do not compile or give the same code do not count" % (possible, len(results)), file=out)
    print("# tests left out: %s" % (", ".join(left_out) or "none"), file=out)
    print("%-10s %8s %8s %8s %9s %9s %10s" % ("layer", "counted", "killed", "score", "survived", "same code", "no compile"), file=out)
    total = sum(by_layer.values(), collections.Counter())
    for layer, counts in [*sorted(by_layer.items()), ("all", total)]:
        counted = counts["killed"] + counts["survived"]
        print("%-10s %8d %8d %7.1f%% %9d %9d %10d" % (layer, counted, counts["killed"], 100 * counts["killed"] / max(1, counted),
                                                    counts["survived"], counts["same code"], counts["does not compile"]), file=out)
    print("\nsurvivors", file=out)
    for mutant, end, why in sorted(results, key=lambda r: (r[0].file, r[0].line)):
        if end == "survived":
            print("%s  (%s)" % (shown(mutant), why), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=LAYERS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--quick", type=float, default=4)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--build", type=pathlib.Path, default=SOURCE / "build/release")
    parser.add_argument("--scratch", default=os.path.join(tempfile.gettempdir(), "asperity-mutation"))
    parser.add_argument("--out")
    parser.add_argument("--repeat")
    chosen = parser.parse_args()
    drawn = all_mutants([(SOURCE / path).resolve() for path in chosen.paths])
    possible = len(drawn)
    if chosen.repeat:
        listed = {line.rsplit("  (", 1)[0] for line in open(chosen.repeat)}
        drawn = [m for m in drawn if shown(m) in listed]
    elif not chosen.all:
        random.Random(chosen.seed).shuffle(drawn)
        drawn = drawn[:chosen.count]
    layers = sorted({m.file.split("/")[1] for m in drawn})
    if not drawn or set(layers) - set(TESTS):
        parser.error("no mutants in %s, or not in %s" % (" ".join(chosen.paths), ", ".join(TESTS)))
    start, results = time.time(), []
    bench = Bench(chosen.build.resolve(), pathlib.Path(chosen.scratch).resolve(), layers)
    score = Score(bench, chosen.quick)
    print("%d tests, %.0f s of processor time" % (len(score.seconds), sum(score.seconds.values())), flush=True)
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))  # ends after this mutant, with a report
    for mutant in drawn:
        if ended or time.time() - start > 60 * chosen.minutes:
            break
        end, why = judge(bench, score, mutant)
        results.append((mutant, end, why))
        print("%-16s %s  (%s)" % (end, shown(mutant), why), flush=True)
    with open(chosen.out, "w") if chosen.out else sys.stdout as out:
        report(possible, results, score.left_out, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
