"""Source in other languages: how it looks, and that it says what the graph says."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from eqlearn.equation.read.starts import start_graphs
from eqlearn.equation.write.export import export, export_text
from eqlearn.equation.write.formulas import Formulas, formulas

X = np.array([[1.5, 0.5], [2.0, 0.75], [2.5, 1.25]])
LANGUAGES = ["matlab", "julia", "fortran", "modelica"]


def law(*texts: str, names: tuple[str, str] = ("x", "z")) -> Formulas:
    rng = np.random.default_rng(0)
    graphs = [start_graphs(text, ("x", "z"), X, rng)[0] for text in texts]
    return formulas(graphs, names)


LAW = law("0.1*sin(2*x)/(z + 1) - x^2")


def test_matlab() -> None:
    lines = export_text(LAW, "matlab").splitlines()
    assert lines[0] == "function y = predict(x, z)"
    assert lines[1] == "% Formulas found by eqlearn."
    assert "    % x: column 'x'" in lines
    assert "    u1 = sin(2.0 .* x);" in lines
    assert lines[-1] == "end"


def test_julia() -> None:
    lines = export_text(LAW, "julia").splitlines()
    assert lines[1] == "function predict(x, z)"
    assert "    u1 = sin(2.0 * x)" in lines
    assert lines[-2:] == ["    return y", "end"]


def test_fortran_has_numbers_of_double_precision() -> None:
    text = export_text(LAW, "fortran")
    assert "subroutine predict(x, z, y)" in text
    assert "    double precision, intent(out) :: y" in text
    assert "    u1 = sin(2.0d0 * x)" in text
    code = "\n".join(line for line in text.splitlines() if "!" not in line)
    assert not re.search(r"\d\.\d+(?!\d*d)(?!\d)", code)


def test_fortran_breaks_long_lines() -> None:
    names = "pressure_in_the_upper_chamber", "temperature_of_the_lower_one"
    shown = law("x*z + 2.123456789*x + 3.123456789*z + 1.5", names=names)
    text = export_text(shown, "fortran")
    assert max(map(len, text.splitlines())) <= 132
    assert " &\n" in text


def test_fortran_tells_no_capitals() -> None:
    text = export_text(law("x*z", names=("t", "T")), "fortran")
    assert "subroutine predict(t, t_2, y)" in text


def test_modelica() -> None:
    lines = export_text(LAW, "modelica").splitlines()
    assert lines[0] == 'function predict "Formulas found by eqlearn"'
    assert "  input Real z;" in lines
    assert "  u1 := sin(2.0 * x);" in lines
    assert lines[-1] == "end predict;"


@pytest.mark.parametrize("form", LANGUAGES)
def test_keywords_are_no_names(form: str) -> None:
    text = export_text(law("x*z", names=("end", "function")), form)
    assert "end_" in text
    assert "function_" in text


@pytest.mark.parametrize("form", LANGUAGES)
@pytest.mark.parametrize(
    "text",
    [
        *("x - (z - 1)", "x/(z/2)", "-x^2", "(x*z)^3", "-(x + z)", "2^x", "x^1.5"),
        *("exp(-x^2/2)", "1e-12*x + 1e12*z", "tanh(x)*atan(z)", "3", "x^z^0.5"),
        *("sqrt(x + z)/log(x + 1)", "asin(z/2) - acos(z/3)", "tan(x)", "0*x"),
    ],
)
def test_what_is_written_says_the_same(form: str, text: str) -> None:
    export_text(law(text, f"2*({text}) + x"), form)  # refused if it did not


def test_numpy_is_a_function() -> None:
    function = export(LAW, "numpy")
    np.testing.assert_array_equal(function(X), LAW.graph.evaluate(X)[0])


RUN_FORTRAN = """
program main
    double precision :: x, z, y
    x = 1.5d0
    z = 0.5d0
    call predict(x, z, y)
    print '(es25.17)', y
end program main
"""


@pytest.mark.skipif(not shutil.which("gfortran"), reason="there is no gfortran")
def test_fortran_runs(tmp_path: Path) -> None:
    (tmp_path / "law.f90").write_text(export_text(LAW, "fortran") + RUN_FORTRAN)
    build = ["gfortran", "-Wall", "-Werror", "-o", "law", "law.f90"]
    subprocess.run(build, cwd=tmp_path, check=True)
    found = subprocess.run(["./law"], cwd=tmp_path, check=True, capture_output=True)
    expected = LAW.graph.evaluate(X[:1])[0][0, 0]
    assert float(found.stdout) == pytest.approx(expected, rel=1e-14)


@pytest.mark.skipif(not shutil.which("julia"), reason="there is no Julia")
def test_julia_runs() -> None:
    program = export_text(LAW, "julia") + "print(predict(1.5, 0.5))"
    found = subprocess.run(["julia", "-e", program], check=True, capture_output=True)
    expected = LAW.graph.evaluate(X[:1])[0][0, 0]
    assert float(found.stdout) == pytest.approx(expected, rel=1e-14)


@pytest.mark.skipif(not shutil.which("octave"), reason="there is no Octave")
def test_matlab_runs(tmp_path: Path) -> None:
    (tmp_path / "predict.m").write_text(export_text(LAW, "matlab"))
    line = "printf('%.17g', predict(1.5, 0.5))"
    found = subprocess.run(
        ["octave", "--eval", line], cwd=tmp_path, check=True, capture_output=True
    )
    expected = LAW.graph.evaluate(X[:1])[0][0, 0]
    assert float(found.stdout) == pytest.approx(expected, rel=1e-14)
