"""How much gradient the pool still holds, and which arms to make more tasks for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


class Inventory(NamedTuple):
    """`stock`: expected mixed groups left; `batches`: the same in batches; `thin`: under the bar; `ask`: best arms."""

    stock: float
    batches: float
    thin: bool
    ask: tuple[str, ...]


def take_stock(
    arms: tuple[str, ...],
    per_arm: FloatArray,
    pays: FloatArray,
    batch: int,
    *,
    thin_batches: float = 20.0,
    n_ask: int = 3,
) -> Inventory:
    """Stock from `per_arm` [A], each arm's sum of P/(1 + n_informative/3); arms to ask for by `pays` [A].

    `pays` is the score of a fresh task of the arm. Arms that pay nothing are never asked for.

    >>> take_stock(("a/1/x", "a/2/x"), np.array([3.0, 1.0]), np.array([0.2, 0.9]), 8).ask
    ('a/2/x', 'a/1/x')
    """
    stock = float(per_arm.sum())
    order = [int(i) for i in np.argsort(-pays, kind="stable")[:n_ask] if pays[i] > 0]
    return Inventory(stock, stock / batch, stock < thin_batches * batch, tuple(arms[i] for i in order))
