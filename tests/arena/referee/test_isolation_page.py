"""docs/isolation.md tells of every case, and promises no more than the code does."""

from pathlib import Path

from littlego.arena.referee.hostile.cases import CASES
from littlego.arena.referee.levels import Level

PAGE = Path(__file__).parents[3] / "docs" / "isolation.md"


def test_the_table_is_that_of_the_code() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text().splitlines() if " | `" in line and line.endswith(" |")]
    table = {cells[1].strip("`"): cells for cells in rows if len(cells) == 3 + len(Level)}
    assert list(table) == [case.name for case in CASES]
    for case in CASES:
        cells = table[case.name]
        assert cells[0] == f"| {case.group}"
        assert cells[2] == case.proves
        words = {case.word(verdict) for verdict in case.verdicts}
        for level, cell in zip(Level, cells[3:], strict=True):
            word = cell.removesuffix(" |")
            assert word in (words if level in case.levels else {"**not contained**", "not promised"}), case.name
