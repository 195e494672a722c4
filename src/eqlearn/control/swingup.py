"""Cart-pole swing-up: equations of motion, then the Gymnasium environment (section 5).

The physics is that of Gymnasium's CartPole. A state is (x, ẋ, θ, θ̇): metres, metres
per second, radians, radians per second; θ is 0 upright, π hanging, and counts on beyond
a full turn. An action of 1 pushes the cart to the right with 10 N.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from eqlearn._types import Array
from eqlearn.control.film import Picture
from eqlearn.control.mpc import Controller, ControlRun, control
from eqlearn.control.planning import ControlTask, PathIntegral, Planner, bounds
from eqlearn.control.simulate import StepFunction, stepper
from eqlearn.errors import must

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

try:
    import gymnasium
except ImportError as error:
    hint = 'Run pip install "eqlearn[control]".'
    raise must("gymnasium", "installed", "no such package", hint) from error

ENV_ID = "eqlearn/CartPoleSwingUp-v0"
STATE_NAMES = ("x", "x_dot", "theta", "theta_dot")
ACTION_NAMES = ("action",)
HANGING = (0.0, 0.0, np.pi, 0.0)
DT = 0.02  # seconds a step
UPRIGHT = 0.95  # the pole is up where cos θ is above this: 18 degrees to each side
SECONDS_UP = 2.0  # at the end of a run that succeeded

# Gymnasium's CartPole starts as far as this from upright, in each part of the state.
_START_SPREAD = 0.05
# 20 seconds, as long as the rollouts of the paper.
_LONGEST_EPISODE = 1000


@dataclass(frozen=True)
class CartPole:
    """The constants of the equations of motion, in SI units."""

    gravity: float = 9.8
    cart: float = 1.0
    pole: float = 0.1
    half_length: float = 0.5
    force: float = 10.0  # of an action of 1
    cart_friction: float = 0.0  # N s/m
    pole_friction: float = 0.0  # N m s, in the hinge


_GYMNASIUM = CartPole()


def dynamics(states: Array, actions: Array, body: CartPole = _GYMNASIUM) -> Array:
    """Return the derivatives (..., 4) of states (..., 4) under actions (..., 1)."""
    mass = body.cart + body.pole
    lever = body.pole * body.half_length / mass
    speed, theta, spin = states[..., 1], states[..., 2], states[..., 3]
    sin, cos = np.sin(theta), np.cos(theta)
    push = actions[..., 0] * (body.force / mass) + lever * spin * spin * sin
    if body.cart_friction:
        push = push - speed * (body.cart_friction / mass)
    inertia = body.half_length * 4 / 3 - lever * cos * cos
    torque = body.gravity * sin - cos * push
    if body.pole_friction:
        torque = torque - spin * (body.pole_friction / (body.pole * body.half_length))
    turn = torque / inertia
    derivatives = np.empty_like(states)
    derivatives[..., 0] = speed
    derivatives[..., 1] = push - lever * turn * cos
    derivatives[..., 2] = spin
    derivatives[..., 3] = turn
    return derivatives


def own_step(body: CartPole = _GYMNASIUM, substeps: int | None = None) -> StepFunction:
    """Return the step of a cart-pole: by Euler, or by finer ones of Runge-Kutta."""
    rates = partial(dynamics, body=body)
    if substeps is None:
        return stepper(rates, DT, "euler")
    return stepper(rates, DT, "rk4", substeps=substeps)


# The environment's own step, and so the true model of it.
step = own_step()


def cost(states: Array, actions: Array) -> Array:
    """Return Eq. 13 of the paper, lowest for an upright pole at rest in the middle."""
    x, speed, theta, spin = (states[..., part] for part in range(4))
    return 0.1 * (x * x + speed * speed) - np.cos(theta) + 0.02 * (spin * spin)


def swing_up(
    model: StepFunction,
    planner: Planner | None = None,
    n_steps: int = 500,
    *,
    seed: int,
    **options: Any,
) -> ControlRun:
    """Let a model swing the pole up; `options` are those of the environment."""
    task = ControlTask(model, cost, bounds(-1, 1))
    env = gymnasium.make(ENV_ID, **options)
    controller = Controller(task, planner or PathIntegral(), seed=seed)
    return control(env, controller, n_steps, seed=seed)


def is_upright(run: ControlRun) -> bool:
    """Whether the pole was up throughout the last 2 seconds."""
    seconds = seconds_upright(run.trajectory.rewards, run.trajectory.dt)
    return seconds >= SECONDS_UP


def seconds_upright(rewards: Sequence[float] | Array, dt: float = DT) -> float:
    """Return for how long the pole was up at the end of a run, from its rewards."""
    down = np.flatnonzero(np.asarray(rewards) <= UPRIGHT)
    last_down = down[-1] if len(down) else -1
    return float((len(rewards) - 1 - last_down) * dt)


#: An action of the environment, (1,).
Push: TypeAlias = NDArray[np.float32]


class CartPoleSwingUp(gymnasium.Env[Array, Push]):
    """A pole hangs from a cart; swing it up and keep it there.

    Observations are the state (x, ẋ, θ, θ̇) as it is, in float64, so that differences
    of successive ones give the derivatives. The reward is cos θ, of the true θ however
    noisy the sensors; the true state is in `info["state"]`.

    Parameters
    ----------
    sensor_noise : float
        Standard deviation of the noise on each part of the observation.
    action_noise : float
        Standard deviation of the noise on the action. It is not bounded: a push of
        full strength may come out stronger.
    track_length : float or None
        The episode ends where the cart leaves the track, half of which is to each side
        of the start. None is a track without end.
    render_mode : {"rgb_array"} or None
        Whether `render` draws pictures.
    body : CartPole
        Masses, lengths, frictions and the motor.
    substeps : int or None
        Runge-Kutta steps in each of the environment's, as a machine moves; by default
        each is one of Euler's, as in the paper.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["rgb_array"],
        "render_fps": round(1 / DT),
    }

    def __init__(
        self,
        sensor_noise: float = 0.0,
        action_noise: float = 0.0,
        track_length: float | None = None,
        render_mode: str | None = None,
        body: CartPole = _GYMNASIUM,
        substeps: int | None = None,
    ) -> None:
        _check_noise("sensor_noise", sensor_noise)
        _check_noise("action_noise", action_noise)
        if track_length is not None and not track_length > 0:
            raise must("track_length", "a positive number of metres", track_length)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise must("render_mode", "'rgb_array' or None", render_mode)
        self.sensor_noise = sensor_noise
        self.action_noise = action_noise
        self.track_length = track_length
        self.render_mode = render_mode
        self.dt = DT
        self._advance = own_step(body, substeps)
        self.state_names = STATE_NAMES
        self.action_names = ACTION_NAMES
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,), np.float64)
        self._state: Array = np.array(HANGING)  # changes in `reset` and `step`
        self._push = 0.0  # the last one, to be drawn

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Let the pole hang, nearly at rest, or start in `options["state"]`."""
        super().reset(seed=seed)
        start = np.add(
            HANGING, self.np_random.uniform(-_START_SPREAD, _START_SPREAD, 4)
        )
        start = np.array((options or {}).get("state", start), dtype=float)
        if start.shape != (4,) or not np.isfinite(start).all():
            raise must("state", "four finite numbers", start.tolist())
        self._state, self._push = start, 0.0
        return self._observation(), self._info()

    def step(self, action: Push) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Push the cart for one step of 0.02 seconds; actions beyond ±1 are cut."""
        wanted = np.asarray(action, dtype=float)
        if wanted.shape != (1,) or not np.isfinite(wanted).all():
            raise must("action", "one finite number in an array", wanted.tolist())
        push = np.clip(wanted, -1.0, 1.0)
        if self.action_noise:
            push = push + self.np_random.normal(0.0, self.action_noise, 1)
        self._state, self._push = self._advance(self._state, push), float(push[0])
        reward = float(np.cos(self._state[2]))
        return self._observation(), reward, self._has_left(), False, self._info()

    def render(self) -> Any:  # Gymnasium's type is broader than any one environment's
        """Return a picture (height, width, 3) of the cart and the pole."""
        if self.render_mode is None:
            hint = f'Use gymnasium.make("{ENV_ID}", render_mode="rgb_array").'
            raise must("render_mode", "'rgb_array' for pictures", None, hint)
        return draw(self._state, self._push, self.track_length)

    def _observation(self) -> Array:
        if not self.sensor_noise:
            return self._state.copy()
        return self._state + self.np_random.normal(0.0, self.sensor_noise, 4)

    def _info(self) -> dict[str, Any]:
        return {"state": self._state.copy()}

    def _has_left(self) -> bool:
        length = self.track_length
        return length is not None and bool(abs(self._state[0]) > length / 2)


def _check_noise(name: str, value: float) -> None:
    if not (np.isfinite(value) and value >= 0):
        raise must(name, "a standard deviation, 0 or more", value)


if ENV_ID not in gymnasium.registry:  # the module may be loaded anew
    gymnasium.register(
        ENV_ID,
        entry_point="eqlearn.control.swingup:CartPoleSwingUp",
        max_episode_steps=_LONGEST_EPISODE,
    )


_WIDTH, _HEIGHT = 600, 300  # of a picture, in pixels
_METRE = 100  # in pixels
_RAIL_AT, _ARROW_AT = 165, 279  # pixels from the top
_FINE = 3  # drawn this much larger and shrunk, which smooths the edges
_PAPER, _INK, _RAIL = "#ffffff", "#24292f", "#afb8c1"
_POLE, _UP, _ARROW = "#bf5b17", "#2c8a4b", "#386cb0"


def draw(state: Array, push: float = 0.0, track_length: float | None = None) -> Picture:
    """Draw the cart, the pole and the push: an array (300, 600, 3) of bytes.

    The picture follows a cart that goes out of it. The posts along the rail are a metre
    apart, the longest is in the middle of it. The pole is green where it is up.
    """
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (_WIDTH * _FINE, _HEIGHT * _FINE), _PAPER)
    pen = ImageDraw.Draw(image)
    x, theta = float(state[0]), float(state[2])
    sight = _WIDTH / _METRE / 2 - 1  # how far the cart goes before the picture follows
    camera = x - min(max(x, -sight), sight)
    _draw_rail(pen, camera, np.inf if track_length is None else track_length / 2)
    _draw_cart(pen, _WIDTH / 2 + (x - camera) * _METRE, theta, push)
    return np.asarray(image.reduce(_FINE))


def _draw_rail(pen: "ImageDraw", camera: float, reach: float) -> None:
    left, right = (
        _WIDTH / 2 + min(max(end - camera, -_WIDTH), _WIDTH) * _METRE
        for end in (-reach, reach)
    )
    _line(pen, (left, _RAIL_AT), (right, _RAIL_AT), _RAIL, 3)
    for post in range(round(camera) - 4, round(camera) + 5):
        if abs(post) <= reach:
            at = _WIDTH / 2 + (post - camera) * _METRE
            end = _RAIL_AT + (10 if post else 25)
            _line(pen, (at, _RAIL_AT), (at, end), _RAIL, 2)


def _draw_cart(pen: "ImageDraw", at: float, theta: float, push: float) -> None:
    corners = [(at - 20) * _FINE, (_RAIL_AT - 10) * _FINE]
    corners += [(at + 20) * _FINE, (_RAIL_AT + 10) * _FINE]
    pen.rounded_rectangle(corners, 5 * _FINE, _INK)
    pole = 2 * _GYMNASIUM.half_length * _METRE
    tip = (at + pole * np.sin(theta), _RAIL_AT - pole * np.cos(theta))
    colour = _UP if np.cos(theta) > UPRIGHT else _POLE
    _line(pen, (at, _RAIL_AT), tip, colour, 8)
    pen.circle((at * _FINE, _RAIL_AT * _FINE), 5 * _FINE, _PAPER)
    arrow = at + push * _METRE / 2
    _line(pen, (at, _ARROW_AT), (arrow, _ARROW_AT), _ARROW, 5)


def _line(
    pen: "ImageDraw",
    start: tuple[float, float],
    end: tuple[float, float],
    colour: str,
    thickness: int,
) -> None:
    ends = [pixels * _FINE for pixels in (*start, *end)]
    pen.line(ends, colour, thickness * _FINE)
