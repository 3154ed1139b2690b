"""The arena for a class: the wall, gradings side by side, and how a person's play changes from week to week."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from playwright.sync_api import Browser, FilePayload, expect

from littlego.apps.web.cohort import Student, read_students, write_sheet
from littlego.course.edition import shipped_edition
from littlego.course.grading.cohort.report import ClassReport, write_class_report
from littlego.course.grading.cohort.rows import Row, SubmissionStatus
from littlego.course.grading.cohort.run import ClassTerms
from tests.apps.web.pages.browser import MARKS, Visit, profile, running_server, visit_in
from tests.apps.web.serving import SHORT, until
from tests.apps.web.test_agents import GOOD_AGENT

pytestmark = MARKS

PLAYERS = ["random", "greedy", "aggressive", "smart"]
ROWS = """() => [...document.querySelectorAll(".wall-standings li")].map((row) =>
  [".name", ".movement", ".number:last-child"].map((part) => row.querySelector(part).textContent))"""


def finished(visit: Visit, job: str) -> Any:
    """A job once it has ended."""
    return until(lambda: visit.ask(f"/api/jobs/{job}"), lambda found: found["state"] not in ("waiting", "running"))


def order(games: list[Any]) -> list[str]:
    """Players by the share of games won, those who joined first before others; counted here."""
    won = dict.fromkeys(PLAYERS, 0)
    played = dict.fromkeys(PLAYERS, 0)
    for game in games:
        won[game[game["winner"]]] += 1
        for side in ("black", "white"):
            played[game[side]] += 1
    return sorted(PLAYERS, key=lambda name: (-won[name] / max(1, played[name]), -played[name], PLAYERS.index(name)))


def test_the_wall_follows_the_tournament_by_itself(visit: Visit) -> None:
    visit.open("/arena/wall")
    contest = visit.ask("/api/tournaments", {"players": PLAYERS, "games": 2, "size": 3, "name": "Our class"})["id"]
    job = visit.ask(f"/api/tournaments/{contest}/run", {})["id"]
    page = visit.page
    expect(page.get_by_role("heading", name="Our class")).to_be_visible()
    assert finished(visit, job)["state"] == "done"
    expect(page.locator(".wall")).to_contain_text("12 of 12 games")
    games = visit.ask(f"/api/tournaments/{contest}/games?most=100")[::-1]
    now, before = order(games), order(games[:-4])  # the last tenth, but at least a game for each player
    risen = [before.index(name) - place for place, name in enumerate(now)]
    arrows = ["" if not by else f"{'▲' if by > 0 else '▼'}{abs(by)}" for by in risen]
    won = {name: sum(game[game["winner"]] == name for game in games) for name in PLAYERS}
    assert page.evaluate(ROWS) == [[name, arrows[k], f"{won[name]}/6"] for k, name in enumerate(now)]
    expect(page.locator(".grid .board")).to_have_count(6)
    ended = page.locator(".grid article", has_text="wins").first
    expect(ended).to_be_visible()
    winner = "black" if (ended.locator("p").text_content() or "").count("Black wins") else "white"
    expect(ended.locator(".value-bar")).to_have_attribute("data-value", winner)
    expect(page.locator(".podium .name")).to_have_text(now[:3])
    expect(page.locator(".podium .step").first).to_contain_text(f"{won[now[0]]} of 6 games won")


def test_two_gradings_side_by_side(visit: Visit) -> None:
    """An agent that is broken by a change: the grade begins with the reason, and its games with the ones before."""
    agent = visit.upload(GOOD_AGENT, "changed")
    first = finished(visit, visit.ask(f"/api/agents/{agent}/grade", SHORT)["id"])
    assert visit.upload("answer = {}['best']\n", "changed") == agent
    finished(visit, visit.ask(f"/api/agents/{agent}/grade", SHORT)["id"])
    visit.open(f"/arena/agent/{agent}")
    page = visit.page
    expect(page.get_by_text("The agent ran with Python")).not_to_contain_text("/")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("button", name="Compare")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(page.locator(".reason")).to_have_text("2 of 2 games forfeited: KeyError: 'best' in my_player3.py, line 1")
    page.get_by_role("button", name="Compare").click()
    compared = page.get_by_role("region", name="Comparison")
    wins = first["result"]["repeats"][0]["batches"][0]["opponents"][0]["wins"]
    expect(compared.locator("td").nth(1)).to_have_text(f"{wins}/2")
    expect(compared.locator("td").nth(2)).to_have_text("0/2")
    expect(compared.locator("li.square")).to_have_count(2)
    expect(compared.locator("li.square.dropped")).to_have_count(wins)
    expect(compared.get_by_role("link", name="Review")).to_have_count(wins)


def test_versions_are_compared_by_themselves(visit: Visit) -> None:
    """A student uploads, sees why it lost and what the program read, mends it, and sees what that changed."""
    visit.open("/arena")
    page = visit.page
    page.get_by_label("Name", exact=True).last.fill("mended")
    files = page.locator("main input[type=file]")
    broken = f"{GOOD_AGENT}\nanswer = {{}}['best']\n"
    files.set_input_files(FilePayload(name="my_player3.py", mimeType="text/x-python", buffer=broken.encode()))
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/arena/agent/*")
    expect(page.locator("main")).to_contain_text("Version 1, uploaded")
    agent = page.url.rsplit("/", 1)[-1]
    job = finished(visit, visit.ask(f"/api/agents/{agent}/grade", SHORT)["id"])
    page.reload()
    page.get_by_text("Games not won").click()
    href = page.get_by_role("link", name="input.txt").first.get_attribute("href")
    text = unquote((href or "").removeprefix("data:text/plain,"))
    assert len(text.splitlines()) == 1 + 3 + 3, "the colour, the board before and the board now, on 3x3"
    page.get_by_label("New version").set_input_files(
        FilePayload(name="my_player3.py", mimeType="text/x-python", buffer=GOOD_AGENT.encode())
    )
    page.get_by_role("button", name="Upload").click()
    expect(page.locator("main")).to_contain_text("Version 2, uploaded")
    page.get_by_label("Edition").select_option("tiny")
    page.get_by_label("Stage").select_option("exam")
    page.get_by_role("button", name="Grade", exact=True).click()
    compared = page.get_by_role("region", name="Comparison")
    expect(compared).to_be_visible()
    later = visit.ask(f"/api/agents/{agent}/gradings")[0]
    assert (later["version"], later["state"]) == (2, "done")
    wins = round(visit.ask(f"/api/jobs/{later['job']}")["result"]["repeats"][0]["batches"][0]["opponents"][0]["wins"])
    expect(compared.get_by_role("heading")).to_contain_text(
        f"Version 1: {job['result']['points']:g} points. Version 2: "
    )
    expect(compared.locator("li.square.gained")).to_have_count(wins)
    rows = page.locator("table", has=page.get_by_role("columnheader", name="version")).get_by_role("row")
    expect(rows.nth(1).get_by_role("cell").first).to_have_text("v2")
    expect(rows.nth(2).get_by_role("cell").first).to_have_text("v1")
    page.get_by_label("New version").set_input_files(
        FilePayload(name="my_player3.py", mimeType="text/x-python", buffer=GOOD_AGENT.encode())
    )
    page.get_by_role("button", name="Upload").click()
    visit.says("These are the files of version 2.")


def test_a_starter_kit_is_an_agent_by_one_click(browser: Browser, tmp_path: Path) -> None:
    with (
        running_server(tmp_path / "served") as address,
        profile(browser, address) as someone,
        visit_in(someone, address) as visit,
    ):
        visit.open("/arena")
        visit.page.get_by_role("button", name="Use Python").click()
        visit.page.wait_for_url("**/arena/agent/*")
        expect(visit.page.locator("h1")).to_have_text("my-agent")


CUT = """() => [...document.querySelectorAll(".wide")].filter((each) => each.scrollWidth > each.clientWidth)
  .map((each) => each.ariaLabel)"""


def test_no_column_of_a_class_is_cut_off_and_no_token_is_broken(browser: Browser, tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"opponent": name, "points": points, "wins": 18, "games": 20}
        for name, points in (("random", 25), ("greedy", 12.75), ("aggressive", 14), ("alphabeta", 2.75))
    ]
    rows = tuple(
        Row(
            name, f"s{late}", SubmissionStatus.GRADED, "", 53.75, 90, lines, 72, 80, 4, 1234, slowest_seconds=13.21,
            late_days=late, earned=60, page="report.html",
        )
        for late, name in enumerate(("Lovelace, Ada", "student_m_LATE_48213_99812_hw2", "Zoë Müller-Lüdenscheidt"))
    )  # fmt: skip
    write_class_report(ClassReport("class", ClassTerms(shipped_edition("2024")), rows), tmp_path)
    students = [Student(name, name, "wt4g-ag36-z59u-qp92", name, "Patient comet 591") for name in "ab"]
    sheet = write_sheet(tmp_path, students, "http://192.0.2.222:8471/")
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto((tmp_path / "class.html").as_uri())
    assert page.evaluate(CUT) == []
    page.goto(sheet.as_uri())
    page.set_viewport_size({"width": 720, "height": 900})  # as wide as paper
    heights = page.evaluate("[...document.querySelectorAll('code')].map((each) => each.getClientRects().length)")
    assert heights == [1, 1], "a token is on one line"
    page.set_viewport_size({"width": 390, "height": 800})
    for file in (tmp_path / "class.html", sheet):
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.close()


def test_a_student_hands_in_and_sees_the_receipt(browser: Browser, tmp_path: Path) -> None:
    data, roster = tmp_path / "data", tmp_path / "roster.csv"
    roster.write_text("name\nAda\n")
    due = (datetime.now() + timedelta(hours=30)).isoformat(" ", "minutes")
    with running_server(data, "--host", "127.0.0.1", "--class", str(roster), "--due", due) as address:
        token = read_students(data)[0].token
        with profile(browser, address) as student:
            student.clear_cookies()
            student.request.post(f"{address}/api/enter", data={"token": token})
            put = student.request.put(
                f"{address}/api/agents?name=mine&file=my_player3.py",
                data=GOOD_AGENT.encode(),
                headers={"content-type": "application/octet-stream", "origin": address},
            )
            with visit_in(student, address) as visit:
                visit.open(f"/arena/agent/{put.json()['id']}")
                visit.page.get_by_role("button", name="Hand in this one").click()
                receipt = visit.page.get_by_text("Handed in ")
                expect(receipt).to_contain_text("mine, version 1. Receipt ")
                kept = student.request.get(f"{address}/api/homework").json()["receipt"]
                expect(receipt).to_contain_text(kept["id"])
                expect(receipt).to_contain_text(kept["digest"][:12])
                visit.open("/arena")
                expect(visit.page.get_by_text("You handed in mine, version 1.")).to_be_visible()
    assert (data / "handed-in" / "ada" / "my_player3.py").read_text() == GOOD_AGENT


def test_what_visitors_and_students_of_a_class_are_offered(browser: Browser, tmp_path: Path) -> None:
    """A visitor with a link sees the game, and is not asked to sign in; nobody is offered what is refused."""
    data = tmp_path / "data"
    roster = tmp_path / "roster.csv"
    roster.write_text("name\nAda\n")
    with running_server(data, "--host", "127.0.0.1", "--class", str(roster)) as address:
        token = read_students(data)[0].token
        with profile(browser, address) as student:
            student.clear_cookies()
            student.request.post(f"{address}/api/enter", data={"token": token})
            student.grant_permissions(["clipboard-read", "clipboard-write"])
            with visit_in(student, address) as visit:
                visit.open("/review/----?n=2")
                visit.page.get_by_role("button", name="Copy link").click()
                visit.says("Link copied")
                student.clear_cookies()
                visit.open("/play/----?n=2")
                expect(visit.page.locator("#main").get_by_role("link", name="Review")).to_be_visible()
                visit.page.wait_for_load_state("networkidle")
                assert visit.page.get_by_role("dialog").count() == 0
