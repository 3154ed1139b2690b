"""SGF files whole: what is read is written again, and what is wrong is said with its place."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlego.core.errors import FormatError
from littlego.core.game import GameRecord
from littlego.core.position import Position
from littlego.formats.sgf import (
    SgfNode,
    decoded,
    escaped,
    parse_at,
    parse_collection,
    parse_sgf,
    points_value,
    unescaped,
    write_collection,
    write_sgf,
)

WHOLE = r"""A mail header (not SGF) : before.
(;GM[1]FF[4]SZ[5]KM[2.5]AB[aa][bb:cc]AW[dd]C[two \] brackets \\ and
a line]XX[private]
 ;W[de]LB[aa:1][bb:x](;B[ee]C[main](;W[ed])(;W[]))(;B[ea]N[another]))
(;SZ[7];B[dd])
"""


def test_everything_survives_a_round_trip() -> None:
    games = parse_collection(WHOLE)
    text = write_collection(games)
    assert write_collection(parse_collection(text)) == text
    first, second = parse_collection(text)
    assert first.properties["AB"] == ["aa", "bb:cc"]
    assert first.text("C") == "two ] brackets \\ and\na line"
    assert first.properties["XX"] == ["private"]
    branch = first.children[0]
    assert [child.raw("B") for child in branch.children] == ["ee", "ea"]
    assert [child.raw("W") for child in branch.children[0].children] == ["ed", ""]
    assert branch.children[1].text("N") == "another"
    assert second.raw("SZ") == "7"
    assert [node.raw("W") for node in first.main_line()] == [None, "de", None, "ed"]
    assert len(list(first.nodes())) == 6


VALUES = st.lists(
    st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=12), min_size=1, max_size=3
)
PROPERTIES = st.dictionaries(st.from_regex("[A-Z]{1,3}", fullmatch=True), VALUES, max_size=3)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> SgfNode:
    node = SgfNode({name: [escaped(value) for value in values] for name, values in draw(PROPERTIES).items()})
    if depth:
        node.children = draw(st.lists(trees(depth - 1), max_size=2))
    return node


def flat(node: SgfNode) -> object:
    return node.properties, [flat(child) for child in node.children]


@settings(max_examples=25)
@given(st.lists(trees(), min_size=1, max_size=2))
def test_the_reader_undoes_the_writer(games: list[SgfNode]) -> None:
    again = parse_collection(write_collection(games))
    assert [flat(game) for game in again] == [flat(game) for game in games]


@given(st.text())
def test_text_survives_escaping(text: str) -> None:
    assert unescaped(escaped(text)) == text


@given(st.text(st.sampled_from("();[]\\ABWCS Zab1\n")))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        games = parse_collection(text)
    except FormatError:
        return
    assert write_collection(parse_collection(write_collection(games))) == write_collection(games)


def test_deep_and_long_games_are_read() -> None:
    long = "(;SZ[19]" + ";B[aa];AE[aa]" * 5000 + ")"
    assert len(list(parse_collection(long)[0].main_line())) == 10001
    deep = "(;" * 5000 + ")" * 5000
    assert write_collection(parse_collection(deep)).count(";") == 5000
    with pytest.raises(FormatError, match="more than 10000 deep"):
        parse_collection("(;" * 20000)


@pytest.mark.parametrize("part", ["x", r"\]"])
def test_a_long_comment_costs_little_memory(part: str) -> None:
    """A stranger's file of 20 MB once took 2.7 GB."""
    text = f"(;SZ[5]C[{part * 300_000}];B[aa])"
    tracemalloc.start()
    try:
        (game,) = parse_collection(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(game.properties["C"][0]) == len(part) * 300_000
    assert most < 20 * len(text)


def test_older_names_are_read_by_their_capitals() -> None:
    (root,) = parse_collection("(;SiZe[5];Black[cc])")
    assert (root.raw("SZ"), root.children[0].raw("B")) == ("5", "cc")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "no game found"),
        ("(;SZ[5]\n;B[cc]", "line 2, column 7: the game that begins on line 1 does not end"),
        ("(;SZ[5]\n;B[cc)", "line 2, column 3: a value of B does not end"),
        ("(;SZ)", "line 1, column 5: expected '\\[' and a value after SZ"),
        ("(;SZ[5]\n  7)", "line 2, column 3: expected ';', '\\(' or '\\)', got '7'"),
        ("(;SZ[5](B[cc]))", "line 1, column 9: expected ';' after '\\('"),
    ],
)
def test_what_is_not_sgf_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        parse_collection(text)


def test_encodings() -> None:
    assert "碁" in decoded("(;CA[Shift_JIS]C[碁])".encode("shift_jis"))
    assert "é" in decoded("(;C[é])".encode())
    assert "é" in decoded("(;C[é])".encode("latin-1"))
    with pytest.raises(FormatError, match="unknown encoding 'Klingon'"):
        decoded(b"(;CA[Klingon])")
    with pytest.raises(FormatError, match="not in the encoding it names"):
        decoded(b"(;CA[UTF-8]C[\xff])")


def test_our_own_games_are_as_they_should_be() -> None:
    record = GameRecord("a", "b", Position.initial(), (12, 13, 7, 8))
    text = write_sgf(record)
    assert parse_sgf(write_collection(parse_collection(text))).moves == record.moves


def test_points() -> None:
    assert points_value([0, 7, 24], 5) == ["aa", "cb", "ee"]
    assert [parse_at(value, 5) for value in ("aa", "cb", "ee")] == [0, 7, 24]
