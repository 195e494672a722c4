from eqlearn.reproduce.text_tables import TextTable, figure, page


def test_a_table_in_three_forms() -> None:
    shown = TextTable("T", ("a", "b"), [["1|2", "<x>"]], ["a note"])
    assert shown.text().splitlines()[2:4] == ["a    b", "1|2  <x>"]
    assert r"| 1\|2 | <x> |" in shown.markdown()
    assert "<td>&lt;x&gt;</td>" in shown.html()


def test_a_table_without_notes_ends_with_its_rows() -> None:
    shown = TextTable("T", ("a",), [["1"]])
    assert shown.text() == "T\n\na\n1\n"
    assert shown.markdown() == "## T\n\n| a |\n| --- |\n| 1 |\n"


def test_titles_and_captions_are_text_not_markup() -> None:
    assert "<title>&lt;b&gt;</title>" in page("<b>", "")
    assert figure('a "b"', "x.png").count("a &quot;b&quot;") == 2
