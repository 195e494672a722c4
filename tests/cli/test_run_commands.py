"""`show`, `predict`, `export` and `report`: what they make of a run."""

import csv
import json
import math
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import sympy
from command_lines import Command, check_mistake, write_csv
from hostile_names import HOSTILE
from pyarrow import parquet

from eqlearn.cli.main import main
from eqlearn.data.read import read_table
from eqlearn.equation.write.form_names import FORM_NAMES
from eqlearn.model.by_hand import candidates_of
from eqlearn.run_directory import open_run

#: Command lines that cannot be carried out, and what the one line says.
MISTAKES = [
    ("show", "Missing argument 'RUN'. See eqlearn show --help."),
    ("show ohmrun", "`ohmrun` must be a run directory or a model file; got none of th"),
    ("show nowhere/run", "got none of this name. Check the path."),
    ("show plain", "`plain` must be the directory of a run; got one without model.jso"),
    ("show ohm.csv", "must be a run directory or a model file; got a table. Give what"),
    ("show broken.json", "`RUN` must be a model file; got 'broken.json'."),
    ("predict ohm-run", "Missing argument 'TABLE'. See eqlearn predict --help."),
    ("predict ohm-rum in.csv", "got none of this name. Did you mean `ohm-run`?"),
    ("predict ohm-run in.cvs", "got none of this name. Did you mean `in.csv`?"),
    (
        "predict ohm-run few.csv",
        "`few.csv` must have the columns that the equations need: `voltage`, `resistan"
        "ce`; got no `voltage`, `resistance`. It has x, y; rename or add them.",
    ),
    ("predict ohm-run one.csv", "got no `resistance`. It has voltage; rename or add"),
    ("predict ohm-run in.csv -o out.xls", "`out.xls` must end in one of .csv"),
    ("predict ohm-run in.csv -o no/out.csv", "`no/out.csv` must be writable; got No s"),
    ("predict ohm-run in.csv -o plain", "`plain` must end in one of .csv"),
    ("export ohm-run", "Missing option '--to'. See eqlearn export --help."),
    ("export ohm-run --to latx", "got 'latx'. Did you mean 'latex'?"),
    ("export ohm-run --to c --digits 0", "`--digits` must be a whole number from 1 t"),
    (
        "predict ohm-run in.csv --interval 0.95",
        "`--interval` must be a number from 1 to 99.9; got '0.95'. See eqlearn predict",
    ),
    ("export ohm-run --to c -o plain", "`plain` must be a file; got a directory"),
    ("export ohm-run --to c -o no/law.c", "`no/law.c` must be writable"),
    ("export broken.json --to c", "`RUN` must be a model file"),
    (
        "predict ohm-run in.csv --candidate 0",
        "`--candidate` must be a number from 1 ",
    ),
    ("predict ohm-run in.csv --candidate 99", "one of the candidates; got 99."),
    (
        "predict ohm-run in.csv --candidate two",
        "must be a number of eqlearn show, or",
    ),
    (
        "export ohm-run --to c --candidate power=1",
        "must be one of 'current'; got 'po",
    ),
    ("report ohm-run --candidate -1", "`--candidate` must be a number of eqlearn show"),
    ("compare ohm-run", "Missing argument 'OTHER'. See eqlearn compare --help."),
    ("compare ohm-run ohm-rum", "got none of this name. Did you mean `ohm-run`?"),
    ("compare ohm-run ohm-run --table few.csv", "got no `voltage`, `resistance`."),
    ("compare ohm-run ohm-run --table in.csv", "got no `current`. It has resistance, "),
    ("report plain", "`plain` must be the directory of a run"),
    ("report", "Missing argument 'RUN'. See eqlearn report --help."),
]


@pytest.mark.parametrize(("line", "said"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_a_mistake_gets_one_line_and_leaves_nothing(
    line: str, said: str, here: Path, command: Command
) -> None:
    check_mistake(line, said, here, command)


def test_fit_leaves_a_run_and_show_tells_of_it(here: Path, command: Command) -> None:
    assert {"model.json", "sample.npz", "report.html", "report.md", "run.db"} <= {
        path.name for path in (here / "ohm-run").iterdir()
    }
    code, out, err = command("show ohm-run")
    assert (code, err) == (0, "")
    assert out.startswith("current = voltage/resistance\n")
    assert "\nReport: ohm-run/report.html\n" in out
    assert command("show ohm-run/model.json") == (0, out, "")


def test_json_is_one_line_as_documented(here: Path, command: Command) -> None:
    code, out, err = command("show ohm-run --json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    found = json.loads(out)
    assert 0 < found.pop("seconds") < 60
    assert found.pop("validation_rms")["current"] < 1e-12
    assert found == {
        "equations": {"current": "voltage/resistance"},
        "run": "ohm-run",
        "complexity": {"current": 2},
        "verdict": {"current": "trusted"},
        "names": dict(zip(*[["voltage", "resistance", "current"]] * 2, strict=True)),
        "expressions": {"current": "voltage/resistance"},
    }


def test_predict_adds_columns_at_the_end(here: Path, command: Command) -> None:
    code, out, err = command("predict ohm-run in.csv")
    assert (code, err) == (0, "")
    names, *rows = csv.reader(out.splitlines())
    assert names == ["resistance", "voltage", "current_predicted"]
    for row in rows:
        resistance, voltage, predicted = map(float, row)
        assert math.isclose(predicted, voltage / resistance, rel_tol=1e-12)
    assert command("predict ohm-run in.csv -o out.parquet") == (0, "", "")
    written = read_table(here / "out.parquet")
    assert list(written.names) == names
    np.testing.assert_array_equal(written.values, np.array(rows, dtype=float))


def test_predict_needs_numbers_in_the_inputs_only(
    here: Path, command: Command, tmp_path: Path
) -> None:
    table = tmp_path / "new.csv"
    table.write_text("who,voltage,resistance,current\nme,6,3,\nyou,1,0,?\n", "utf-8")
    code, out, err = command(f"predict ohm-run {table}")
    assert code == 0
    assert out.splitlines()[:2] == [
        "who,voltage,resistance,current,current_predicted",
        "me,6,3,,2.0",
    ]
    pole, beyond = err.splitlines()
    assert pole.endswith("no finite prediction for data row 2")
    assert beyond.endswith("outside the domain of use: 2 rows, the first is data row 1")


def test_predict_to_the_screen_writes_no_file(
    here: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    code, out, _ = command("predict ohm-run in.csv")
    assert code == 0
    assert "current_predicted" in out


def test_predict_adds_the_ends_of_an_interval(here: Path, command: Command) -> None:
    code, out, _ = command("predict ohm-run in.csv --interval 95")
    assert code == 0
    names, *rows = csv.reader(out.splitlines())
    assert names[2:] == ["current_predicted", "current_low", "current_high"]
    for row in rows:
        value, low, high = map(float, row[2:])
        assert low <= value <= high
    code, _, err = command("predict ohm-run in.csv --interval 100")
    assert code == 2 and "--interval" in err


@pytest.fixture(scope="module")
def wave(folder: Path) -> Path:
    """A run whose formula has a function and constants of many digits."""
    rng = np.random.default_rng(0)
    x, numpy = rng.uniform(-1, 1, (2, 60))
    columns = {"x": x, "numpy.y": numpy, "z": np.sin(1.2345 * x) * numpy}
    write_csv(folder / "wave.csv", **columns)
    arguments = [str(folder / "wave.csv"), "--target", "z", "--jobs", "1", "--quiet"]
    with pytest.raises(SystemExit) as stop:
        main(["fit", *arguments, "--out", str(folder / "wave-run")])
    assert stop.value.code == 0
    return folder / "wave-run"


X = np.linspace(-1, 1, 7)
LAW = np.sin(1.2345 * X) * (X + 2)


def exported(command: Command, run: Path, form: str, *more: str) -> str:
    code, out, err = command("export", str(run), "--to", form, *more)
    assert (code, err) == (0, "")
    assert out.endswith("\n")
    assert not out.endswith("\n\n")
    return out


def test_export_to_sympy(wave: Path, command: Command) -> None:
    legend, line = exported(command, wave, "sympy").splitlines()
    assert legend == "# numpy_y: column 'numpy.y'"
    formula = sympy.sympify(line)
    values = sympy.lambdify(sympy.symbols("x numpy_y"), formula)(X, X + 2)
    np.testing.assert_allclose(values, LAW, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("form", ["python", "jax", "torch"])
def test_export_to_python(form: str, wave: Path, command: Command) -> None:
    source = exported(command, wave, form)
    assert "# numpy_y: column 'numpy.y'" in source
    if form == "torch":
        torch = pytest.importorskip("torch")
        inputs = torch.tensor(X), torch.tensor(X + 2)
    else:
        inputs = X, X + 2
    names: dict[str, Any] = {}
    exec(source, names)
    np.testing.assert_allclose(np.asarray(names["predict"](*inputs)), LAW, rtol=1e-5)


def test_export_to_what_is_read(wave: Path, command: Command, tmp_path: Path) -> None:
    assert exported(command, wave, "latex").startswith("z = ")
    assert "1.234" in exported(command, wave, "latex")
    assert "1.2" in exported(command, wave, "latex", "--digits", "2")
    assert exported(command, wave, "mathml").startswith("<math ")
    assert json.loads(exported(command, wave, "json"))["inputs"] == ["x", "numpy.y"]
    source = exported(command, wave, "c")
    assert "void predict(const double *inputs, double *outputs)" in source
    file = str(tmp_path / "law.c")
    assert command("export", str(wave), "--to", "c", "-o", file) == (0, "", "")
    assert Path(file).read_text(encoding="utf-8") == source


def test_show_lists_candidates_by_number(here: Path, command: Command) -> None:
    lines = command("show ohm-run").out.splitlines()
    at = lines.index("Candidates for current, * is chosen:")
    assert lines[at + 2].split() == ["no.", "error", "complexity", "equation"]
    numbers = [line.split()[0] for line in lines[at + 3 :]]
    assert numbers == ["1*", *(str(n) for n in range(2, len(numbers) + 1))]
    assert lines[at + 3].endswith("current = voltage/resistance")


def test_another_candidate_can_be_used(here: Path, command: Command) -> None:
    model = open_run(here / "ohm-run")
    second = candidates_of(model, "current")[1]
    out = command("predict ohm-run in.csv --candidate 2").out
    _, *rows = csv.reader(out.splitlines())
    for row in rows:
        resistance, voltage, predicted = map(float, row)
        expected = second.snapped.evaluate(np.array([[voltage, resistance]]))[0]
        assert math.isclose(predicted, float(expected[0, 0]), rel_tol=1e-9)
    exported = command("export ohm-run --to sympy --candidate current=2").out
    assert exported != command("export ohm-run --to sympy").out
    try:
        assert command("report ohm-run --candidate 2").code == 0
        page = (here / "ohm-run" / "report.md").read_text("utf-8")
        assert "It was chosen by hand, as candidate 2" in page
    finally:
        command("report ohm-run")
    assert open_run(here / "ohm-run").equations == model.equations  # as it was


@pytest.mark.parametrize("form", [name for name in FORM_NAMES if name != "torch"])
def test_another_candidate_has_every_form(
    form: str, here: Path, command: Command
) -> None:
    code, second, err = command(f"export ohm-run --to {form} --candidate 2")
    assert (code, err) == (0, "")
    assert second != command(f"export ohm-run --to {form}").out
    assert second == command(f"export ohm-run --to {form} --candidate current=2").out


def test_the_chosen_candidate_is_the_first(here: Path, command: Command) -> None:
    plain = command("predict ohm-run in.csv").out
    assert command("predict ohm-run in.csv --candidate 1").out == plain


def test_a_candidate_has_intervals_of_its_own(here: Path, command: Command) -> None:
    first = command("predict ohm-run in.csv --interval 95").out
    second = command("predict ohm-run in.csv --interval 95 --candidate 2").out
    assert first.splitlines()[0] == second.splitlines()[0]
    assert first != second


def test_runs_are_compared_on_a_table(here: Path, command: Command) -> None:
    (here / "both.csv").write_text("voltage,resistance,current\n1,2,0.5\n3,2,1.4\n")
    code, out, err = command("compare ohm-run ohm-run --table both.csv")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].endswith("error 0.0707 on 2 rows; complexity 2")


def test_rows_that_both_runs_have_kept_count_once(here: Path, command: Command) -> None:
    shutil.copytree(here / "ohm-run", here / "copy-run", dirs_exist_ok=True)
    with np.load(here / "ohm-run" / "sample.npz") as sample:
        arrays = {name: sample[name] for name in sample.files}
    some = {name: values[:40].copy() for name, values in arrays.items()}
    some["y1"][:10] += 0.1
    np.savez(here / "copy-run" / "sample.npz", **some)
    out = command("compare ohm-run copy-run").out
    assert out.splitlines()[1].endswith("on 70 rows; complexity 2")
    assert out == command("compare copy-run ohm-run").out


def test_runs_are_compared(here: Path, wave: Path, command: Command) -> None:
    code, out, err = command("compare ohm-run ohm-run")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "  one: current = voltage/resistance"
    assert out.splitlines()[1].startswith("       error ")
    assert out.splitlines()[1].endswith("on 60 rows; complexity 2")
    assert out.endswith("The equations are the same.\n")
    code, out, err = command("compare ohm-run wave-run")
    assert (code, out) == (2, "")
    assert "`OTHER` must be of the inputs voltage, resistance; got 'x, numpy.y'" in err


def test_report_is_written_again(here: Path, command: Command) -> None:
    (here / "ohm-run" / "report.html").unlink()
    code, out, err = command("report ohm-run")
    assert (code, err) == (0, "")
    assert "ohm-run/report.html" in out.splitlines()
    assert all((here / line).exists() for line in out.splitlines())


def test_a_model_file_alone_has_no_rows_to_report(
    here: Path, command: Command, tmp_path: Path
) -> None:
    model = (here / "ohm-run" / "model.json").read_bytes()
    (tmp_path / "mine.json").write_bytes(model)
    assert command(f"show {tmp_path / 'mine.json'}").code == 0
    code, out, err = command(f"report {tmp_path / 'mine.json'}")
    assert (code, out) == (2, "")
    assert "sample.npz` must be an existing file" in err


def test_a_model_file_that_was_tampered_with_is_refused(
    here: Path, command: Command, tmp_path: Path
) -> None:
    document = json.loads((here / "ohm-run" / "model.json").read_text("utf-8"))
    document["outcomes"][0]["verdict"]["kind"] = "certain"
    (tmp_path / "model.json").write_text(json.dumps(document), encoding="utf-8")
    for line in (f"show {tmp_path}", f"report {tmp_path}", f"show {tmp_path} --json"):
        code, out, err = command(line)
        assert (code, out) == (2, "")
        assert "`outcomes[0].verdict.kind` must be 'trusted', 'plausible'" in err


def test_hostile_names_come_through(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = [name for name in HOSTILE if "\0" not in name]
    target = names.pop(0)
    x = np.random.default_rng(0).uniform(1, 2, (90, len(names)))
    columns = [*x.T, x[:, 0] * x[:, names.index("\x1b[2J\x1b]0;title\x07")]]
    table = pa.table([pa.array(column) for column in columns], names=[*names, target])
    parquet.write_table(table, "odd.parquet")

    option = target.replace(",", "\\,")
    code, out, err = command("fit", "odd.parquet", "--target", option, "--jobs", "1")
    assert code == 0
    assert all(line.isprintable() for line in (out + err).splitlines())
    shown = command("show", "odd-run").out
    assert shown.startswith(out)
    assert all(line.isprintable() for line in shown.splitlines())

    code, out, err = command("predict", "odd-run", "odd.parquet")
    assert code == 0
    header, first, *_ = csv.reader(out.splitlines(keepends=True))
    assert header == [*names, target, f"{target}_predicted"]
    assert math.isclose(float(first[-1]), float(first[-2]), rel_tol=1e-9)

    for form in FORM_NAMES:
        code, out, err = command("export", "odd-run", "--to", form)
        assert (code, err) == (0, "")
        assert "\x1b" not in out
    assert set(os.listdir()) == {"odd.parquet", "odd-run"}  # nothing was `touch`ed
