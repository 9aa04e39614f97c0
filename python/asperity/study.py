"""Studies: one scene at many values of its parameters (docs/reference/study.md), run in processes of their own. The rows lie
in a folder that the program `asperity sweep` and other machines may work on at the same time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any, Iterator

import numpy as np

from ._core import Context, text
from ._native import ffi, lib
from .errors import ArgumentError
from .rollout import thread_count

_STATES = ("open", "done", "missed", "failed")


class StudyRows:
    """The table of a study: rows["mu"] is an array with one value a point, NaN where there is none. state, exit_code,
    message, key, result: arrays of the same length; units: by name."""

    def __init__(self, columns: dict[str, np.ndarray], units: dict[str, str], rest: dict[str, list[Any]]):
        self._columns = columns
        self.units = units
        self.state = np.array(rest["state"])
        self.exit_code = np.array(rest["exit_code"], int)
        self.message = np.array(rest["message"], object)
        self.key = np.array(rest["key"])
        self.result = np.array(rest["result"], object)

    @property
    def names(self) -> list[str]:
        """Of the columns: parameters, what a search found, outputs, steps, time, wall_s."""
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise ArgumentError(f"{name!r}: no such column; there are {', '.join(self._columns)}")
        return self._columns[name]

    def __len__(self) -> int:
        return len(self.state)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row for each point, where pandas is installed."""
        import pandas

        rest = {name: getattr(self, name) for name in ("state", "exit_code", "message", "key", "result")}
        return pandas.DataFrame({**self._columns, **rest})

    def __repr__(self) -> str:
        counts = ", ".join(f"{int((self.state == s).sum())} {s}" for s in _STATES if (self.state == s).any())
        return f"<rows of a study: {counts}>"


class Study:
    """A study file. folder: where its rows lie; default: the file's name with .sweep, in the current folder."""

    def __init__(self, path: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None):
        self.path = os.fspath(path)
        stem = os.path.splitext(os.path.basename(self.path))[0]
        self.folder = os.fspath(folder) if folder is not None else stem + ".sweep"
        self._context = Context()
        pointer, mistakes = ffi.new("AspStudy **"), ffi.new("AspMistakes *")
        code = lib.asp_study_read(self._context.pointer, self.path.encode(), pointer, mistakes)
        lines = tuple(text(mistakes.line[i]) for i in range(mistakes.count))
        lib.asp_mistakes_destroy(self._context.pointer, mistakes)
        self._context.check(code, lines)
        context = self._context  # outlives the study
        self._study = ffi.gc(pointer[0], lambda p, context=context: lib.asp_study_destroy(p))

    @property
    def name(self) -> str:
        """Of the study."""
        return text(lib.asp_study_name(self._study))

    def __len__(self) -> int:
        return int(lib.asp_study_point_count(self._study))

    def __repr__(self) -> str:
        return f"<study {self.name!r}: {len(self)} points in {self.folder}>"

    def _check_point(self, point: int) -> int:
        if not 0 <= point < len(self):
            raise ArgumentError(f"point {point}: the study has points 0 to {len(self) - 1}")
        return int(point)

    def run_point(self, point: int) -> bool:
        """Run one point (from 0 on) in this process and put its row into the folder. False: it has one, or another process
        is at it. What goes wrong in the run is a row, too."""
        taken = ffi.new("bool *")
        self._context.watch()
        code = lib.asp_study_run_point(self._study, os.fsencode(self.folder), self._check_point(point), taken)
        self._context.check(code)
        return bool(taken[0])

    def run(self, cores: int | None = None, points: range | None = None) -> StudyRows:
        """Run the open points (default: all) in processes of their own, as many as there are cores, and give the rows. A
        process that dies is a failed row. Stopped and called again, it goes on."""
        wanted = list(points if points is not None else range(len(self)))
        for point in wanted:
            self._check_point(point)
        self._context.check(lib.asp_study_plan(self._study, os.fsencode(self.folder)))
        _Workers(self, wanted, min(thread_count(cores), max(len(wanted), 1))).run()
        return self.rows()

    def retry(self) -> int:
        """Take the rows of failed points away, so that run() runs them again; gives their number."""
        count = ffi.new("int64_t *")
        self._context.check(lib.asp_study_reopen(self._study, os.fsencode(self.folder), count))
        return int(count[0])

    def collect(self) -> None:
        """Write rows.csv, rows.h5 and the page index.html into the folder."""
        self._context.check(lib.asp_study_collect(self._study, os.fsencode(self.folder)))
        self._context.check(lib.asp_study_page(self._study, os.fsencode(self.folder)))

    def rows(self) -> StudyRows:
        """The rows as far as they are there."""
        names = [text(lib.asp_study_column_title(self._study, c)) for c in range(lib.asp_study_column_count(self._study))]
        units = {n: text(lib.asp_study_column_unit(self._study, c)) for c, n in enumerate(names)}
        values = np.full((len(self), len(names)), np.nan)
        rest: dict[str, list[Any]] = {key: [] for key in ("state", "exit_code", "message", "key", "result")}
        row, key = ffi.new("AspStudyRow *"), ffi.new("char[17]")
        for point in range(len(self)):
            self._context.check(lib.asp_study_row(self._study, os.fsencode(self.folder), point, row))
            values[point] = [row.value[c] for c in range(len(names))]
            lib.asp_study_key(self._study, point, key)
            rest["state"].append(_STATES[row.state])
            rest["exit_code"].append(row.exit_code)
            rest["message"].append(text(row.message))
            rest["result"].append(text(row.result))
            rest["key"].append(text(key))
            lib.asp_study_row_destroy(self._context.pointer, row)
        return StudyRows({n: values[:, c].copy() for c, n in enumerate(names)}, units, rest)

    def _fail(self, point: int, code: int, message: str) -> None:
        taken = ffi.new("bool *")
        self._context.check(lib.asp_study_fail_point(self._study, os.fsencode(self.folder), point, code, message.encode(), taken))


class _Workers:
    """Processes that take points from their standard input, one at a time."""

    def __init__(self, study: Study, points: list[int], count: int):
        self.study, self.left, self.count = study, iter(points), count

    def _start(self) -> subprocess.Popen[str]:
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
        command = [sys.executable, "-c", "from asperity.study import _work; _work()", os.path.abspath(self.study.path), os.path.abspath(self.study.folder)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def _serve(self) -> None:
        worker: subprocess.Popen[str] | None = None
        try:
            for point in iter(self._next, None):
                worker = worker or self._start()
                assert worker.stdin and worker.stdout
                answer = ""
                try:
                    worker.stdin.write(f"{point}\n")
                    worker.stdin.flush()
                    answer = worker.stdout.readline()
                except BrokenPipeError:
                    pass
                if answer.strip() != "ready":
                    self._note_end(point, worker)
                    worker = None
        finally:
            if worker:
                if self.stopped:
                    worker.kill()
                self._end(worker)

    @staticmethod
    def _end(worker: subprocess.Popen[str]) -> int:
        """Closes both pipes; its exit code."""
        assert worker.stdin and worker.stdout
        with worker.stdout:
            try:
                worker.stdin.close()
            except BrokenPipeError:
                pass
            return worker.wait()

    def _note_end(self, point: int, worker: subprocess.Popen[str]) -> None:
        code = self._end(worker)
        if self.stopped:
            return
        if code >= 0:
            raise RuntimeError(f"a process of the study ended with code {code} at point {point}")
        self.deaths.append((point, 128 - code, f"the process died: {signal.strsignal(-code)} (signal {-code})"))

    def _next(self) -> int | None:
        with self.lock:
            return None if self.stopped else next(self.left, None)

    def run(self) -> None:
        import threading

        self.lock, self.stopped = threading.Lock(), False
        self.deaths: list[tuple[int, int, str]] = []
        errors: list[BaseException] = []

        def serve() -> None:
            try:
                self._serve()
            except BaseException as error:
                errors.append(error)

        team = [threading.Thread(target=serve, daemon=True) for _ in range(self.count)]
        for thread in team:
            thread.start()
        try:
            for thread in team:
                while thread.is_alive():
                    thread.join(0.1)
        except BaseException:
            self.stopped = True
            raise
        for point, code, message in self.deaths:
            self.study._fail(point, code, message)
        if errors:
            raise errors[0]


def _work() -> None:
    """A worker: points from standard input, "ready" after each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    study = Study(sys.argv[1], sys.argv[2])
    for line in sys.stdin:
        study.run_point(int(line))
        print("ready", flush=True)
