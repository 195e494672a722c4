"""The sizes of a network, without its arrays (paper, section 2.1 and Fig. 1)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from eqlearn.errors import check_count, must
from eqlearn.network.units import PAPER_UNITS, Unit, unit


@dataclass(frozen=True)
class Block:
    """`count` units of one type standing side by side in a layer."""

    unit: str
    count: int

    @property
    def definition(self) -> Unit:
        """The row of the table of units."""
        return unit(self.unit)


@dataclass(frozen=True)
class LayerShape:
    """Where one layer's weights lie in the flat weight vector."""

    n_in: int  # features the layer sees, without the bias
    n_out: int  # rows of W: the components of z = W y + w_0
    start: int

    @property
    def weights(self) -> slice:
        """The entries of W, row after row."""
        return slice(self.start, self.start + self.n_in * self.n_out)

    @property
    def biases(self) -> slice:
        """The entries of w_0."""
        return slice(self.weights.stop, self.stop)

    @property
    def stop(self) -> int:
        """Where the weights of the next layer start."""
        return self.start + (self.n_in + 1) * self.n_out


@dataclass(frozen=True)
class Architecture:
    """An EQL÷ network's inputs, outputs, hidden layers and form of output.

    Each hidden layer is a tuple of blocks. With `skip`, a layer sees the inputs and
    all earlier layers instead of only the one before. With `division` the output is
    h^θ(a, b) (Eq. 2), without it the linear read-out of the original EQL (Eq. 1).

    The paper's form and the compact form of the fast recipe are two settings of it:

    >>> from eqlearn import Architecture
    >>> Architecture.paper(4, 1, n_layers=3).n_weights
    2382
    >>> Architecture.compact(4, 1, n_layers=3).n_weights
    293
    """

    n_inputs: int
    n_outputs: int
    hidden: tuple[tuple[Block, ...], ...]
    division: bool = True
    skip: bool = False

    def __post_init__(self) -> None:
        check_count("n_inputs", self.n_inputs)
        check_count("n_outputs", self.n_outputs)
        if not self.hidden:
            raise must("n_layers", "at least 2 (one hidden layer)", 1)
        for blocks in self.hidden:
            if not blocks:
                raise must("units", "at least one unit in every layer", "none")
            for block in blocks:
                unit(block.unit)
                check_count("units_per_type", block.count)

    @classmethod
    def paper(
        cls,
        n_inputs: int,
        n_outputs: int,
        *,
        n_layers: int = 2,
        units_per_type: int = 10,
        units: Sequence[str] = PAPER_UNITS,
        division: bool = True,
    ) -> "Architecture":
        """Build the paper's form: identity units, each layer fed by the one before."""
        layer = tuple(Block(name, units_per_type) for name in units)
        return cls(n_inputs, n_outputs, _repeat(layer, n_layers), division)

    @classmethod
    def compact(
        cls,
        n_inputs: int,
        n_outputs: int,
        *,
        n_layers: int = 2,
        n_sin: int = 5,
        n_multiply: int = 4,
        units: Sequence[str] = (),
        division: bool = True,
    ) -> "Architecture":
        """Build the compact form: skips replace identity units, cos is a shifted sin.

        `units` names further unit types, one of each per layer.
        """
        blocks = [Block("sin", n_sin), Block("multiply", n_multiply)]
        blocks += [Block(name, 1) for name in units]
        layer = tuple(block for block in blocks if block.count)
        hidden = _repeat(layer, n_layers)
        return cls(n_inputs, n_outputs, hidden, division, skip=True)

    @property
    def n_layers(self) -> int:
        """The paper's L: hidden layers plus the output layer."""
        return len(self.hidden) + 1

    @cached_property
    def layers(self) -> tuple[LayerShape, ...]:
        """The shapes of all layers, the output layer last."""
        return tuple(self._layer_shapes())

    @property
    def n_weights(self) -> int:
        """The length P of the flat weight vector, biases included."""
        return self.layers[-1].stop

    def _layer_shapes(self) -> Iterator[LayerShape]:
        n_in, start = self.n_inputs, 0
        for blocks in self.hidden:
            n_out = sum(block.count * block.definition.arity for block in blocks)
            shape = LayerShape(n_in, n_out, start)
            yield shape
            n_units = sum(block.count for block in blocks)
            n_in = n_units + (n_in if self.skip else 0)
            start = shape.stop
        n_out = self.n_outputs * (2 if self.division else 1)
        yield LayerShape(n_in, n_out, start)


def _repeat(layer: tuple[Block, ...], n_layers: int) -> tuple[tuple[Block, ...], ...]:
    check_count("n_layers", n_layers, least=2)
    return (layer,) * (n_layers - 1)
