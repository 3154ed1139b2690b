// Review: what each move did to the exact value of the game, and the move that lost it.

import { follow, get, post, put } from "../api.js";
import { Board } from "../board.js";
import { capital, h, replace, s, toast } from "../dom.js";
import { recent } from "./play.js";

export const title = "Review";

export async function show(main, [id], { go }) {
  return id ? showReview(main, id, go) : showChoice(main, go);
}

async function showChoice(main, go) {
  const games = await get("/api/games?most=24");
  const field = h("textarea", {
    name: "text",
    placeholder: "(;GM[1]SZ[5]…)",
    "aria-label": "A game as SGF or JSON",
    required: true,
  });
  const file = h("input", {
    type: "file",
    accept: ".sgf,.json,text/plain",
    "aria-label": "A file",
    onchange: () => {
      if (file.files[0]) takeFile(file.files[0]);
    },
  });
  const card = h(
    "section",
    { class: "card" },
    h("h1", {}, "Review a game"),
    h(
      "p",
      {},
      "Every move is compared with perfect play. Paste an SGF or a capsule, drop a file here, or choose a game that was played on this server.",
    ),
    h(
      "form",
      {
        class: "stack",
        onsubmit: (event) => {
          event.preventDefault();
          take(() => post("/api/games/import", { text: field.value }));
        },
      },
      field,
      h("div", { class: "row" }, h("button", {}, "Review"), file),
    ),
  );
  const finished = games.filter((game) => game.verdict);
  replace(main, h("div", { class: "stack" }, card, finished.length > 0 && recent(finished)));
  const over = (event) => event.preventDefault();
  const drop = (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) takeFile(event.dataTransfer.files[0]);
  };
  main.addEventListener("dragover", over);
  main.addEventListener("drop", drop);

  // As bytes: which encoding they are in is for the reader of SGF to find.
  function takeFile(chosen) {
    take(() => put("/api/games/import", chosen));
  }

  async function take(send) {
    try {
      const game = await send();
      go(`/review/${game.id}`);
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  return () => {
    main.removeEventListener("dragover", over);
    main.removeEventListener("drop", drop);
  };
}

async function showReview(main, id, go) {
  const game = await get(`/api/games/${id}`);
  let job = null;
  let found = null;
  let ply = game.moves.length;
  let tried = {};
  let jumped = false;
  let forget = null;
  const revealed = new Set();

  const board = new Board({ size: game.rules.size, label: "The position", onplay: (move, why) => attempt(move, why) });
  const graph = h("figure", { class: "graph" });
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const progress = h("progress", { class: "hidden", max: 1, value: 0, "aria-label": "Review" });
  const waiting = h("p", { class: "soft" });
  const list = h("ol", { class: "verdicts" });
  const button = (text, label, action) =>
    h("button", { class: "quiet", "aria-label": label, title: label, onclick: action }, text);
  const next = h("button", { onclick: () => nextMistake() }, "Next mistake ", h("kbd", {}, "n"));
  replace(
    main,
    h(
      "div",
      { class: "columns" },
      h(
        "div",
        { class: "board-side stack" },
        board.element,
        graph,
        h(
          "div",
          { class: "row no-print" },
          button("«", "First position", () => look(0)),
          button("‹", "One move back", () => look(ply - 1)),
          button("›", "One move on", () => look(ply + 1)),
          button("»", "Last position", () => look(game.moves.length)),
          next,
        ),
      ),
      h(
        "div",
        { class: "card stack" },
        h("h1", {}, `${game.black} – ${game.white}`),
        h("p", {}, game.outcome ? `${game.outcome.text}.` : "This game is not finished."),
        progress,
        waiting,
        says,
        list,
        h(
          "p",
          { class: "row no-print" },
          h("button", { class: "quiet", onclick: share }, "Copy the link"),
          h("a", { class: "button quiet", href: `/api/games/${id}.sgf`, download: "" }, "SGF"),
          h("button", { class: "quiet", onclick: () => print() }, "Print"),
        ),
      ),
    ),
  );
  document.addEventListener("keydown", keys, true); // before the board, which would move its cursor
  draw();
  try {
    forget = follow(await post(`/api/games/${id}/review`), take);
  } catch (error) {
    progress.remove();
    waiting.remove();
    replace(says, h("p", { class: "bad" }, capital(error.message)));
  }

  function take(update) {
    if (job?.id === update.id && job.state === "done" && update.state !== "done") return; // an answer that news overtook
    job = update;
    found = update.result ?? found;
    progress.max = update.total || 1;
    progress.value = update.state === "done" ? progress.max : update.done;
    if (update.state === "failed") toast(update.message, "error");
    if (found?.losing_move && !jumped && update.state === "done") {
      jumped = true;
      look(index(found.losing_move));
      return;
    }
    draw();
  }

  // A move's number in the game, as the index of the position before it.
  function index(number) {
    return number - 1 - game.start_move;
  }

  function draw() {
    const marks = {};
    const move = found?.moves[ply];
    const hidden = move && move.is_mistake && !revealed.has(ply);
    if (move && !hidden) {
      for (const good of move.good_moves ?? (move.one_good_move ? [move.one_good_move] : []))
        marks[good] = move.before === "tie" ? "tie" : "won";
      if (move.is_mistake) marks[move.move] = "wrong";
    }
    Object.assign(marks, tried);
    const colour = mover(ply);
    board.show({
      cells: game.boards[ply],
      last: game.moves[ply - 1] ?? null,
      ko: game.kos[ply],
      turn: hidden ? colour : null,
      illegal: hidden ? move.illegal : {},
      marks,
    });
    drawGraph();
    drawList();
    drawWaiting();
    drawWords(move, hidden);
    const others = (found?.moves ?? []).filter((one, k) => one.is_mistake && k !== ply).length;
    next.disabled = !others;
    next.classList.toggle("quiet", !others);
  }

  function mover(at) {
    return at % 2 === 0 ? game.first : game.first === "black" ? "white" : "black";
  }

  function drawWords(move, hidden) {
    if (!found) return replace(says);
    if (!move) return replace(says, h("p", {}, found.summary), playButton("Play on from here"));
    if (hidden) {
      return replace(
        says,
        h(
          "p",
          {},
          h("b", {}, `${move.challenge} `),
          `The game went on with a mistake. Try it yourself: play a move that ${move.keeps}.`,
        ),
        h(
          "div",
          { class: "row" },
          h("button", { class: "quiet", onclick: () => attempt("PASS", null) }, "Pass"),
          h("button", { class: "quiet", onclick: () => reveal() }, "Show me"),
        ),
      );
    }
    return replace(
      says,
      h(
        "p",
        {},
        `Move ${move.number}, ${move.colour} ${move.move}: `,
        h("b", { class: move.tone }, move.words),
        `${move.sentence.slice(move.words.length)}.`,
      ),
      playButton(move.is_mistake ? "Play it out against the perfect player" : "Play from here"),
    );
  }

  // Begins at the position on the board: after a mistake was shown, where the better move is to be played.
  function playButton(text) {
    return (
      !(ply >= game.moves.length && game.outcome?.verdict === "score") &&
      h("div", { class: "row no-print" }, h("button", { class: "quiet", onclick: playFromHere }, text))
    );
  }

  function drawWaiting() {
    const known = found?.moves.filter((move) => move.verdict !== "not_known_yet").length ?? 0;
    const total = game.moves.length;
    const working = job && !["done", "failed", "stopped"].includes(job.state);
    progress.classList.toggle("hidden", !working);
    replace(
      waiting,
      !job
        ? "Loading the review…"
        : !working
          ? ""
          : job.state === "waiting"
            ? "Waiting for other work on this server…"
            : `Working out who was winning, from the end of the game backwards: ${known} of ${total} moves so far…`,
    );
  }

  function drawGraph() {
    const moves = found?.moves ?? [];
    const values = moves.map((move) => move.before);
    values.push(moves.at(-1)?.after ?? null);
    const width = 24;
    const total = Math.max(1, game.moves.length + 1) * width;
    const y = { black: 14, tie: 50, white: 86 };
    const bars = values.map(
      (value, k) =>
        value &&
        s("rect", {
          class: `value ${value}`,
          x: k * width + 2,
          y: value === "tie" ? 47 : Math.min(50, y[value]),
          width: width - 4,
          height: Math.max(6, Math.abs(50 - y[value])),
        }),
    );
    const dots = moves.map(
      (move, k) =>
        move.is_mistake && [
          s("path", { class: "halo", d: `M${(k + 1) * width} 50h0.01` }),
          s("path", { class: "mistake", d: `M${(k + 1) * width} 50h0.01` }),
        ],
    );
    const here = s("rect", { class: "here", x: ply * width, y: 4, width, height: 92, rx: 5 });
    const hits = [];
    for (let k = 0; k <= game.moves.length; k++)
      hits.push(
        s(
          "rect",
          { class: "hit", x: k * width, y: 0, width, height: 100, onclick: () => look(k) },
          s("title", {}, `after move ${game.start_move + k}`),
        ),
      );
    const svg = s(
      "svg",
      {
        viewBox: `0 0 ${total} 100`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": "Who wins with best play, move by move: above the line Black, below it White, on it a tie",
      },
      s("path", { class: "axis", d: `M0 50H${total}` }),
      bars,
      here,
      dots,
      hits,
    );
    const side = (colour) => h("span", {}, h("i", { class: `disc small ${colour}` }), capital(colour), " wins");
    replace(
      graph,
      h(
        "div",
        { class: "plot" },
        h("div", { class: "sides", "aria-hidden": "true" }, side("black"), side("white")),
        svg,
      ),
      h(
        "figcaption",
        {},
        h("span", {}, "Who wins if both play perfectly from there on, after each move"),
        dots.some(Boolean) && h("span", {}, h("i", { class: "spot" }), " a mistake turned it"),
      ),
    );
  }

  function drawList() {
    /** @type {HTMLElement} */
    let current = null;
    const items = game.moves.map((text, k) => {
      const move = found?.moves[k];
      const { words, tone, sign } = move ?? { words: "not known yet", tone: "soft", sign: "…" };
      const hidden = move?.is_mistake && !revealed.has(k);
      const item = h(
        "li",
        {},
        h(
          "button",
          { class: "quiet", "aria-current": ply === k ? "true" : null, onclick: () => look(k) },
          h("span", { class: "number" }, String(game.start_move + k + 1)),
          h("span", { class: `disc small ${mover(k)}` }, h("span", { class: "sr" }, ` ${mover(k)} `)),
          h("code", {}, hidden ? "?" : text),
          h("span", { class: `sign ${tone}`, "aria-hidden": "true" }, sign),
          h("span", { class: tone }, ` ${words}`),
        ),
      );
      if (ply === k) current = item;
      return item;
    });
    replace(list, items);
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  function look(to) {
    ply = Math.max(0, Math.min(game.moves.length, to));
    tried = {};
    draw();
  }

  function reveal() {
    revealed.add(ply);
    tried = {};
    draw();
  }

  function nextMistake() {
    const after = (found?.moves ?? []).findIndex((move, k) => k > ply && move.is_mistake);
    const first = (found?.moves ?? []).findIndex((move) => move.is_mistake);
    if (first >= 0) look(after >= 0 ? after : first);
  }

  async function attempt(text, why) {
    const move = found?.moves[ply];
    if (!found) return;
    if (!move?.is_mistake || revealed.has(ply)) {
      toast("To play on from this position, choose the button beside the board.");
      return;
    }
    if (why) return toast(`${text}: ${why}.`, "error");
    let right = move.good_moves ? move.good_moves.includes(text) : null;
    if (text === move.move) right = false;
    if (text === move.one_good_move) right = true;
    if (right === null) right = await ask(move, text);
    if (right === null) return;
    tried = { ...tried, [text]: right ? (move.before === "tie" ? "tie" : "won") : "wrong" };
    if (right) {
      revealed.add(ply);
      toast(`${text} ${move.keeps}.`);
    } else {
      const played = text === move.move;
      toast(played ? `${text} is what was played: ${move.words}.` : `${text} does not keep it.`, "error");
    }
    draw();
  }

  // Early in a game not every good move is in the review.
  async function ask(move, text) {
    try {
      const answer = await post("/api/values", { game: id, ply });
      if (text in answer.values) return answer.values[text] === move.before;
      toast(`${text} is still being worked out: try again in a moment.`);
    } catch (error) {
      toast(capital(error.message), "error");
    }
    return null;
  }

  async function playFromHere() {
    const mine = mover(ply);
    const other = mine === "black" ? "white" : "black";
    try {
      const branch = await post(`/api/games/${id}/branch`, { ply, [mine]: "human", [other]: "perfect" });
      go(`/play/${branch.id}`);
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  async function share() {
    try {
      await navigator.clipboard.writeText(location.href);
      toast("The link is copied. Only browsers of this server's owner can open it.");
    } catch {
      prompt("The link:", location.href);
    }
  }

  // The arrows step through the game, unless the board has the focus and asks for a move.
  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog"))
      return;
    const isAsked = Boolean(board.state?.turn) && board.element.contains(document.activeElement);
    if (event.key === "n") nextMistake();
    else if (event.key === "ArrowLeft" && !isAsked) look(ply - 1);
    else if (event.key === "ArrowRight" && !isAsked) look(ply + 1);
    else if (event.key === "Home") look(0);
    else if (event.key === "End") look(game.moves.length);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return () => {
    forget?.();
    document.removeEventListener("keydown", keys, true);
  };
}
