"""From the first stone to the card at the end, puzzles, and the analysis board, against plain minimax."""

from __future__ import annotations

import datetime
import re
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs

from playwright.sync_api import Browser, expect

from littlego.core.board import BLACK
from littlego.core.game import GameRecord
from littlego.core.points import PASS, parse_move
from littlego.core.position import Position
from littlego.core.rules import Rules
from littlego.players.catalogue import course_strengths
from littlego.solve.oracle import Oracle
from page_data import shipped_deck
from tests.apps.web.pages.browser import MARKS, PHONE, Visit, game_text, visiting
from tests.solve.twins import minimax
from tests.truth.reference import a_game, expected_moves

pytestmark = MARKS

RULES = Rules(size=3, komi=1.5, max_moves=5)
HALVES = re.compile(r"([+−]?)(\d*)(½?)")

NUMBERS = """() => Object.fromEntries([...document.querySelectorAll(".marks [data-move]")].map((mark) =>
  [mark.dataset.move, [mark.dataset.sign, mark.querySelector("text")?.textContent ?? ""]]))"""
KINDS = """() => [...document.querySelectorAll(".squares")].map((row) =>
  [...row.children].map((square) => square.className.split(" ")[1]))"""


KNOWN: dict[Position, int] = {}


def black_margin(position: Position) -> int:
    """Black's stones minus White's in the end, by trying everything."""
    mine = minimax(position, KNOWN)
    return mine if position.to_move is BLACK else -mine


def lead(text: str) -> float:
    """`−1½` as -1.5."""
    found = HALVES.fullmatch(text)
    assert found is not None, text
    size = float(found[2] or 0) + (0.5 if found[3] else 0)
    return -size if found[1] == "−" else size


def a_mixed_game() -> GameRecord:
    """One with a mistake, in which also stones were given away without one."""
    games = (a_game(seed, RULES) for seed in range(200))
    return next(game for game in games if {"perfect", "slip", "loss", "fine"} <= set(kinds(game)))


def kinds(game: GameRecord) -> list[str]:
    """What each move was, by trying everything."""
    found = []
    for (before, after), move in zip(pairwise(game.positions()), expected_moves(game), strict=True):
        lost = black_margin(before) - black_margin(after)
        slip = lost if before.to_move is BLACK else -lost
        if move.is_mistake:
            found.append("loss")
        elif slip:
            found.append("slip")
        else:
            found.append("perfect" if move.good and len(before.legal_moves()) > 1 else "fine")
    return found


def leads(position: Position) -> dict[str, float]:
    """By move, how many points ahead the side to move is in the end, by trying everything."""
    ahead = {move: black_margin(position.play(move)) - position.rules.komi for move in position.legal_moves()}
    sign = 1 if position.to_move is BLACK else -1
    return {position.move_name(move): sign * points for move, points in ahead.items()}


def test_a_stone_on_the_first_page_begins_a_game(visit: Visit) -> None:
    visit.open("/play")
    page = visit.page
    expect(page.locator("main")).to_contain_text("This game is solved: every hint is a fact.")
    page.get_by_role("button", name="Rules").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".board")).to_have_count(3)
    dialog.get_by_role("button", name="Black takes two stones").click()
    expect(dialog.locator(".board").first.locator('.stone:not(.taken)[data-colour="white"]')).to_have_count(0)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    ratings = {player.name: player.rating for player in course_strengths().players}
    shown = page.locator(".opponents label", has_text="perfect").locator(".number")
    expect(shown).to_have_text(f"+{50 * round((ratings['perfect'] - ratings['random']) / 50):,}")
    page.get_by_label("Your name").fill("Ada")
    page.locator('#board [data-point="6"]').click()
    page.wait_for_url("**/play/*")
    expect(page.locator(".moves li")).to_have_count(2)
    state = visit.game()
    assert (state["names"]["black"], state["seats"]["white"], state["moves"][0]) == ("Ada", "greedy", "1,1")


def test_the_card_and_the_analysis_board(visit: Visit) -> None:
    """A game of two people on 3x3: its squares, its numbers, and a variation that stays in the address and the SGF."""
    record = a_mixed_game()
    page = visit.page
    game = visit.bring(record)
    visit.open(f"/play/{game}")
    page.locator(".squares").first.wait_for()
    expect(page.locator(".squares .open")).to_have_count(0)
    expect(page.get_by_text("Judging your moves")).to_have_count(0)
    true = kinds(record)
    assert page.evaluate(KINDS) == [true[::2], true[1::2]]
    for side, row in zip((true[::2], true[1::2]), page.locator(".result .between b").all(), strict=True):
        counted = len(side) - side.count("fine")
        expect(row).to_have_text(re.compile(f"^{side.count('perfect')} of {counted} perfect|^nothing could be lost$"))
    check_numbers(visit, record, game)
    swap(visit, game)


def check_numbers(visit: Visit, record: GameRecord, game: str) -> None:
    page = visit.page
    ply = 2
    position = list(record.positions())[ply]
    visit.open(f"/review/{game}&at={ply}")
    page.get_by_role("button", name="Values").click()
    check_position(visit, position)
    other = next(move for move in position.legal_moves() if move not in (record.moves[ply], position.legal_moves()[-1]))
    assert isinstance(other, int)
    visit.point(*divmod(other, 3), 3)
    page.wait_for_url(f"**&at={ply}&line={game_text([position.move_name(other)])}")
    check_position(visit, position.play(other))
    expect(page.locator(".says")).to_contain_text(f"A variation after move {ply}: {position.move_name(other)}.")
    with page.expect_download() as saved:
        page.get_by_role("button", name="SGF").click()
    assert saved.value.path().read_text().count("(;") == 3, "the game and both branches"
    page.reload()
    check_position(visit, position.play(other))
    page.get_by_role("button", name=f"as {position.to_move}").click()
    page.wait_for_url("**/play/*")
    branch = visit.game()
    assert branch["moves"][: ply + 1] == [*map(position.move_name, record.moves[:ply]), position.move_name(other)]
    assert branch["seats"][position.to_move.name.lower()] == "human"


def check_position(visit: Visit, position: Position) -> None:
    """Every legal point has its number, and its colour agrees with it."""
    true = leads(position)
    points = [name for name in true if name != "PASS"]
    expect(visit.page.locator(".marks text.lead")).to_have_count(len(points))
    shown: dict[str, Any] = visit.page.evaluate(NUMBERS)
    assert {move: lead(text) for move, (_, text) in shown.items()} == {move: true[move] for move in points}
    assert {move: sign for move, (sign, _) in shown.items()} == {
        move: "won" if true[move] > 0 else "lost" for move in points
    }
    expect(visit.page.get_by_role("button", name=re.compile("^Pass"))).to_have_text(re.compile(r"^Pass [+−]"))
    best = [move for move, points in true.items() if points > 0]
    assert visit.page.locator(".only-ring").count() == (len(best) == 1 and best[0] != "PASS")


def swap(visit: Visit, game: str) -> None:
    visit.open(f"/play/{game}")
    visit.page.get_by_role("button", name="Swap colours").click()
    visit.page.wait_for_url("**/play/-*")
    before, after = parse_qs(game.partition("?")[2]), visit.game()["names"]
    assert [before["bn"], before["wn"]] == [[after["white"]], [after["black"]]]


def test_the_puzzles_begin_with_the_position_of_today(visit: Visit) -> None:
    visit.open("/drills")
    page = visit.page
    board = page.get_by_role("link", name="Today's position")
    board.wait_for()
    stones = board.locator(".stone:not(.taken)").count()
    board.click()
    page.wait_for_url("**/drills/today")
    expect(page.locator(".board .stone:not(.taken)")).to_have_count(stones)
    assert stones > 4


def test_the_puzzle_of_the_day_with_one_thumb(browser: Browser, address: str) -> None:
    with visiting(browser, address, **PHONE) as visit:
        page = visit.page
        visit.open("/play")
        page.get_by_role("link", name="A puzzle").tap()
        page.wait_for_url("**/drills/today")
        day = datetime.datetime.now(datetime.UTC).date().toordinal()
        puzzle = shipped_deck().drills[day * 37 % 50]  # each has its day before one comes back
        (answer,) = puzzle.accepted
        expect(page.locator(".says")).to_contain_text("to move and win.")
        expect(page.locator(".says").get_by_role("button")).to_have_count(0)
        page.locator(".board .stone").first.tap(force=True)
        visit.says("the point is occupied.")
        wrong = next(move for move in puzzle.position.legal_moves() if move not in (answer, PASS))
        page.locator(f'.board [data-point="{wrong}"]').tap()
        expect(page.locator("#toasts .error")).to_have_count(0)
        expect(page.locator(".says")).to_contain_text("That gives the win away. Try once more.")
        expect(page.locator('.marks [data-sign="won"]')).to_have_count(0)
        page.reload()  # which makes nothing unplayed
        expect(page.locator(".says")).to_contain_text("Try once more.")
        page.locator(f'.board [data-point="{answer}"]').tap()
        play_on(visit, puzzle.position)
        expect(page.locator(".says")).to_contain_text("It took a second try.")
        played = page.evaluate(PLAYED)
        assert played["tries"] == [False, *[True] * (1 + len(played["line"]) // 2)]
        expect(page.locator("main")).to_contain_text("1 day in a row.")
        box = page.get_by_role("button", name="Next").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 844, "the next one is under the thumb"
        page.get_by_role("button", name="Next").tap()
        page.wait_for_url("**/drills/fifty")
        expect(page.locator("main")).to_contain_text("0 of 50 solved, 1 tried")
        page.go_back()
        expect(page.locator(".says")).to_contain_text("Right.")


def play_on(visit: Visit, start: Position) -> None:
    """Find every move that the puzzle still asks for."""
    page, seen = visit.page, 0
    while True:
        page.wait_for_function(ANSWERED, arg=seen)
        played = page.evaluate(PLAYED)
        if played["end"]:
            return
        seen = len(played["line"])
        position = start
        for move in played["line"]:
            position = position.play(parse_move(move, 5))
        with Oracle() as oracle:
            found = oracle.winning_move(position)
        assert found is not None
        expect(page.locator(".says")).to_contain_text("Keep the win")
        page.locator(f'.board [data-point="{found}"]').tap()


PLAYED = "JSON.parse(localStorage.played).at(-1)[1]"
ANSWERED = f"""(seen) => {{
  const {{ line, end }} = {PLAYED};
  return end || (line.length > seen && line.length % 2 === 0);
}}"""


def test_my_games_are_found(visit: Visit) -> None:
    page = visit.page
    games = [f"aabb?w=random&n=3&bn=Quirin&wn=Ruth&s={seed}" for seed in (1, 2)]
    for k, game in enumerate(games, 1):
        visit.open(f"/play/{game}")
        expect(page.locator(".moves li")).to_have_count(2)
        visit.wait_until_kept(k)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".says")).to_contain_text("You lost")
    visit.wait_until_kept(2, ended=1)
    visit.open("/review")
    page.get_by_label("Player").fill("quir")
    expect(page.locator(".games a")).to_have_count(2)
    page.get_by_label("Result").select_option("lost")
    expect(page.locator(".games a")).to_have_count(1)
    expect(page.locator(".games a")).to_have_attribute("href", re.compile(r"^#/review/aabb\?.*&s=2&end="))
    page.reload()
    expect(page.locator(".games a")).to_have_count(1)
    page.get_by_text("My results by opponent").click()
    row = page.locator("tr", has=page.get_by_role("cell", name="Ruth"))
    expect(row.get_by_role("cell")).to_have_text(["Ruth", "0", "1", "0", "0%"])


def test_what_is_watched_survives_a_reload(visit: Visit) -> None:
    """The players and the seed are in the address: the same games are played again."""
    visit.open("/watch")
    page = visit.page
    expect(page.locator(".grid .board")).to_have_count(4)  # games begin at once
    page.get_by_text("Players", exact=True).click()
    for name, value in (("black", "random"), ("white", "greedy"), ("pace", "0")):
        page.locator(f"[name={name}]").select_option(value)
    page.get_by_label("Games").fill("2")
    page.get_by_role("button", name="Start").click()
    reviews = page.locator(".grid").get_by_role("link", name="Review")
    expect(reviews).to_have_count(2)
    tally = page.locator("main [role=status]")
    expect(tally).to_have_text(re.compile(r"^\w+ \d : \w+ \d$"))
    before = [link.get_attribute("href") for link in reviews.all()]
    page.reload()
    expect(reviews).to_have_count(2)
    assert [link.get_attribute("href") for link in reviews.all()] == before
