"""Which submissions are alike: copies in disguise are found, the starter kit and other people's work are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from littlego.core.errors import UsageError
from littlego.course.edition import find_edition
from littlego.course.grading.cohort import similarity
from littlego.course.grading.cohort.similarity import (
    Shingles,
    handed_out_in,
    our_agent,
    read_shape,
    shape,
    shape_of,
    shingles,
    similar_pairs,
    sources_below,
    write_shape,
)
from littlego.course.grading.cohort.submissions import find_submissions, open_submission
from littlego.course.starter import AGENTS, export_agent
from littlego.players import catalogue, course, exact, learned, manual


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
    found = similar_pairs({name: Shingles(shingles([source])) for name, source in programs.items()})
    return {(pair.first, pair.second): pair.programs for pair in found}


def test_a_copy_in_disguise_is_found_and_others_are_not() -> None:
    original = text_of(manual)
    found = pairs(ada=original, bob=disguised(original), cleo=text_of(learned), dan=text_of(course))
    assert set(found) == {("ada", "bob")}
    assert found["ada", "bob"] > 0.7


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_what_comes_with_the_kit_does_not_count(agent: Path) -> None:
    assert sources_below(agent.parent)
    assert not shingles(sources_below(agent.parent).values())
    assert pairs(ada=agent.read_text(), bob=agent.read_text()) == {}


def test_names_numbers_and_layout_do_not_matter() -> None:
    assert shape("if colour == 3:  # black\n    return 'x'") == shape('if c==17:\n\treturn "yes"')
    assert shape("// a\nint f() { return 1; }") == shape("int  g ( ) {return 2;} /* b\n*/")
    assert shape("while a: pass") != shape("for a in b: pass")


@pytest.mark.parametrize("endless", ["/* ", '\\"', "\\'"])
def test_what_is_never_closed_does_not_stop_a_class(endless: str, tmp_path: Path) -> None:
    # Its end was looked for again and again: seconds for 48 kB, days for what may be submitted.
    (tmp_path / "a.py").write_text(endless * (1 << 20))
    (source,) = sources_below(tmp_path).values()
    assert len(source) == 1 << 20
    assert len(shape(source)) < 5


def test_what_many_have_beside_their_own_files_does_not_count() -> None:
    """The course hands out files that are not in our kits: every pair of those who left them in was named."""
    host, own = text_of(course), [text_of(module) for module in (manual, learned, catalogue, exact, similarity)]
    handed_out = shingles([host])
    programs = {f"student {k}": Shingles(shingles([text]), handed_out) for k, text in enumerate(own)}
    assert similar_pairs(programs) == []
    programs["copy"] = Shingles(shingles([disguised(own[0])]), handed_out)
    (pair,) = similar_pairs(programs)
    assert (pair.first, pair.second) == ("copy", "student 0")
    pasted = Shingles(shingles([host]))
    assert similar_pairs({**programs, "pasted": pasted, "pasted too": pasted}) == [pair], "also where it was pasted"
    two = {"a": Shingles(beside=handed_out), "b": Shingles(main=handed_out)}
    assert similar_pairs(two), "two have copied it"
    assert similar_pairs(two, handed_out) == [], "from --starter"


def test_what_the_course_handed_out_is_read_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "search.py").write_text(text_of(learned))
    assert handed_out_in(tmp_path) == shingles([text_of(learned)])
    assert handed_out_in(None) == frozenset()
    (tmp_path / "deeper" / "search.py").unlink()
    with pytest.raises(UsageError, match="no programs here"):
        handed_out_in(tmp_path)


def test_the_agent_that_comes_with_the_package_is_recognised(tmp_path: Path) -> None:
    export_agent(tmp_path / "class" / "cleo")
    (submission,) = find_submissions(tmp_path / "class")[0]
    opened = open_submission(submission, tmp_path / "place", python=None, edition=find_edition())
    write_shape(tmp_path, shape_of(opened))
    (pair,) = similar_pairs({"cleo": read_shape(tmp_path), "ours": our_agent()})
    assert pair.programs > 0.99
