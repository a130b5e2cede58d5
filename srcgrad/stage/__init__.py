"""Staging: Python functions as code that runs on a machine (see :mod:`srcgrad.stage.machine`)."""

from .defaults import MachineDefaults
from .function import Activation, Staged, active_machine, definition, make_function, stage
from .machine import BREAK, CONTINUE, NORMAL, RESULT, RETURN, UNBOUND, Frame
from .origins import origin, origins
from .plain import PlainMachine
from .regions import RegionInfo, region_info
from .stack import room_to_recurse

__all__ = [
    "BREAK", "CONTINUE", "NORMAL", "RESULT", "RETURN", "UNBOUND", "Activation", "Frame",
    "MachineDefaults", "PlainMachine", "RegionInfo", "Staged", "active_machine",
    "definition", "make_function", "origin", "origins", "region_info",
    "room_to_recurse", "stage",
]
