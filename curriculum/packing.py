"""Arrays within JSON, bit for bit."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from curriculum.errors import CurriculumError
from warehouse.records import JsonValue


def pack(values: npt.NDArray[Any]) -> JsonValue:
    """An array as its type, shape and bytes in base64 (little-endian)."""
    plain = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
    return {"dtype": plain.dtype.str, "shape": list(plain.shape), "data": base64.b64encode(plain.tobytes()).decode()}


def unpack(value: JsonValue) -> npt.NDArray[Any]:
    """The array that `pack` wrote; raises `CurriculumError` for anything else.

    >>> unpack(pack(np.array([1.5, -2.0]))).tolist()
    [1.5, -2.0]
    """
    if not isinstance(value, Mapping) or not {"dtype", "shape", "data"} <= set(value):
        raise CurriculumError(f"a packed array has dtype, shape and data, got {type(value).__name__}")
    shape = value["shape"]
    flat = np.frombuffer(base64.b64decode(str(value["data"])), dtype=np.dtype(str(value["dtype"])))
    return flat.reshape([int(str(x)) for x in shape] if isinstance(shape, list | tuple) else -1).copy()
