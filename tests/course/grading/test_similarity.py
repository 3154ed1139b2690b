"""Which submissions are alike: copies in disguise are found, the starter kit and other people's work are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from littlego.course.grading.cohort.side_by_side import aligned, pair_page
from littlego.course.grading.cohort.similarity import Similar, shape, shingles, similar_pairs, sources_below
from littlego.course.kits.starter import AGENTS
from littlego.players import alphabeta, champion, simple


def text_of(module: object) -> str:
    return Path(str(vars(module)["__file__"])).read_text()


def disguised(source: str) -> str:
    """Every name of the author's renamed, comments added, indentation doubled, functions in another order."""
    names = set(re.findall(r"\b(?:def|class) (\w+)", source)) | set(re.findall(r"\b(\w+) = ", source))
    for name in names - {"self"}:
        source = re.sub(rf"\b{name}\b", f"renamed_{name[::-1]}", source)
    head, *functions = re.split(r"\n(?=def |class |@)", source)
    lines = "\n".join([head, *reversed(functions)]).replace("    ", "        ").splitlines()
    return "\n".join(f"{line}  # mine" if line and '"""' not in line else line for line in lines)


def pairs(**programs: str) -> dict[tuple[str, str], float]:
    found = similar_pairs({name: shingles([source]) for name, source in programs.items()}, {})
    return {(pair.first, pair.second): pair.programs for pair in found}


def test_a_copy_in_disguise_is_found_and_others_are_not() -> None:
    original = text_of(alphabeta)
    found = pairs(ada=original, bob=disguised(original), cleo=text_of(champion), dan=text_of(simple))
    assert set(found) == {("ada", "bob")}
    assert found["ada", "bob"] > 0.7


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_what_comes_with_the_kit_does_not_count(agent: Path) -> None:
    assert sources_below(agent.parent)
    assert not shingles(sources_below(agent.parent))
    assert pairs(ada=agent.read_text(), bob=agent.read_text()) == {}


def test_names_numbers_and_layout_do_not_matter() -> None:
    assert shape("if colour == 3:  # black\n    return 'x'") == shape('if c==17:\n\treturn "yes"')
    assert shape("// a\nint f() { return 1; }") == shape("int  g ( ) {return 2;} /* b\n*/")
    assert shape("while a: pass") != shape("for a in b: pass")


@pytest.mark.parametrize("endless", ["/* ", '\\"', "\\'"])
def test_what_is_never_closed_does_not_stop_a_class(endless: str, tmp_path: Path) -> None:
    # Its end was looked for again and again: seconds for 48 kB, days for what may be submitted.
    (tmp_path / "a.py").write_text(endless * (1 << 20))
    (source,) = sources_below(tmp_path)
    assert len(source) == 1 << 20
    assert len(shape(source)) < 5


@pytest.mark.parametrize(
    ("second", "expected"), [({1: 7, 2: 8, 3: 9, 4: 5}, 0.75), ({1: 7, 2: 8}, None), ({}, None)], ids=str
)
def test_games_in_common(second: dict[int, int], expected: float | None) -> None:
    programs = {"ada": frozenset(range(100)), "bob": frozenset(range(70))}
    games = {"ada": {1: 7, 2: 8, 3: 9, 4: 10}, "bob": second}
    assert similar_pairs(programs, games) == [Similar("ada", "bob", 1.0, expected)]


def test_a_renamed_copy_stands_beside_its_original() -> None:
    first = ["def grow(board):", "    total = 0", "    return total + 1"]
    second = ["# mine", "def f(b):", "\ttotal = 0", "    return x + 1"]
    rows = aligned(first, second)
    assert [(row[0], row[2]) for row in rows] == [("", 1), (1, 2), (2, 3), (3, 4)]
    page = pair_page(Similar("<ada>", "bob", 0.9, None), first, second).html()
    assert "<ada>" not in page
    assert "grow(board)" in page
