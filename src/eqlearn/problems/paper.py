"""The problems of the paper's section 4 that it writes down.

The paper does not say where the cart-pendulum is measured; the cube [-1, 1]^4 and its
extrapolation domain [-2, 2]^4 are those of its other problems.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from eqlearn._types import Namespace
from eqlearn.problems.definition import Problem


def on_cube(
    name: str,
    n_inputs: int,
    formula: Callable[..., Any],
    *,
    n_outputs: int = 1,
    noise: float = 0.01,
    meaning: str = "",
) -> Problem:
    """Make a problem of inputs x1, x2, … as the paper measures them.

    10000 points of [-1, 1]^d with Gaussian noise, extrapolation to [-2, 2]^d.
    """
    outputs = tuple(f"y{m}" for m in range(1, n_outputs + 1))
    return Problem(
        name=name,
        inputs=tuple(f"x{d}" for d in range(1, n_inputs + 1)),
        outputs=outputs if n_outputs > 1 else ("y",),
        formula=formula,
        box=((-1.0, 1.0),) * n_inputs,
        outer_box=((-2.0, 2.0),) * n_inputs,
        noise=noise,
        meaning=meaning,
    )


def cart_pendulum(
    xp: Namespace, x1: Any, x2: Any, x3: Any, x4: Any
) -> tuple[Any, Any, Any, Any]:
    """Equation 12: the rates of cart position, angle and their two velocities."""
    s, c = xp.sin(x2), xp.cos(x2)
    push = -x1 - 0.01 * x3 + x4**2 * s
    turn = x1 * c + 0.01 * x3 * c - x4**2 * s * c
    mass = s**2 + 1
    return (
        x3,
        x4,
        (push + 0.1 * x4 * c + 9.81 * s * c) / mass,
        (-0.2 * x4 - 19.62 * s + turn) / mass,
    )


FORMULAS: tuple[Problem, ...] = (
    on_cube(
        "division",
        2,
        lambda xp, x1, x2: xp.sin(xp.pi * x1) / (x2**2 + 1),
        meaning="the division task of section 4.1",
    ),
    on_cube(
        "F-1",
        4,
        lambda xp, x1, x2, x3, x4: (
            (xp.sin(xp.pi * x1) + xp.sin(2 * xp.pi * x2 + xp.pi / 8) + x2 - x3 * x4) / 3
        ),
        meaning="one hidden layer",
    ),
    on_cube(
        "F-2",
        4,
        lambda xp, x1, x2, x3, x4: (
            (xp.sin(xp.pi * x1) + x2 * xp.cos(2 * xp.pi * x1 + xp.pi / 4) + x3 - x4**2)
            / 3
        ),
        meaning="two hidden layers",
    ),
    on_cube(
        "F-3",
        4,
        lambda xp, x1, x2, x3, x4: ((1 + x2) * xp.sin(xp.pi * x1) + x2 * x3 * x4) / 3,
        meaning="two hidden layers",
    ),
    on_cube(
        "F-4",
        4,
        lambda xp, x1, x2, x3, x4: (
            (xp.sin(xp.pi * x1) + xp.cos(2 * x2 * xp.sin(xp.pi * x1)) + x2 * x3 * x4)
            / 2
        ),
        meaning="three hidden layers",
    ),
)

#: What the released data's outputs are divided by, so that all are of about one size.
OUTPUT_SCALES = (1, 1, 5, 10)


def published_cart_pendulum(
    xp: Namespace, x1: Any, x2: Any, x3: Any, x4: Any
) -> tuple[Any, ...]:
    """Equation 12 as the paper has measured it: x2 = 1 is a right angle."""
    rates = cart_pendulum(xp, x1, xp.pi / 2 * x2, x3, x4)
    return tuple(y / scale for y, scale in zip(rates, OUTPUT_SCALES, strict=True))


def _cart_pendulum(
    name: str, formula: Callable[..., Any], noise: float, **measured: Any
) -> Problem:
    what = "a pendulum on a sprung cart: d/dt of (position, angle, velocities)"
    found = on_cube(name, 4, formula, n_outputs=4, noise=noise, meaning=what)
    return replace(found, **measured)


#: As published: 16000 rows for training and 2000 for validation, 50 far points.
_RELEASED: dict[str, Any] = {"n_train": 18_000, "held_out": 1 / 9, "n_far": 50}

#: The paper's, with the noise of its released data, 0.1, and with that of its text,
#: 0.01; and Eq. 12 as it is printed, with both.
CART_PENDULUM: tuple[Problem, ...] = (
    *(
        _cart_pendulum(name, published_cart_pendulum, noise, **_RELEASED)
        for name, noise in (
            ("cart-pendulum-published", 0.1),
            ("cart-pendulum-published-quiet", 0.01),
        )
    ),
    _cart_pendulum("cart-pendulum", cart_pendulum, 0.01),
    _cart_pendulum("cart-pendulum-noisy", cart_pendulum, 0.1),
)
