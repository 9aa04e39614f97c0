"""Asperity: multibody dynamics with unilateral contact and exact Coulomb friction.

    model = asperity.Model.from_file("scene.json")
    world = asperity.World(model)
    while world.time < 1:
        info = world.step()
    print(world.body("ball").position, info.certified)

SI units and radians throughout. Every step says whether its solution is certified (`certified`, `residual`) and the step
short enough (`resolved`)."""

from ._core import text as _text
from ._native import lib as _lib
from .analysis import Analysis, PointSolution, Statics, analyze, statics
from .batch import Batch
from .builder import ModelBuilder
from .dynamics import ForwardDynamics, InverseDynamics
from .environment import Box, Environment
from .errors import (
    ArgumentError,
    AsperityError,
    BusyError,
    ClosedError,
    FileError,
    InputError,
    InternalError,
    InterruptedRun,
    MissingFileError,
    MotionError,
    UnsupportedError,
)
from .model import Model
from .options import option_names
from .problem import Columns, ContactProblem, Law, Solution, block_role, methods, solve_lcp
from .result import Result
from .rollout import Rollout, rollout
from .study import Study, StudyRows
from .studies import Comparison, ComparisonRow, Convergence, ConvergenceRow, compare, converge
from .tables import Table
from .world import CONTACT_MODES, Body, Joint, Run, StepInfo, World, event_name

__version__ = _text(_lib.asp_version())
__all__ = [name for name in dir() if not name.startswith("_")]
