// Drop your agent: checked, played and graded in this browser, with nothing installed and nothing uploaded. The page is
// kept while the visitor looks at a review, and goes on with its work.

import { AgentPython, pythonHere } from "../agent/agent.js";
import { editor } from "../agent/editor.js";
import { chosenFiles, droppedFiles, megabytes, textOf, zipOf } from "../agent/files.js";
import { Board } from "../board/board.js";
import { valueMarks } from "../board/values.js";
import { attempt, button, capital, download, h, labelled, replace, select } from "../dom.js";
import { editionRules, Position } from "../go/position.js";
import { Kernel } from "../kernel.js";
import { checksOf, gradeOf, reviewLink } from "../results/report.js";
import { number, plural, resultWords } from "../words.js";

export const title = "Your agent";

const GAMES = 4;
const FOLDER = "agent";

// The page once it was shown: its content, and what to do when it is shown and left.
let made = null;

export async function show(main) {
  made ??= await make(main);
  if (!made) return null;
  replace(main, made.content);
  return made.enter();
}

async function make(main) {
  const kept = { files: /** @type {[string, Uint8Array][]} */ ([]), opened: "" };
  const about = await pythonHere();
  if (!about) {
    replace(
      main,
      h("section", { class: "card narrow stack" }, [
        h("h1", {}, "Drop your agent"),
        h(
          "p",
          {},
          "This site has no Python for browsers. Agents are checked and graded in the Arena, or at a terminal with littlego check and littlego grade.",
        ),
        h("p", {}, h("a", { class: "button", href: "#/arena" }, "Arena")),
      ]),
    );
    return null;
  }
  const { offers } = about;
  const size = Object.values(about.files).reduce((sum, bytes) => sum + bytes, 0);
  const python = new AgentPython(about, () => {});
  const says = h("p", { class: "reason", role: "status", id: "says" });
  const bar = h("progress", { class: "hidden", "aria-label": "Loading Python" });
  python.onloading = (loaded, total) => {
    bar.classList.remove("hidden");
    Object.assign(bar, { max: total, value: loaded });
    replace(says, `Loading Python: ${megabytes(loaded)} of ${megabytes(total)}. Next time it is here already.`);
  };

  const files = h("div", { class: "stack" });
  const found = {
    check: h("div", { class: "stack" }),
    game: h("div", { class: "stack" }),
    grade: h("div", { class: "stack" }),
  };
  const edition = select(
    { onchange: offer },
    offers.editions.map(({ name }) => [name, name]),
    offers.editions[0].name,
  );
  const opponent = select(
    {},
    offers.opponents.map((name) => [name, name]),
    "greedy",
  );
  const colour = select({}, [
    ["black", "Black"],
    ["white", "White"],
  ]);
  const stages = h("div", { class: "row" });
  const stop = button("Stop", "quiet hidden", () => python.stop());
  const acts = [
    button("Check", null, check),
    button("Build: one game", null, game),
    button("Submit: grade it", null, () => grade(false)),
  ];
  const write = editor({ label: "Editor", onchange: (text) => put(kept.opened, new TextEncoder().encode(text)) });
  const editing = h("details", { class: "hidden" }, [
    h("summary", {}, "Edit"),
    h("div", { class: "stack" }, [
      h("div", { class: "row", id: "editor-files" }),
      write.element,
      h(
        "small",
        { id: "editor-keys", class: "soft" },
        "Tab indents; Escape, then Tab, leaves the editor. Changes count at once.",
      ),
    ]),
  ]);

  const chooser = (props, text) => {
    const input = /** @type {HTMLInputElement} */ (
      h("input", { type: "file", class: "hidden", multiple: true, ...props })
    );
    input.addEventListener("change", () =>
      attempt(async () => {
        if (input.files.length) take(await chosenFiles(input.files));
        input.value = "";
      }),
    );
    return [input, button(text, "quiet", () => input.click())];
  };
  const zone = h("div", { class: "dropzone stack", id: "drop" }, [
    h("p", {}, h("b", {}, "Drop my_player3.py here"), ", several files, its folder or a .zip."),
    h("div", { class: "row" }, [
      chooser({ id: "choose-files" }, "Choose files"),
      chooser({ webkitdirectory: true, id: "choose-folder" }, "Choose a folder"),
      button("Start from the kit", "quiet", startFromKit),
      button("Paste code", "quiet", paste),
    ]),
    files,
  ]);
  const over = (event) => {
    event.preventDefault();
    zone.classList.add("over");
  };
  const left = () => zone.classList.remove("over");
  const dropped = (event) => {
    event.preventDefault();
    left();
    attempt(async () => take(await droppedFiles(event.dataTransfer)));
  };

  const content = h("div", { class: "stack" }, [
    h("section", { class: "card stack" }, [
      h("h1", {}, "Drop your agent"),
      h(
        "p",
        {},
        "It is checked, played and graded in this browser. Nothing is installed, and nothing is uploaded: your files do not leave this machine.",
      ),
      zone,
      editing,
      h("div", { class: "row" }, labelled("Edition", edition), acts[0]),
      h("div", { class: "row" }, labelled("Opponent", opponent), labelled("Your agent plays", colour), acts[1]),
      h("div", { class: "row" }, stages, acts[2]),
      bar,
      h("div", { class: "row" }, says, stop),
      h("p", { class: "soft" }, [
        `Python for this page takes ${megabytes(size)} when you first use it. To play by hand, go to `,
        h("a", { href: "#/play" }, "Play"),
        ".",
      ]),
    ]),
    found.check,
    found.game,
    found.grade,
    h("details", { class: "card" }, [
      h("summary", {}, "What this page cannot do"),
      h(
        "p",
        {},
        "A browser counts no CPU time: times are measured and divided by how much slower its Python is here, so they say “about”, and the course's clock decides. The program is kept in by the browser alone, in a worker that is ended when it hangs. It starts no threads and no other programs, compiles no C++ and no Java, and plays no tournaments: for those, install littlego.",
      ),
      h("pre", {}, "pip install littlego"),
    ]),
  ]);
  drawFiles();
  offer();

  function offer() {
    const { stages: all } = offers.editions.find(({ name }) => name === edition.value);
    const playable = all.filter((stage) => stage.opponents.every((name) => offers.opponents.includes(name)));
    const first = playable.find(({ key }) => key === "submit1") ?? playable[0];
    const stage = select(
      { id: "stage", onchange: counts },
      playable.map(({ key, title }) => [key, title]),
      first?.key,
    );
    const games = select({ id: "games" }, []);
    replace(stages, labelled("Stage", stage), labelled("Games", games));
    counts();

    function counts() {
      const chosen = playable.find(({ key }) => key === stage.value);
      const some = [GAMES, chosen.games].filter((count, k) => k || count < chosen.games);
      replace(
        games,
        some.map((count) =>
          h(
            "option",
            { value: count },
            `${plural(count, "{n} game", "{n} games")} against each${count === chosen.games ? ", as in the course" : ""}`,
          ),
        ),
      );
    }
  }

  function take(given) {
    kept.files = given;
    kept.opened = "";
    outdate();
    drawFiles();
    replace(says);
  }

  // What is shown was found in other files.
  function outdate() {
    for (const box of Object.values(found)) box.firstElementChild?.setAttribute("data-before", "");
  }

  function put(name, bytes) {
    outdate();
    const at = kept.files.findIndex(([path]) => path === name);
    if (at < 0) kept.files.push([name, bytes]);
    else kept.files[at] = [name, bytes];
  }

  function startFromKit() {
    const { kit } = offers.editions.find(({ name }) => name === edition.value);
    take(Object.entries(kit).map(([path, text]) => [path, new TextEncoder().encode(text)]));
    open(mainOf(kept.files) ?? kept.files[0][0]);
  }

  function paste() {
    const name = edition.value === "2019" ? "my_player.py" : "my_player3.py";
    if (!kept.files.some(([path]) => path === name)) put(name, new Uint8Array(0));
    drawFiles();
    open(name);
  }

  function open(name, line = 0) {
    const file = kept.files.find(([path]) => path === name);
    const text = file && textOf(file[1]);
    if (text === null || text === undefined) return;
    kept.opened = name;
    editing.classList.remove("hidden");
    /** @type {HTMLDetailsElement} */ (editing).open = true;
    write.show(text, name);
    drawFiles();
    if (line) write.go(line);
  }

  function drawFiles() {
    const sum = kept.files.reduce((all, [, bytes]) => all + bytes.length, 0);
    const some = kept.files.length > 0;
    const texts = kept.files.filter(([, bytes]) => bytes.length < 1e6 && textOf(bytes) !== null);
    replace(
      files,
      some &&
        h("p", { id: "files" }, [
          `${plural(kept.files.length, "{n} file", "{n} files")}, ${megabytes(sum)}: `,
          h(
            "span",
            { class: "soft" },
            kept.files
              .slice(0, 12)
              .map(([path]) => path)
              .join(", ") + (kept.files.length > 12 ? " …" : ""),
          ),
        ]),
      some &&
        h("div", { class: "row" }, [
          button("Save as .zip", "quiet small", () => download("agent.zip", zipOf(kept.files))),
          button("Remove", "quiet small", () => take([])),
        ]),
    );
    const choose = editing.querySelector("#editor-files");
    editing.classList.toggle("hidden", !texts.length);
    if (texts.length && !texts.some(([path]) => path === kept.opened)) {
      kept.opened = mainOf(texts) ?? texts[0][0];
      write.show(textOf(kept.files.find(([path]) => path === kept.opened)[1]), kept.opened);
    }
    replace(
      choose,
      texts.length > 0 &&
        labelled(
          "File",
          select(
            { onchange: (event) => open(event.target.value) },
            texts.map(([path]) => [path, path]),
            kept.opened,
          ),
        ),
    );
    for (const act of acts) /** @type {HTMLButtonElement} */ (act).disabled = !some || python.busy;
  }

  /** Do a job; while it runs, the buttons wait. */
  async function doing(asked, words, told) {
    const zip = kept.files.length === 1 && /\.zip$/i.test(kept.files[0][0]);
    const given = kept.files.map(
      ([path, bytes]) => /** @type {[string, Uint8Array]} */ ([zip ? path : `${FOLDER}/${path}`, bytes]),
    );
    const job = { ...asked, name: zip ? kept.files[0][0] : FOLDER, edition: edition.value };
    for (const act of acts) /** @type {HTMLButtonElement} */ (act).disabled = true;
    stop.classList.remove("hidden");
    replace(says, "Loading Python…");
    try {
      await python.load();
      bar.classList.add("hidden");
      replace(says, words);
      const last = await python.work(given, job, told);
      replace(says, last.refused ? h("span", { class: "bad" }, capital(last.refused)) : "Done.");
      return last;
    } catch (error) {
      replace(says, h("span", { class: "bad" }, capital(error.message)));
      return { refused: error.message };
    } finally {
      bar.classList.add("hidden");
      stop.classList.add("hidden");
      drawFiles();
    }
  }

  async function check() {
    const checks = [];
    let about = /** @type {any} */ ({});
    const box = h("div", { class: "stack" });
    const draw = (isWhole) =>
      replace(
        box,
        checks.length > 0 && checksOf(checks, isWhole),
        checks.filter((one) => one.input).map((one) => inputOf(one.input, one.title)),
        isWhole && atHome(about.command),
      );
    const last = await doing({ kind: "check" }, "Checking…", (message) => {
      if (message.titles) {
        about = message;
        replace(found.check, card("Check", `${message.main}, as the course's documents ask.`, box));
      }
      if (message.check) checks.push(message.check);
      draw(false);
    });
    if (last.done) draw(true);
  }

  async function game() {
    const moves = [];
    const view = gameView(edition.value);
    const line = h("p", { class: "says", role: "status" });
    const after = h("div", { class: "stack" });
    let about = /** @type {any} */ ({});
    await doing({ kind: "game", opponent: opponent.value, colour: colour.value }, "Playing…", (message) => {
      if (message.black) {
        about = message;
        replace(
          found.game,
          card("One game", `${about.black} (Black) against ${about.white} (White)`, line, view.element, after),
        );
        view.show(about, moves);
      }
      if (message.move) {
        moves.push(message.move);
        view.show(about, moves);
      }
      if (!message.outcome) return;
      replace(line, resultWords(message.outcome));
      replace(after, [
        message.stderr && h("pre", { class: "pre soft" }, message.stderr),
        message.input && inputOf(message.input, "the move that failed"),
        message.seconds > 0 && h("p", { class: "soft" }, timeWords(message.seconds)),
        h("p", {}, reviewLink(message.game, "Review")),
      ]);
    });
  }

  async function grade(all) {
    const stage = /** @type {HTMLSelectElement} */ (stages.querySelector("#stage")).value;
    const games = Number(/** @type {HTMLSelectElement} */ (stages.querySelector("#games")).value);
    const whole = offers.editions.find(({ name }) => name === edition.value).stages.find(({ key }) => key === stage);
    const asked = { kind: "grade", stage, games: all ? whole.games : games };
    const count =
      asked.games < whole.games ? `${asked.games} of ${whole.games} games against each opponent` : "all games";
    const box = h("div", { class: "stack" });
    let about = /** @type {any} */ ({});
    let report = null;
    const records = [];
    const last = await doing(asked, "Grading…", (message) => {
      if (message.planned) {
        about = message;
        replace(found.grade, card("Grade", `${whole.title}, edition ${edition.value}: ${count}.`, box));
      }
      if (message.result) records.push(JSON.parse(message.result).record);
      if (!message.report) return;
      report = message.report;
      replace(says, `${report.games} of ${about.planned} games played.`);
      replace(box, drawn());
    });
    if (report && last.done) replace(box, drawn(), endOf());

    function drawn() {
      return [
        report.fix && h("p", { class: "reason bad" }, report.fix),
        gradeOf(report),
        report.luck && h("p", { class: "soft" }, report.luck),
      ];
    }

    function wonOf() {
      const batches = report.repeats.flatMap((repeat) => repeat.batches);
      const lost = batches.flatMap((batch) => batch.opponents.flatMap((row) => row.lost.map(({ game }) => game)));
      const links = records.flatMap((record, k) => {
        if (lost.includes(k + 1)) return [];
        const isBlack = record.black === report.agent.name;
        const [side, other] = isBlack ? ["black", record.white] : ["white", record.black];
        return [reviewLink(record, `${other}, you ${side}, game ${k + 1}`)];
      });
      return (
        links.length > 0 && h("details", {}, [h("summary", {}, "Games won"), h("p", { class: "row chips" }, links)])
      );
    }

    function endOf() {
      const slowest = Math.max(
        0,
        ...report.repeats[0].batches.flatMap((batch) => batch.opponents.map((row) => row.slowest_move_seconds)),
      );
      return [
        wonOf(),
        h("p", { class: "soft" }, timeWords(slowest)),
        h("div", { class: "row" }, [
          asked.games < whole.games && button("Play all games", null, () => grade(true)),
          report.page && button("Save the report", "quiet", () => download("grade.html", report.page)),
        ]),
        atHome(about.command),
      ];
    }
  }

  const timeWords = (slowest) => {
    const factor = number(python.factor, 1);
    const pace = python.factor < 1.05 ? "about as fast as" : `about ${factor} times slower than`;
    const taken = python.factor < 1.05 ? "" : ", and that is taken off";
    return `The slowest move took about ${number(slowest, 2)} s: this page's Python is ${pace} the course's${taken}. The course's clock decides.`;
  };

  // Anywhere on the page: a file that misses the frame must not replace the page.
  const listeners = /** @type {const} */ ([
    ["dragover", over],
    ["dragleave", left],
    ["drop", dropped],
  ]);
  return {
    content,
    enter() {
      for (const [name, action] of listeners) document.addEventListener(name, action);
      return () => {
        for (const [name, action] of listeners) document.removeEventListener(name, action);
        stopValues();
      };
    },
  };
}

const mainOf = (files) => ["my_player3.py", "my_player.py"].find((name) => files.some(([path]) => path === name));

const card = (heading, text, ...content) =>
  h("section", { class: "card stack", "aria-label": heading }, [
    h("h2", {}, heading),
    h("p", { class: "soft" }, text),
    content,
  ]);

const inputOf = (text, what) =>
  h("details", {}, [
    h("summary", {}, `input.txt of ${what}`),
    h("pre", { class: "pre" }, text),
    button("Save input.txt", "quiet small", () => download("input.txt", text)),
  ]);

const atHome = (command) =>
  h("details", {}, [
    h("summary", {}, "Grade this on your machine"),
    h("p", {}, "With littlego installed, in the agent's folder:"),
    h("pre", {}, h("code", {}, command)),
  ]);

const kernel = new Kernel();
let stopValues = () => {};

// A game on a board, with its moves to step through and the exact value of every move at each.
function gameView(edition) {
  const board = new Board({ size: 5, label: "The game", coordinates: true });
  const slider = /** @type {HTMLInputElement} */ (
    h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Move", oninput: () => draw() })
  );
  const line = h("p", { class: "soft" });
  const value = h("p", { class: "soft", id: "value" });
  let positions = [];
  let game = null;

  function draw() {
    stopValues();
    const ply = Number(slider.value);
    const last = game.moves[ply - 1];
    const position = positions[ply];
    const shown = { cells: position.cells, last: last === "PASS" ? null : last, ko: position.ko };
    board.show(shown);
    replace(
      line,
      ply
        ? `Move ${ply}: ${ply % 2 ? game.black : game.white} ${last === "PASS" ? "passes" : `plays ${last}`}.`
        : "The empty board.",
    );
    const why = position.whyUnsolvable();
    replace(value, why && `No exact values: ${why}.`);
    if (why || position.outcome() || !board.element.isConnected) return;
    stopValues = kernel.follow(
      position,
      { leads: true },
      (answer) => {
        board.show({ ...shown, marks: valueMarks(answer) });
        replace(value, VALUES[answer.value]?.(position.toMove === "black" ? game.black : game.white));
      },
      (error) => replace(value, capital(error.message)),
    );
  }

  return {
    element: h("div", { class: "stack replay" }, board.element, slider, line, value),
    show({ black, white }, moves) {
      game = { black, white, moves };
      positions = [new Position(editionRules(edition))];
      for (const move of moves) positions.push(positions.at(-1).play(move));
      slider.max = String(moves.length); // first: the value is kept below it
      slider.value = slider.max;
      draw();
    },
  };
}

const VALUES = {
  black: (mover) => `Black wins with best play; ${mover} is to move.`,
  white: (mover) => `White wins with best play; ${mover} is to move.`,
  tie: (mover) => `A tie with best play; ${mover} is to move.`,
};
