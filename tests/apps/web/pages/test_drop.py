"""An agent on the static page: checked, played and graded in a real browser, with nothing but files to ask."""

from __future__ import annotations

import functools
import io
import json
import random
import re
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

import static_site
from littlego.apps.web.site import WORKER
from littlego.arena.games import capsule_path
from littlego.course.edition import find_edition
from littlego.course.starter import kit_files
from littlego.formats.records import record_from_dict
from littlego.review.verdicts import review_game
from tests.apps.web.pages.browser import MARKS, PATIENCE, PHONE, game_text, visit_in
from tests.apps.web.pages.test_ways import AXE, barriers
from tests.command import in_this_process

ROOT = Path(__file__).parents[4]
PYODIDE = ROOT / "node_modules" / "pyodide"
pytestmark = [
    *MARKS,
    pytest.mark.skipif(not PYODIDE.exists(), reason="no Pyodide (make node_modules)"),
]

KIT = kit_files("2025")[Path("my_player3.py")].read_text(encoding="utf-8")
PREFIX = "course/pages"
HURRIED = "hurried"
"""A site whose 2022 allows two seconds a move, and whose 2019 has two opponents: what takes long is quicker there."""


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a plain host of files, which has the site under two prefixes, and without Python under another."""
    host = tmp_path_factory.mktemp("host")
    for name in (PREFIX, HURRIED, "bare"):
        (host / name).mkdir(parents=True)
        static_site.write(host / name, None if name == "bare" else PYODIDE)
    hurry(host / HURRIED / static_site.FOLDER)
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=host)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


def hurry(folder: Path) -> None:
    with zipfile.ZipFile(folder / static_site.COURSE) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    entries["littlego/course/editions/2022.toml"] += b"[time]\ncpu_seconds = 2\n"
    entries["littlego/course/editions/2019.toml"] = edition_text("2019").encode()
    content = archive(*entries.items())
    (folder / static_site.COURSE).write_bytes(content)
    listed = json.loads((folder / static_site.LISTED).read_text(encoding="utf-8"))
    listed["version"], listed["files"][static_site.COURSE] = "hurried", len(content)
    (folder / static_site.LISTED).write_text(json.dumps(listed), encoding="utf-8")
    worker = folder.parent / WORKER
    text = worker.read_text(encoding="utf-8")
    worker.write_text(re.sub(r'(VERSION, FILES, LATER\] = \[")\w+', r"\1hurried", text), encoding="utf-8")


def edition_text(name: str) -> str:
    """An edition's file; 2019's with its first two opponents alone."""
    text = (ROOT / "src/littlego/course/editions" / f"{name}.toml").read_text(encoding="utf-8")
    parts = text.split("[[stages.opponents]]")
    return "[[stages.opponents]]".join(parts[:3]) if name == "2019" else text


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture(scope="module")
def opened(context: BrowserContext, served: str) -> Iterator[Page]:
    """The page, on which Python is loaded once for all tests. It must ask nobody but the host."""
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{served}/{PREFIX}/#/drop")
    yield page
    assert {url for url in asked if not url.startswith((f"{served}/{PREFIX}/", "blob:"))} == set()
    assert asked


@pytest.fixture(scope="module")
def hurried(context: BrowserContext, served: str) -> Page:
    page = context.new_page()
    page.goto(f"{served}/{HURRIED}/#/drop")
    return page


@pytest.fixture
def page(opened: Page) -> Page:
    opened.bring_to_front()
    expect(opened.get_by_role("heading", name="Drop your agent")).to_be_visible()
    return opened


def press(page: Page, name: str) -> str:
    """Press a button that starts a job; what is said at its end."""
    page.get_by_role("button", name=name).click()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    return page.locator("#says").inner_text()


def choose(page: Page, *files: tuple[str, bytes | str]) -> None:
    remove(page)
    given: list[Any] = [
        {"name": name, "mimeType": "", "buffer": content.encode() if isinstance(content, str) else content}
        for name, content in files
    ]
    page.locator("#choose-files").set_input_files(given)
    expect(page.locator("#files")).to_contain_text(files[0][0])


def remove(page: Page) -> None:
    if page.locator("#files").count():
        page.get_by_role("button", name="Remove").click()
    expect(page.locator("#files")).to_have_count(0)


def archive(*entries: tuple[str, bytes | str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            file.writestr(name, content)
    return stream.getvalue()


def section(page: Page, name: str) -> Any:
    return page.locator(f"section[aria-label='{name}']")


def chapter() -> str:
    """The tutorial's first chapter."""
    text = (ROOT / "docs" / "tutorial-student.md").read_text(encoding="utf-8")
    return text.split("\n## ")[1]


def test_the_first_chapter_leads_from_the_empty_page_to_the_grade(page: Page) -> None:
    """Every button that it names, in its order, and the function that it gives."""
    (code,) = re.findall(r"```py\n(.*?)```", chapter(), re.S)
    pressed = re.findall(r"\*\*(.+?)\*\*", chapter())
    assert pressed == ["Start from the kit", "Check", "Build: one game", "Submit: grade it", "Save as .zip"]
    page.get_by_role("button", name=pressed[0]).click()
    editor = page.get_by_role("textbox", name="Editor: my_player3.py")
    assert editor.input_value() == KIT
    before, found, after = KIT.partition("def choose(")
    assert found
    edited = before + code + after[after.index("\n\nif __name__") :]
    editor.fill(edited)
    assert press(page, pressed[1]) == "Done."
    check = section(page, "Check")
    expect(check).to_contain_text("Nothing failed.")
    assert check.locator("li").count() > 8
    assert press(page, pressed[2]) == "Done."
    game = section(page, "One game")
    expect(game).to_contain_text(re.compile("(Black|White) wins by"))
    game.get_by_role("slider", name="Move").press("ArrowLeft")  # the end itself has no value
    expect(game.locator("#value")).to_contain_text("with best play")
    assert press(page, pressed[3]) == "Done."
    expect(section(page, "Grade")).to_contain_text(re.compile(r"\d of 75 points"))
    with page.expect_download() as download:
        page.get_by_role("button", name=pressed[4]).click()
    with zipfile.ZipFile(download.value.path()) as saved:
        assert saved.testzip() is None
        assert saved.read("my_player3.py").decode() == edited
        assert "host.py" in saved.namelist()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the report").click()
    assert "points" in download.value.path().read_text(encoding="utf-8")


CRASHES = KIT.replace("row, column, _, _ = max", "assert sum(map(sum, board)) < 12\n    row, column, _, _ = max")
CLASS = "my_player.py"


def agents() -> dict[str, tuple[str, str, str]]:
    """By name: the edition, the file and its text."""
    return {
        "kit": ("2025", "my_player3.py", KIT),
        "crashes": ("2025", "my_player3.py", CRASHES),
        "class": ("2019", CLASS, kit_files("2019")[Path(CLASS)].read_text(encoding="utf-8")),
    }


@pytest.mark.parametrize("name", ["kit", "crashes", "class"])
def test_the_command_gives_the_same_points_and_verdicts(page: Page, hurried: Page, name: str, tmp_path: Path) -> None:
    edition, file, text = agents()[name]
    if name == "class":
        page = hurried
        page.bring_to_front()
    stage = next(batch.key for batch in find_edition(edition).scheme.batches if batch.key in ("submit1", "1"))
    source = edition_text(edition).replace(f'name = "{edition}"', 'name = "two"', 1)
    (tmp_path / "two.toml").write_text(re.sub(r"\bgames = \d+", "games = 2", source), encoding="utf-8")
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / file).write_text(text, encoding="utf-8")
    agent = f"class:agent/{file}" if edition == "2019" else "./agent"
    options = ["--edition", "two.toml", "--stage", stage, "--repeats", "1", "--out", "games", "--json"]
    done = in_this_process("grade", agent, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)

    choose(page, (file, text))
    page.get_by_label("Edition").select_option(edition)
    page.locator("#stage").select_option(stage)
    page.locator("#games option").first.evaluate("option => (option.value = 2)")
    page.locator("#games").evaluate("games => (games.selectedIndex = 0)")
    assert press(page, "Submit") == "Done."
    grade = section(page, "Grade")
    (batch,) = report["repeats"][0]["batches"]
    rows = [
        [row["opponent"], f"{row['wins']}/{row['games']}", str(row["distinct_games"]), row["rubric_line"]]
        for row in batch["opponents"]
    ]
    shown = [[row.locator("td").all_inner_texts()[k] for k in (0, 1, 3, 5)] for row in grade.locator("tbody tr").all()]
    assert shown == rows
    said = grade.locator(".end").inner_text()
    assert said == f"{report['points']:g} of {report['max_points']:g} points"
    lost = [(row["opponent"], game) for row in batch["opponents"] for game in row["lost"]]
    assert (name == "crashes") == any(game["verdict"] == "crash" for _, game in lost)
    for opponent, game in lost:
        link = grade.get_by_role(
            "link", name=f"{opponent}, you {game['colour']}, game {game['game']}", include_hidden=True
        )
        address = game_text(game["record"]["moves"])
        assert re.fullmatch(rf"#/review/{address}[?].*", link.get_attribute("href"))
        assert ("end=" in link.get_attribute("href")) == (game["verdict"] != "score")
    won = sum(row["wins"] for row in batch["opponents"])
    assert grade.locator("details", has_text="Games won").locator("a").count() == won
    inputs = grade.get_by_role("link", name="input.txt", include_hidden=True).all()
    read = [unquote(link.get_attribute("href") or "").partition(",")[2] for link in inputs]
    crashes = [game for _, game in lost if game["verdict"] == "crash"]
    capsules = [capsule_path(tmp_path / "games", game["game"]) for game in crashes[:1]]
    assert read == [json.loads(path.read_text(encoding="utf-8"))["input"] for path in capsules]
    if name == "kit":
        check_review(page, grade, *lost[-1])
    page.get_by_label("Edition").select_option("2025")


def check_review(page: Page, grade: Locator, opponent: str, game: dict[str, Any]) -> None:
    """A lost game opens in review, where the move that lost it is named; the grade is still there afterwards."""
    losing = review_game(record_from_dict(game["record"], source="the report")).losing_move
    assert losing is not None
    before = grade.inner_text()
    grade.locator("summary", has_text="Games not won").click()
    grade.get_by_role("link", name=f"{opponent}, you {game['colour']}, game {game['game']}").click()
    expect(page.locator(".verdicts li")).to_have_count(len(game["record"]["moves"]))
    row = page.locator(".verdicts li", has_text="the losing move")
    expect(row.locator(".number")).to_have_text(str(losing.number))
    page.go_back()
    expect(grade).to_be_visible()
    grade.locator("summary", has_text="Games not won").click()
    assert grade.inner_text() == before


COUNTS = """import os
import helper
assert not helper.seen
helper.seen.append(1)
moves = open("moves.txt").read() if os.path.exists("moves.txt") else ""
open("moves.txt", "w").write(moves + "x")
assert len(moves) < 12
"""


def test_modules_are_new_at_every_move_and_files_stay(page: Page, tmp_path: Path) -> None:
    """From a folder, as from a single file that is dropped."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "my_player3.py").write_text(COUNTS + KIT)
    (tmp_path / "mine" / "helper.py").write_text("seen = []\n")
    remove(page)
    page.locator("#choose-folder").set_input_files(tmp_path / "mine")
    expect(page.locator("#files")).to_contain_text("helper.py, my_player3.py")
    assert press(page, "Build") == "Done."
    expect(section(page, "One game")).to_contain_text(re.compile("(Black|White) wins by"))
    script = """text => {
        const data = new DataTransfer();
        data.items.add(new File([text], "my_player3.py"));
        document.getElementById("drop").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
    }"""
    page.evaluate(script, COUNTS)
    expect(page.locator("#files")).not_to_contain_text("helper.py")
    assert press(page, "Build") == "Done."
    expect(section(page, "One game")).to_contain_text("No module named 'helper'")


REFUSED: dict[str, tuple[str, bytes | str, str]] = {
    "bomb": ("x.zip", archive(("my_player3.py", KIT), ("big.txt", bytes(70 << 20))), "more than 64 MiB when unpacked"),
    "names": ("x.zip", archive(("../my_player3.py", KIT)), "points outside the archive"),
    "no archive": ("x.zip", b"Hello" * 100, "cannot be unpacked"),
    "binary": ("my_player3.py", bytes(range(256)) * 20, "SyntaxError"),
    "no agent": ("notes.md", "Hello", "no agent here: expected one of my_player.py, my_player3.py"),
    "numpy": ("my_player3.py", "import numpy\n" + KIT, "needs numpy"),
    "C++": ("my_player.cpp", "int main() {}", "cannot compile C++"),
    "Java": ("my_player.java", "class my_player {}", "cannot compile Java"),
}
REFUSED_IN_PLAY: dict[str, tuple[str, str, str]] = {
    "threads": ("my_player3.py", "import threading\nthreading.Thread(target=print).start()\n", "starts a thread"),
    "programs": ("my_player3.py", "import subprocess\nsubprocess.run(['ls'])\n", "starts another program"),
    "fork": ("my_player3.py", "import os\nos.fork()\n", "starts another program"),
}
FORFEITS = {
    "throws": ("raise ValueError('on purpose')\n", "ValueError: on purpose"),
    "imports what is not there": ("import absent\n" + KIT, "No module named 'absent'"),
    "reaches for the page": ("import js\n" + KIT, "No module named 'js'"),
    "deletes its files": (
        "import os, shutil\nfor name in os.listdir('.'):\n    os.remove(name)\n"
        "shutil.rmtree('/littlego', True)\nshutil.rmtree('/dropped', True)\n",
        "without writing output.txt",
    ),
    "ends Python": ("import os\nos._exit(3)\n", "status 3"),
    "allocates": ("kept = []\nwhile True:\n    kept.append(bytearray(10**7))\n", "more than 1024 MiB of memory"),
    "loops": ("while True:\n    pass\n", "more than about 2 s of CPU time"),
    "hangs outside of Python code": ("sum(range(10**14))\n", "more than about 2 s of CPU time"),
}


def test_what_cannot_be_run_is_said_and_nothing_shown_is_lost(page: Page) -> None:
    choose(page, ("my_player3.py", "print('x' * 10**7)\n" + KIT))  # megabytes of output are no fault
    assert press(page, "Build") == "Done."
    shown = section(page, "One game").inner_text()
    for name, (file, content, words) in REFUSED.items():
        choose(page, (file, content))
        assert words in press(page, "Build"), name
        assert section(page, "One game").inner_text() == shown, name
    for name, (file, content, words) in REFUSED_IN_PLAY.items():
        choose(page, (file, content))
        assert words in press(page, "Build"), name


def test_large_archives(page: Page, tmp_path: Path) -> None:
    """One of 50 MB that holds an agent is unpacked and plays; a larger one is refused before it is read."""
    for size, words in ((50, "Done."), (70, "an agent has at most 67.1 MB")):
        with zipfile.ZipFile(tmp_path / f"{size}.zip", "w") as file:
            file.writestr("mine/my_player3.py", KIT)
            file.writestr("mine/values.txt", random.Random(size).randbytes(size * 10**6))
        remove(page)
        page.locator("#choose-files").set_input_files(tmp_path / f"{size}.zip")
        if words == "Done.":
            expect(page.locator("#files")).to_contain_text("50.0 MB")
            assert press(page, "Build") == words
            expect(section(page, "One game")).to_contain_text(re.compile("(Black|White) wins by"))
        else:
            expect(page.locator("#toasts")).to_contain_text(words)


@pytest.mark.parametrize("name", FORFEITS)
def test_an_agent_that_misbehaves_loses_and_the_page_goes_on(page: Page, hurried: Page, name: str) -> None:
    text, words = FORFEITS[name]
    if "2 s" in words:
        page = hurried
        page.bring_to_front()
    page.get_by_label("Edition").select_option("2022")
    choose(page, ("my_player3.py", text))
    assert press(page, "Build") == "Done."
    game = section(page, "One game")
    expect(game).to_contain_text("Black forfeited")
    expect(game).to_contain_text(words)
    assert "sandbox/browser.py" not in game.inner_text()
    game.locator("summary", has_text="input.txt").click()
    assert game.locator("details pre").inner_text() == "\n".join(["1", *["00000"] * 10])
    page.get_by_label("Edition").select_option("2025")
    if name not in ("allocates", "hangs outside of Python code"):  # the next agent shows that the page goes on
        return
    choose(page, ("x.zip", archive(("mine/my_player3.py", KIT))))
    assert press(page, "Build") == "Done."
    expect(game).to_contain_text("wins by")


def test_without_a_network(context: BrowserContext, page: Page, hurried: Page, served: str) -> None:
    """After the first visit the page, its Python and a game work offline, whatever version lives beside it."""
    script = "navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready).then(() => 0)"
    for site_shown in (page, hurried):
        site_shown.evaluate(script)
    choose(page, ("my_player3.py", KIT))
    assert press(page, "Build") == "Done."
    context.set_offline(True)
    away = context.new_page()
    away.goto(f"{served}/{PREFIX}/#/drop")
    choose(away, ("my_player3.py", KIT))
    assert press(away, "Build") == "Done."
    expect(section(away, "One game")).to_contain_text(re.compile("(Black|White) wins by"))
    away.close()
    context.set_offline(False)


@pytest.mark.skipif(not AXE.exists(), reason="no node_modules (make node_modules)")
def test_the_page_fits_a_phone_and_has_no_barriers(browser: Browser, served: str) -> None:
    context = browser.new_context(**PHONE)
    with visit_in(context, f"{served}/{PREFIX}") as visit:
        visit.open("/drop")
        visit.page.get_by_role("button", name="Start from the kit").click()
        assert barriers(visit, {}) == []
        for width in (320, 390):
            visit.page.set_viewport_size({"width": width, "height": 664})
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_site_without_python_says_so(context: BrowserContext, served: str) -> None:
    page = context.new_page()
    page.goto(f"{served}/bare/#/drop")
    expect(page.locator("main")).to_contain_text("has no Python for browsers")
    expect(page.get_by_role("link", name="Your agent")).to_have_count(0)
    page.goto(f"{served}/bare/#/play")
    expect(page.get_by_role("navigation", name="Ways in").get_by_role("link")).to_have_count(2)
    page.goto(f"{served}/{PREFIX}/#/play")
    expect(page.get_by_role("link", name="Your agent")).to_have_count(2)
    page.close()
