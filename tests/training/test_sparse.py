import numpy as np
import pytest

from eqlearn.network.architecture import Architecture
from eqlearn.network.forward import initialise
from eqlearn.network.graph import CONSTANT, Graph, from_network
from eqlearn.training.sparse import SparseTraining, fixed_denominators, train


def test_training_scales_fractions_to_a_constant_of_one() -> None:
    outputs = (({0: 6.0}, {CONSTANT: -2.0, 1: 1.0}), ({0: 1.0}, {CONSTANT: 4.0}))
    graph = fixed_denominators(Graph(2, (), outputs))
    assert graph.outputs == (
        ({0: -3.0}, {CONSTANT: 1.0, 1: -0.5}),
        ({0: 0.25}, {CONSTANT: 1.0}),
    )
    assert graph.fixed == {(1, CONSTANT), (3, CONSTANT)}


SETTINGS = SparseTraining()


class TestTrain:
    """y = 0.7 x1 x2 + sin(2.5 x1), with noise of 0.01, from random weights."""

    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (1000, 2))
    truth = (0.7 * x[:, :1] * x[:, 1:]) + np.sin(2.5 * x[:, :1])
    domain = (np.full(2, -2.0), np.full(2, 2.0))

    def trained(
        self,
        seed: int,
        *,
        division: bool = False,
        noise: float = 0.01,
        settings: SparseTraining = SETTINGS,
    ) -> Graph:
        architecture = Architecture.compact(2, 1, division=division)
        rng = np.random.default_rng(seed)
        weights = initialise(architecture, rng, denominator=1.0)
        start = fixed_denominators(from_network(architecture, weights))
        noisy = self.truth + noise * np.random.default_rng(0).normal(size=(1000, 1))
        return train(start, self.x, noisy, self.domain, settings, rng)

    @pytest.mark.parametrize("division", [False, True])
    def test_it_reaches_the_noise_with_few_weights(self, division: bool) -> None:
        n_weights = Architecture.compact(2, 1, division=division).n_weights
        errors = []
        for seed in range(4):
            graph = self.trained(seed, division=division)
            outputs, _ = graph.evaluate(self.x)
            errors.append(np.sqrt(np.mean((outputs - self.truth) ** 2)))
            assert graph.n_parameters < n_weights / 2
        assert np.median(errors) < 0.01

    def test_it_is_decided_by_its_random_numbers(self) -> None:
        assert self.trained(5) == self.trained(5)
        assert self.trained(5) != self.trained(6)

    def test_unlabelled_points_keep_denominators_up(self) -> None:
        points = np.random.default_rng(1).uniform(-2, 2, (2000, 2))
        below = {}
        for n_points in (0, 100):
            settings = SparseTraining(n_points=n_points)
            graphs = [
                self.trained(seed, division=True, noise=0.3, settings=settings)
                for seed in range(10)
            ]
            lowest = [graph.evaluate(points)[1].min() for graph in graphs]
            below[n_points] = sum(max(0.0, -low) for low in lowest)
        # In all: where one network ends differs from processor to processor.
        assert below[100] < below[0] / 2

    def test_a_target_of_zero_leaves_nothing(self) -> None:
        architecture = Architecture.compact(2, 1, division=False)
        rng = np.random.default_rng(0)
        start = fixed_denominators(
            from_network(architecture, initialise(architecture, rng))
        )
        settings = SparseTraining(l1=1e-2, n_iterations=200)
        graph = train(start, self.x, 0 * self.truth, self.domain, settings, rng)
        assert graph.n_parameters <= 2
        assert np.abs(graph.evaluate(self.x)[0]).max() < 1e-3

    def test_samples_of_no_weight_are_never_drawn(self) -> None:
        weight = np.where(np.arange(1000) < 500, 1.0, 0.0)
        spoiled = np.where(weight[:, None] > 0, self.truth, np.nan)
        start = Graph(2, (), (({0: 0.1, 1: 0.1, CONSTANT: 0.1}, {CONSTANT: 1.0}),))
        rng = np.random.default_rng(0)
        graph = train(start, self.x, spoiled, self.domain, SETTINGS, rng, weight)
        assert graph != start  # with one NaN among the samples no step is taken


def test_the_floor_of_denominators_falls_and_stays() -> None:
    settings = SparseTraining(n_iterations=10, first_theta=0.5, last_theta=0.2)
    found = [settings.theta(iteration) for iteration in range(10)]
    assert found[0] == 0.5 and found[1] == pytest.approx(0.45)
    assert found[6:] == [0.2] * 4
