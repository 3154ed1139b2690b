"""Reviews in SGF files."""

from __future__ import annotations

from littlego.formats.sgf import parse_collection, record_of, write_collection
from littlego.review.pages import annotate
from littlego.review.verdicts import GameReview
from littlego.solve.oracle import Oracle

GAME = """(;SZ[3]KM[0.5]RU[Little-Go custom moves=8 ko=simple ending=two_passes attempts=1]PB[a]PW[b]
;B[aa]C[hello]TR[cc];W[bb](;B[];W[])(;B[cc]C[a variation]))"""


def reviewed(text: str, oracle: Oracle) -> str:
    games = parse_collection(text)
    for root in games:
        review = GameReview(record_of(root, source="test"), oracle)
        assert review.work()
        annotate(root, review)
    return write_collection(games)


def test_verdicts_become_comments_and_marks(oracle: Oracle) -> None:
    text = reviewed(GAME, oracle)
    root = parse_collection(text)[0]
    first, second, *_ = list(root.main_line())[1:]
    assert first.text("C") == "hello\nLittle-Go: the losing move: B3, A2, B2, C2 or B1 would have won"
    assert first.properties["BM"] == ["1"]
    assert first.properties["TR"] == ["cc"], "marks of others stay"
    assert first.properties["GW"] == ["1"]
    bare = parse_collection(reviewed(GAME.replace("TR[cc]", ""), oracle))[0].children[0]
    assert bare.properties["TR"] == ["ba", "ab", "bb", "cb", "bc"]
    assert (second.text("C") or "").startswith("Little-Go: ")
    assert second.children[1].text("C") == "a variation"
    assert "BM" not in second.children[1].properties


def test_a_second_review_replaces_the_first(oracle: Oracle) -> None:
    once = reviewed(GAME, oracle)
    assert reviewed(once, oracle) == once


def test_only_marks_of_a_review_are_removed(oracle: Oracle) -> None:
    """A file from elsewhere may say that the move itself was our mark."""
    root = parse_collection(reviewed(GAME.replace("C[hello]", "C[hello]XLG[B][BM]BM[2]"), oracle))[0]
    first = root.children[0]
    assert (first.properties["B"], first.properties["BM"]) == (["aa"], ["1"])
