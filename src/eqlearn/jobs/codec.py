"""What segments leave, as bytes: JSON, the same bytes for the same value."""

import json
from typing import Any


def to_bytes(document: Any) -> bytes:
    """Write a value that JSON can hold."""
    return json.dumps(document, separators=(",", ":")).encode()


def from_bytes(state: bytes) -> Any:
    """Read what `to_bytes` wrote."""
    return json.loads(state)
