import json
from pathlib import Path

import pytest

from benchmarks.same_answers import main


def test_the_same_code_gives_the_same_answers_and_a_change_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "frozen.json"
    only = ["--only", "no noise"]
    assert main(["freeze", str(file), *only]) == 0
    assert main(["compare", str(file), *only]) == 0
    frozen = json.loads(file.read_text())
    frozen["no noise"]["n"] = [99]
    file.write_text(json.dumps(frozen))
    assert main(["compare", str(file), *only]) == 1
    assert "no noise: CHANGED: n," in capsys.readouterr().out
