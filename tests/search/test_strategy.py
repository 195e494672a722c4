import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from eqlearn.search.strategy import STANDARD, Rotation, Stopping, Strategy, numbers


def leaves(document: Any) -> Iterator[Any]:
    if isinstance(document, dict):
        for value in document.values():
            yield from leaves(value)
    else:
        yield document


def test_every_number_says_why_it_has_its_value() -> None:
    def unexplained(value: Any, path: str) -> list[str]:
        return [
            name
            for one in dataclasses.fields(value)
            if "why" not in one.metadata
            for inner in [getattr(value, one.name)]
            for name in (
                unexplained(inner, f"{path}{one.name}.")
                if dataclasses.is_dataclass(inner)
                else [f"{path}{one.name}"]
            )
        ]

    assert unexplained(STANDARD, "") == []
    listed = list(numbers(STANDARD))
    assert len({one.name for one in listed}) == len(listed) > 100
    assert all(one.why and not one.why.endswith(".") for one in listed)


def test_a_strategy_is_a_value() -> None:
    assert Strategy() == STANDARD and hash(Strategy()) == hash(STANDARD)
    assert isinstance(STANDARD.networks.quick, Rotation)


def test_any_other_number_is_another_strategy() -> None:
    other = dataclasses.replace(STANDARD, stopping=Stopping(votes=5))
    assert other.digest != STANDARD.digest
    assert Strategy().digest == STANDARD.digest


def test_a_document_has_every_number_and_survives_json() -> None:
    document = STANDARD.to_document()
    assert json.loads(json.dumps(document)) == document
    assert document["stopping"]["votes"] == STANDARD.stopping.votes
    assert document["tactics"]["criterion"]["n_alternatives"] == 30.0
    assert len(list(leaves(document))) > 100


def test_turns_of_seeds_follow_from_their_sizes() -> None:
    by = dataclasses.replace(STANDARD.growths, most_parameters=25, largest=90, small=9)
    assert by.seed_sizes == ((0, 25), (26, 90), (0, 9), (26, 90))
