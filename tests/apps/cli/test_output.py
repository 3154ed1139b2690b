"""Tables of any length and width, paragraphs and progress."""

from __future__ import annotations

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


@pytest.mark.parametrize("width", [66, 67, 73, 74, 75, 80, 200])
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
    assert max(map(len, shown.splitlines())) <= width


def test_a_column_with_a_word_in_it_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_table(["1", "mixed", "numbers"], [("1", "10", "7"), ("22", "all of it", "-5")])
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()[3:5]] == [
        "  1   10               7",
        "  22  all of it       -5",
    ]


def test_the_same_command_is_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/usr/bin/littlego", "match", "my agent", "random"])
    assert output.same_command() == "littlego match 'my agent' random"


def test_only_the_column_with_room_to_spare_is_broken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("a player", "one two three four five six seven", "12")]
    output.print_table(["who", "what", "number"], rows)
    shown = capsys.readouterr().out.splitlines()
    assert [line.split() for line in shown[3:]] == [
        ["a", "player", "one", "two", "three", "four", "12"],
        ["five", "six", "seven"],
        [],
    ]


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


def test_lines_of_prose_keep_their_margins_and_the_empty_line_before_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    output.print_sentences("\nFix this first: it crashed.\n  random: 25 from 90% of the games won")
    assert capsys.readouterr().out.splitlines() == [
        "", "Fix this first: it crashed.", "  random: 25 from 90% of the", "  games won",
    ]  # fmt: skip


def test_stages_of_long_work_leave_lines_in_a_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(output, "_EVERY_LINE", 0.0)
    with output.stages() as update:
        update("the book", 0, 2_000)
        update("the book", 2_000, 2_000, remark="all of it")
    assert capsys.readouterr().err.splitlines() == ["the book: 0 of 2,000", "the book: 2,000 of 2,000, all of it"]


@pytest.mark.parametrize("columns", [None, "20", "40"], ids=["pipe", "too narrow", "terminal"])
def test_lines_that_begin_with_spaces_are_printed_whole(
    columns: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a compiler writes them: textwrap never ended where the margin was wider than the line."""
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    output.print_sentences("  5. FAILED it builds:\n    this is no Python (\n        ^ never closed", indent=14)
    shown = capsys.readouterr().out
    assert shown.split() == ["5.", "FAILED", "it", "builds:", "this", "is", "no", "Python", "(", "^", "never", "closed"]
    assert len(shown.splitlines()) == 3
