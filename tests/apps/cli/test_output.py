"""Tables and JSON of any length."""

from __future__ import annotations

import json

import pytest

from littlego.apps.cli import output

ROWS = [(f"player {number}", str(number), "-" if number % 2 else "7") for number in range(300)]


@pytest.mark.parametrize("count", [3, 300], ids=["fitted", "tall"])
def test_every_row_is_in_the_table_with_numbers_to_the_right(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(["who", "number", "seven"], ROWS[:count], title="All of them")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1:] for line in lines if "player" in line] == [
        [*row[0].split()[1:], *row[1:]] for row in ROWS[:count]
    ]
    ends = {
        line.index(row[1], line.index(row[0]) + len(row[0])) + len(row[1])
        for line, row in zip([line for line in lines if "player" in line], ROWS, strict=False)
    }
    assert len(ends) == 1
    assert "All of them" in lines[0]


@pytest.mark.parametrize("count", [2, 2000])
def test_json_says_the_same_at_any_length(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    data = {
        'a "name"': [{"n": number, "nested": {"x": [1]}} for number in range(count)],
        "rest": {"deep": [1, [2]]},
        "none": [],
    }
    output.print_json(data)
    printed = capsys.readouterr().out
    assert json.loads(printed) == data
    assert len(printed.splitlines()) > count


@pytest.mark.parametrize("width", [40, 59, 60, 61, 62, 73, 74, 75, 76, 77, 80, 200])
def test_no_name_of_a_table_is_cut(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = ["student-copy", "student-v", "Müller_Jörg_t"]
    rows = [(str(k), name, "241 (-466..948)", "100.0% (34-100)", "1-0", "1-0", "0") for k, name in enumerate(names)]
    output.print_table(
        ["", "player", "rating (95%)", "win rate (95%)", "Black", "White", "forfeits"], rows, title="Cup"
    )
    shown = capsys.readouterr().out
    assert all(word in shown for word in (*names, "(-466..948)", "(34-100)", "forfeits"))
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= width


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_paragraph_is_broken_between_words_at_a_terminal_only(
    is_terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    text = "White answers 1,0, Black 0,0, White 3,4, and so on. Black can try something else, but nothing wins."
    output.print_sentences(text)
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines) == text
    assert (max(map(len, lines)) <= 40) == is_terminal


def test_stages_of_long_work_leave_lines_in_a_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(output, "_EVERY_LINE", 0.0)
    with output.stages() as update:
        update("the book", 0, 2_000)
        update("the book", 2_000, 2_000, remark="all of it")
    assert capsys.readouterr().err.splitlines() == ["the book: 0 of 2,000", "the book: 2,000 of 2,000, all of it"]
