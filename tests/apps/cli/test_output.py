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
