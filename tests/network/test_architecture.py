import pytest

from eqlearn.errors import EqlearnError
from eqlearn.network.architecture import Architecture, Block


def test_the_paper_form_counts_weights_as_figure_1() -> None:
    # L = 3, one unit per type: z has 3 + 2 rows; 2 inputs, then 4 units, then a, b.
    architecture = Architecture.paper(2, 1, n_layers=3, units_per_type=1)
    assert [(s.n_in, s.n_out) for s in architecture.layers] == [(2, 5), (4, 5), (4, 2)]
    assert architecture.n_weights == (2 + 1) * 5 + (4 + 1) * 5 + (4 + 1) * 2
    assert architecture.n_layers == 3


def test_the_compact_form_sees_all_earlier_features() -> None:
    architecture = Architecture.compact(2, 3, n_layers=3, n_sin=2, n_multiply=1)
    assert [s.n_in for s in architecture.layers] == [2, 2 + 3, 2 + 3 + 3]
    assert architecture.layers[-1].n_out == 6
    assert architecture.skip


def test_linear_read_out_has_no_denominators() -> None:
    architecture = Architecture.paper(2, 3, division=False)
    assert architecture.layers[-1].n_out == 3


def test_layers_tile_the_weight_vector() -> None:
    architecture = Architecture.compact(3, 2, n_layers=4)
    covered = [
        i
        for shape in architecture.layers
        for part in (shape.weights, shape.biases)
        for i in range(part.start, part.stop)
    ]
    assert covered == list(range(architecture.n_weights))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Architecture.paper(0, 1), "`n_inputs` must be .* at least 1; got 0"),
        (lambda: Architecture.paper(2, 0), "`n_outputs` must be"),
        (lambda: Architecture.paper(2, 1, n_layers=1), "`n_layers` must be .* got 1"),
        (
            lambda: Architecture.paper(2, 1, units_per_type=0),
            "`units_per_type` must be .* got 0",
        ),
        (lambda: Architecture.paper(2, 1, units=["sine"]), "Did you mean 'sin'"),
        (lambda: Architecture.paper(2, 1, units=[]), "`units` must be at least one"),
        (lambda: Architecture(1, 1, ()), "`n_layers` must be at least 2"),
        (lambda: Architecture(1, 1, ((Block("sin", 1.5),),)), "`units_per_type`"),  # type: ignore[arg-type]
    ],
)
def test_bad_sizes_get_one_line(build: object, message: str) -> None:
    with pytest.raises(EqlearnError, match=message) as caught:
        build()  # type: ignore[operator]
    assert "\n" not in str(caught.value)
