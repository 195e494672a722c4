"""Known systems of motion: half of them to work with, half of them kept apart."""

from benchmarks.motions.entry import System, Variant, recording
from benchmarks.motions.seen import SEEN
from benchmarks.motions.unseen import UNSEEN

SYSTEMS = {system.name: system for system in (*SEEN, *UNSEEN)}

__all__ = ["SEEN", "SYSTEMS", "UNSEEN", "System", "Variant", "recording"]
