// Review: what each move did to the exact value of the game, and the move that lost it.

import { follow, get, post, put } from "../api.js";
import { Board, moverAt, opponent } from "../board.js";
import { attempt, button, capital, h, onKeys, onSubmit, replace, s, showError, toast } from "../dom.js";
import { UNFINISHED } from "../progress.js";
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
    onchange: () => takeFile(file.files[0]),
  });
  const card = h("section", { class: "card" }, [
    h("h1", {}, "Review a game"),
    h("p", {}, [
      "Every move is compared with perfect play. Paste an SGF or a capsule, drop a file here, or choose a game that was played on this server.",
    ]),
    h("form", { class: "stack", onsubmit: onSubmit(takeText) }, [
      field,
      h("div", { class: "row" }, h("button", {}, "Review"), file),
    ]),
  ]);
  const finished = games.filter((game) => game.verdict);
  replace(main, h("div", { class: "stack" }, card, finished.length > 0 && recent(finished)));
  const over = (event) => event.preventDefault();
  const drop = (event) => {
    event.preventDefault();
    takeFile(event.dataTransfer.files[0]);
  };
  main.addEventListener("dragover", over);
  main.addEventListener("drop", drop);

  async function takeText({ text }) {
    go(`/review/${(await post("/api/games/import", { text })).id}`);
  }

  // Sent as bytes: the reader of SGF finds their encoding.
  function takeFile(chosen) {
    if (chosen) attempt(async () => go(`/review/${(await put("/api/games/import", chosen)).id}`));
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

  const board = new Board({ size: game.rules.size, label: "The position", onplay: (move, why) => tryMove(move, why) });
  const graph = h("figure", { class: "graph" });
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const progress = h("progress", { class: "hidden", max: 1, value: 0, "aria-label": "Review" });
  const waiting = h("p", { class: "soft" });
  const list = h("ol", { class: "verdicts" });
  const step = (text, label, action) =>
    h("button", { class: "quiet", "aria-label": label, title: label, onclick: action }, text);
  const next = button(["Next mistake ", h("kbd", {}, "n")], "", nextMistake);
  replace(
    main,
    h("div", { class: "columns" }, [
      h("div", { class: "board-side stack" }, [
        board.element,
        graph,
        h("div", { class: "row no-print" }, [
          step("«", "First position", () => look(0)),
          step("‹", "One move back", () => look(ply - 1)),
          step("›", "One move forward", () => look(ply + 1)),
          step("»", "Last position", () => look(game.moves.length)),
          next,
        ]),
      ]),
      h("div", { class: "card stack" }, [
        h("h1", {}, `${game.black} – ${game.white}`),
        h("p", {}, game.outcome ? `${game.outcome.text}.` : "This game is not finished."),
        progress,
        waiting,
        says,
        list,
        h("p", { class: "row no-print" }, [
          button("Copy link", "quiet", share),
          h("a", { class: "button quiet", href: `/api/games/${id}.sgf`, download: "" }, "SGF"),
          button("Print", "quiet", () => print()),
        ]),
      ]),
    ]),
  );
  const stopKeys = onKeys(actionOf, true); // before the board, which would move its cursor
  draw();
  try {
    forget = follow(await post(`/api/games/${id}/review`), take);
  } catch (error) {
    progress.remove();
    waiting.remove();
    replace(says, h("p", { class: "bad" }, capital(error.message)));
  }

  function take(update) {
    const isOvertaken = job?.id === update.id && job.state === "done" && update.state !== "done";
    if (isOvertaken) return; // newer news came first
    job = update;
    found = update.result ?? found;
    progress.max = update.total || 1;
    progress.value = update.state === "done" ? progress.max : update.done;
    if (update.state === "failed") showError(update);
    if (found?.losing_move && !jumped && update.state === "done") {
      jumped = true;
      look(found.losing_move - 1 - game.start_move); // the position before that move
      return;
    }
    draw();
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
    board.showGame(game, {
      ply,
      turn: hidden ? moverAt(game, ply) : null,
      illegal: hidden ? move.illegal : {},
      marks,
    });
    replace(graph, valueGraph(game, found?.moves ?? [], ply, look));
    drawList();
    drawWaiting();
    drawWords(move, hidden);
    const others = (found?.moves ?? []).filter((one, k) => one.is_mistake && k !== ply).length;
    next.disabled = !others;
    next.classList.toggle("quiet", !others);
  }

  function drawWords(move, hidden) {
    if (!found) return replace(says);
    if (!move) return replace(says, h("p", {}, found.summary), playButton("Continue from here"));
    if (hidden) {
      return replace(
        says,
        h("p", {}, [
          h("b", {}, `${move.challenge} `),
          `The game went on with a mistake. Try it yourself: play a move that ${move.keeps}.`,
        ]),
        h("div", { class: "row" }, [
          button("Pass", "quiet", () => tryMove("PASS", null)),
          button("Show me", "quiet", reveal),
        ]),
      );
    }
    return replace(
      says,
      h("p", {}, [
        `Move ${move.number}, ${move.colour} ${move.move}: `,
        h("b", { class: move.tone }, move.words),
        `${move.sentence.slice(move.words.length)}.`,
      ]),
      playButton(move.is_mistake ? "Play it out against the perfect player" : "Play from here"),
    );
  }

  // Starts a game at the position on the board: at a mistake, before it.
  function playButton(text) {
    return (
      !(ply >= game.moves.length && game.outcome?.verdict === "score") &&
      h("div", { class: "row no-print" }, button(text, "quiet", playFromHere))
    );
  }

  function drawWaiting() {
    const known = found?.moves.filter((move) => move.verdict !== "not_known_yet").length ?? 0;
    progress.classList.toggle("hidden", !UNFINISHED.includes(job?.state));
    const texts = {
      waiting: "Waiting for other work on this server…",
      running: `Working out who was winning, from the end of the game backwards: ${known} of ${game.moves.length} moves so far…`,
    };
    replace(waiting, job ? texts[job.state] : "Loading the review…");
  }

  function drawList() {
    const items = game.moves.map((text, k) => {
      const move = found?.moves[k];
      const { words, tone, sign } = move ?? { words: "not known yet", tone: "soft", sign: "…" };
      const hidden = move?.is_mistake && !revealed.has(k);
      return h("li", {}, [
        h("button", { class: "quiet", "aria-current": ply === k ? "true" : null, onclick: () => look(k) }, [
          h("span", { class: "number" }, String(game.start_move + k + 1)),
          h("span", { class: `disc small ${moverAt(game, k)}` }, h("span", { class: "sr" }, ` ${moverAt(game, k)} `)),
          h("code", {}, hidden ? "?" : text),
          h("span", { class: `sign ${tone}`, "aria-hidden": "true" }, sign),
          h("span", { class: tone }, ` ${words}`),
        ]),
      ]);
    });
    replace(list, items);
    const current = items[ply];
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

  async function tryMove(text, why) {
    const move = found?.moves[ply];
    if (!found) return;
    if (!move?.is_mistake || revealed.has(ply)) {
      toast("To play from this position, use the button beside the board.");
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
      toast(played ? `${text} is what was played: ${move.words}.` : `${text} is a mistake, too.`, "error");
    }
    draw();
  }

  // Whether a move is good that the review does not judge: early in a game it does not have all good moves.
  function ask(move, text) {
    return attempt(async () => {
      const answer = await post("/api/values", { game: id, ply });
      if (text in answer.values) return answer.values[text] === move.before;
      toast(`${text} is still being worked out. Try again in a moment.`);
      return null;
    });
  }

  async function playFromHere() {
    const mine = moverAt(game, ply);
    const branch = await post(`/api/games/${id}/branch`, { ply, [mine]: "human", [opponent(mine)]: "perfect" });
    go(`/play/${branch.id}`);
  }

  async function share() {
    try {
      await navigator.clipboard.writeText(location.href);
      toast("Link copied. Only this server's owner can open it.");
    } catch {
      prompt("The link:", location.href);
    }
  }

  // The arrows step through the game, unless the board has the focus and asks for a move.
  function actionOf(key) {
    const isAsked = Boolean(board.state.turn) && board.element.contains(document.activeElement);
    if (isAsked && key.startsWith("Arrow")) return null;
    return {
      n: nextMistake,
      ArrowLeft: () => look(ply - 1),
      ArrowRight: () => look(ply + 1),
      Home: () => look(0),
      End: () => look(game.moves.length),
    }[key];
  }

  return () => {
    forget?.();
    stopKeys();
  };
}

// Who wins with best play after each move, as bars to click on, with a dot at each mistake.
function valueGraph(game, moves, ply, look) {
  const width = 24;
  const total = (game.moves.length + 1) * width;
  const top = { black: 14, tie: 47, white: 50 };
  const bars = [...moves.map((move) => move.before), moves.at(-1)?.after].map((value, k) => {
    const height = value === "tie" ? 6 : 36;
    return value && s("rect", { class: `value ${value}`, x: k * width + 2, y: top[value], width: width - 4, height });
  });
  const dots = moves.map((move, k) => {
    const d = `M${(k + 1) * width} 50h0.01`;
    return move.is_mistake && [s("path", { class: "halo", d }), s("path", { class: "mistake", d })];
  });
  const hits = game.boards.map((_, k) =>
    s("rect", { class: "hit", x: k * width, y: 0, width, height: 100, onclick: () => look(k) }, [
      s("title", {}, `after move ${game.start_move + k}`),
    ]),
  );
  const label = "Who wins with best play, move by move: above the line Black, below it White, on it a tie";
  const view = { viewBox: `0 0 ${total} 100`, preserveAspectRatio: "none", role: "img", "aria-label": label };
  const side = (colour) => h("span", {}, h("i", { class: `disc small ${colour}` }), capital(colour), " wins");
  return [
    h("div", { class: "plot" }, [
      h("div", { class: "sides", "aria-hidden": "true" }, side("black"), side("white")),
      s("svg", view, [
        s("path", { class: "axis", d: `M0 50H${total}` }),
        bars,
        s("rect", { class: "here", x: ply * width, y: 4, width, height: 92, rx: 5 }),
        dots,
        hits,
      ]),
    ]),
    h("figcaption", {}, [
      h("span", {}, "Who wins with perfect play on both sides, after each move"),
      dots.some(Boolean) && h("span", {}, h("i", { class: "spot" }), " a mistake that changed it"),
    ]),
  ];
}
