// Review: what each move did to the exact value of the game, and the move that lost it.

import { follow, get, post } from "../api.js";
import { Board } from "../board.js";
import { capital, h, replace, s, toast } from "../dom.js";
import { recent } from "./play.js";

export const title = "Review";

const WORDS = {
  kept_the_win: ["kept the win", "good", "✓"],
  the_only_move: ["the only move", "good", "!"],
  the_losing_move: ["the losing move", "bad", "✗"],
  threw_the_win_away: ["threw the win away", "bad", "?"],
  kept_the_tie: ["kept the tie", "even", "="],
  was_lost_anyway: ["was lost anyway", "soft", "·"],
  had_no_choice: ["had no choice", "soft", "·"],
  not_known_yet: ["not known yet", "soft", "…"],
  after_the_end: ["after the end", "soft", "·"],
};
const MISTAKES = ["the_losing_move", "threw_the_win_away"];

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
    onchange: async () => {
      if (file.files[0]) take(await file.files[0].text());
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
          take(field.value);
        },
      },
      field,
      h("div", { class: "row" }, h("button", {}, "Review"), file),
    ),
  );
  const finished = games.filter((game) => game.verdict);
  replace(main, h("div", { class: "stack" }, card, finished.length > 0 && recent(finished)));
  const over = (event) => event.preventDefault();
  const drop = async (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) take(await event.dataTransfer.files[0].text());
  };
  main.addEventListener("dragover", over);
  main.addEventListener("drop", drop);

  async function take(text) {
    try {
      const game = await post("/api/games/import", { text });
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
  let trying = false;
  let tried = {};
  let jumped = false;
  let forget = null;
  const revealed = new Set();

  const board = new Board({ size: game.rules.size, label: "The position", onplay: (move, why) => attempt(move, why) });
  const graph = h("figure", { class: "graph" });
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const progress = h("progress", { max: 1, value: 0, "aria-label": "Review" });
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
  document.addEventListener("keydown", keys);
  draw();
  try {
    forget = follow(await post(`/api/games/${id}/review`), take);
  } catch (error) {
    progress.remove();
    replace(says, h("p", { class: "bad" }, capital(error.message)));
  }

  function take(told) {
    if (job?.id === told.id && job.state === "done" && told.state !== "done") return; // an answer that news overtook
    job = told;
    found = told.result ?? found;
    progress.max = told.total || 1;
    progress.value = told.state === "done" ? progress.max : told.done;
    progress.classList.toggle("hidden", told.state === "done" || told.state === "failed");
    if (told.state === "failed") toast(told.message, "error");
    if (found?.losing_move && !jumped && told.state === "done") {
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
    const hidden = move && MISTAKES.includes(move.verdict) && !revealed.has(ply);
    if (move && !hidden && !trying) {
      for (const good of move.good_moves ?? (move.one_good_move ? [move.one_good_move] : [])) marks[good] = "won";
      if (MISTAKES.includes(move.verdict)) marks[move.move] = "wrong";
    }
    Object.assign(marks, tried);
    const colour = mover(ply);
    board.show({
      cells: game.boards[ply],
      last: game.moves[ply - 1] ?? null,
      ko: game.kos[ply],
      turn: hidden || trying ? colour : null,
      marks,
    });
    drawGraph();
    drawList();
    drawWords(move, hidden);
    next.disabled = !found?.moves.some((one) => MISTAKES.includes(one.verdict));
  }

  function mover(at) {
    return at % 2 === 0 ? game.first : game.first === "black" ? "white" : "black";
  }

  function drawWords(move, hidden) {
    if (!found) return replace(says, h("p", {}, "Working out who was winning, from the end of the game backwards…"));
    if (!move) return replace(says, h("p", {}, ply >= game.moves.length ? overview() : ""));
    const who = `Move ${move.number}, ${move.colour} ${move.move}`;
    if (hidden) {
      return replace(
        says,
        h(
          "p",
          {},
          h("b", {}, `${capital(move.colour)} can win here. `),
          `The game went on with a mistake. Try it yourself: play the move that keeps the win.`,
        ),
        h("div", { class: "row" }, h("button", { class: "quiet", onclick: () => reveal() }, "Show me")),
      );
    }
    const [words, kind] = WORDS[move.verdict];
    const slip = move.slip > 0 ? ` It gave ${move.slip} ${move.slip === 1 ? "stone" : "stones"} away.` : "";
    const better = move.good_moves ?? (move.one_good_move ? [move.one_good_move] : []);
    return replace(
      says,
      h(
        "p",
        {},
        `${who}: `,
        h("b", { class: kind }, words),
        `.${slip}`,
        MISTAKES.includes(move.verdict) && better.length
          ? ` ${better.slice(0, 6).join("  ")}${better.length > 6 ? " …" : ""} would have kept it.`
          : "",
      ),
      MISTAKES.includes(move.verdict) &&
        h(
          "div",
          { class: "row no-print" },
          h("button", { class: "quiet", onclick: () => refute(move) }, "Play it out against the perfect player"),
        ),
    );
  }

  function overview() {
    const mistakes = found.moves.filter((one) => MISTAKES.includes(one.verdict)).length;
    const waiting = found.complete ? "" : " Not everything is known yet.";
    if (found.forfeited) return `${found.forfeited}.${waiting}`;
    if (!mistakes) return `No move changed the result: it was decided from the start.${waiting}`;
    return `${mistakes} ${mistakes === 1 ? "move" : "moves"} changed the result${found.losing_move ? `; the last, move ${found.losing_move}, lost the game` : ""}.${waiting}`;
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
        MISTAKES.includes(move.verdict) && [
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
        "aria-label": "Who wins with best play, move by move: above the line Black, below it White",
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
    let current = null;
    const items = game.moves.map((text, k) => {
      const move = found?.moves[k];
      const [words, kind, sign] = WORDS[move?.verdict ?? "not_known_yet"];
      const hidden = move && MISTAKES.includes(move.verdict) && !revealed.has(k);
      const item = h(
        "li",
        {},
        h(
          "button",
          {
            class: "quiet",
            "aria-current": ply === k ? "true" : null,
            "aria-label": `Move ${game.start_move + k + 1}, ${mover(k)}, ${hidden ? "a mistake" : text}: ${words}`,
            onclick: () => look(k),
          },
          h("span", { class: "number" }, String(game.start_move + k + 1)),
          h("span", { class: `disc small ${mover(k)}` }),
          h("code", {}, hidden ? "?" : text),
          h("span", { class: `sign ${kind}`, "aria-hidden": "true" }, sign),
          h("span", { class: kind }, words),
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
    trying = false;
    draw();
  }

  function reveal() {
    revealed.add(ply);
    tried = {};
    draw();
  }

  function nextMistake() {
    const after = (found?.moves ?? []).findIndex((move, k) => k > ply && MISTAKES.includes(move.verdict));
    const first = (found?.moves ?? []).findIndex((move) => MISTAKES.includes(move.verdict));
    if (first >= 0) look(after >= 0 ? after : first);
  }

  async function attempt(text, why) {
    const move = found?.moves[ply];
    if (!move || !MISTAKES.includes(move.verdict) || revealed.has(ply)) return;
    const illegal = why ?? (await whyIllegal(text));
    if (illegal) return toast(`${text}: ${illegal}.`, "error");
    let right = move.good_moves ? move.good_moves.includes(text) : null;
    if (text === move.move) right = false;
    if (right === null) right = await ask(text);
    if (right === null) return;
    tried = { ...tried, [text]: right ? "won" : "wrong" };
    if (right) {
      revealed.add(ply);
      toast(`${text} keeps the win.`);
    } else toast(text === move.move ? `${text} is what was played, and it loses.` : `${text} does not win.`, "error");
    draw();
  }

  async function whyIllegal(text) {
    if (game.boards[ply][board.point(text)] !== "0") return "the point is occupied";
    if (game.start_move) return null;
    const { size, komi, max_moves } = game.rules;
    try {
      return (
        (await post("/api/positions", { size, komi, max_moves, moves: game.moves.slice(0, ply) })).illegal[text] ?? null
      );
    } catch {
      return null; // what is asked next says what is wrong
    }
  }

  async function ask(text) {
    const { size, komi, max_moves } = game.rules;
    try {
      const answer = await post("/api/values", { size, komi, max_moves, moves: game.moves.slice(0, ply) });
      if (text in answer.values) return answer.values[text] === answer.to_move;
      toast(`${text} is still being worked out: try again in a moment.`);
    } catch (error) {
      toast(capital(error.message), "error");
    }
    return null;
  }

  async function refute(move) {
    const loser = move.colour;
    const winner = loser === "black" ? "white" : "black";
    try {
      const branch = await post(`/api/games/${id}/branch`, { ply: ply + 1, [winner]: "perfect", [loser]: "human" });
      go(`/play/${branch.id}`);
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  async function share() {
    try {
      await navigator.clipboard.writeText(location.href);
      toast("The link is copied. It works for everyone who can reach this server.");
    } catch {
      prompt("The link:", location.href);
    }
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog"))
      return;
    if (event.key === "n") nextMistake();
    else if (event.key === "ArrowLeft" && document.activeElement !== board.element) look(ply - 1);
    else if (event.key === "ArrowRight" && document.activeElement !== board.element) look(ply + 1);
    else if (event.key === "Home") look(0);
    else if (event.key === "End") look(game.moves.length);
    else return;
    event.preventDefault();
  }

  return () => {
    forget?.();
    document.removeEventListener("keydown", keys);
  };
}
