import numpy as np
import pytest

from eqlearn.training.samples import samples


def test_samples_are_laid_out_with_unlabelled_points_behind() -> None:
    x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]])
    points, weight = np.array([[7.0, 8.0]]), np.array([4.0, 9.0])
    data = samples(x, y, points=points, weight=weight)
    np.testing.assert_array_equal(data.x, [[1, 3, 7], [2, 4, 8]])
    np.testing.assert_array_equal(data.y, [[5, 6]])
    np.testing.assert_array_equal(data.root_weight, [2, 3])
    assert data.n_residuals == 2


def test_a_part_of_the_samples_keeps_all_unlabelled_points() -> None:
    rng = np.random.default_rng(0)
    x, y, weight = rng.normal(size=(5, 2)), rng.normal(size=(5, 3)), np.arange(1.0, 6)
    data = samples(x, y, points=rng.normal(size=(4, 2)), weight=weight)
    few = data.first(2)
    np.testing.assert_array_equal(few.x, data.x[:, [0, 1, 5, 6, 7, 8]])
    np.testing.assert_array_equal(few.y, data.y[:, :2])
    np.testing.assert_array_equal(few.root_weight, np.sqrt([1.0, 2.0]))
    assert data.first(5) is data.first(99) is data


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8])
def test_chunks_have_every_sample_once_and_points_in_the_last(n: int) -> None:
    rng = np.random.default_rng(0)
    x, y, weight = rng.normal(size=(7, 2)), rng.normal(size=(7, 1)), np.arange(1.0, 8)
    points = rng.normal(size=(3, 2))
    data = samples(x, y, points=points, weight=weight, floor=0.25)
    chunks = list(data.chunks(n))
    sizes = [chunk.n_labelled for chunk in chunks]
    assert sum(sizes) == 7 and max(sizes) <= n
    assert [chunk.x.shape[1] - chunk.n_labelled for chunk in chunks[:-1]] == (
        [0] * (len(chunks) - 1)
    )
    together = zip(*chunks, strict=True)
    for parts, whole in zip(together, data, strict=True):
        if isinstance(whole, float):
            assert set(parts) == {0.25}
        else:
            np.testing.assert_array_equal(np.concatenate(parts, axis=-1), whole)


def test_labelled_inputs_are_those_with_targets() -> None:
    x, y = np.array([[1.0], [2.0]]), np.array([[5.0], [6.0]])
    data = samples(x, y, points=np.array([[7.0]]))
    assert data.labelled.tolist() == [[1.0, 2.0]]
