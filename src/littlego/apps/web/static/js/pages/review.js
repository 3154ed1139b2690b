// Review: what each move did to the exact value of the game, and the move that lost it.

import { Analysis } from "../board/analysis.js";
import { moverAt } from "../board/board.js";
import { points } from "../board/values.js";
import { attempt, button, capital, h, onKeys, onSubmit, replace, s, showError, toast } from "../dom.js";
import { moveName, withNames } from "../board/coordinates.js";
import { Colour } from "../words.js";
import { explained, resultCard } from "../results/card.js";
import { gameHistory } from "../results/history.js";
import { about, follow, get, post, put } from "../server/api.js";
import { UNFINISHED } from "../server/progress.js";

export const title = "Review";

export async function show(main, [id], { go }) {
  return id ? showReview(main, id, go) : showChoice(main, go);
}

async function showChoice(main, go) {
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
  replace(main, h("div", { class: "stack" }, card, await gameHistory()));
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
  const [game, begunReview] = await Promise.all([
    get(`/api/games/${id}`),
    post(`/api/games/${id}/review`).catch((error) => error), // the game can be looked at all the same
  ]);
  const asked = new URLSearchParams(location.search);
  const wished = asked.has("at") ? Math.max(0, Math.min(game.moves.length, Number(asked.get("at")) || 0)) : null;
  let job = null;
  let found = null;
  let tried = {};
  let jumped = wished !== null;
  let forget = null;
  let begun = false;
  const revealed = new Set();

  const analysis = new Analysis({
    game,
    at: wished ?? game.moves.length,
    line: asked.get("line")?.split("_") ?? [],
    label: "The position",
    values: asked.has("line"),
    go,
    ondraw: draw,
    asks: () => (isHidden() ? { take: tryMove, marks: tried } : null),
    marks,
  });
  const graph = h("figure", { class: "graph" });
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const progress = h("progress", { class: "hidden", max: 1, value: 0, "aria-label": "Review" });
  const waiting = h("p", { class: "soft" });
  const list = h("ol", { class: "verdicts" });
  const card = h("div", {});
  const sgf = h("a", { class: "button quiet", href: analysis.sgf(), download: "" }, "SGF");
  const next = button(["Next mistake", " ", h("kbd", {}, "n")], "", nextMistake);
  try {
    await analysis.begin();
  } catch (error) {
    showError(error); // the address has moves that cannot be played
    analysis.line = [];
    await analysis.begin();
  }
  begun = true;
  if (begunReview instanceof Error) {
    progress.remove();
    waiting.remove();
    replace(says, h("p", { class: "bad" }, capital(begunReview.message)));
  } else forget = follow(begunReview, take);
  replace(
    main,
    h("div", { class: "columns" }, [
      h("div", { class: "board-side stack" }, [
        analysis.board.element,
        says,
        h("div", { class: "row no-print tools" }, analysis.steps, analysis.pass, analysis.toggle, next),
        analysis.legend,
        graph,
        analysis.from,
      ]),
      h("div", { class: "card stack" }, [
        h("h1", {}, `${game.black} – ${game.white}`),
        h("p", {}, game.outcome ? explained(game) : "This game is not finished."),
        progress,
        waiting,
        card,
        list,
        h("p", { class: "row no-print" }, [
          button("Copy link", "quiet", share),
          sgf,
          button("Print", "quiet", () => print()),
        ]),
      ]),
    ]),
  );
  scrollList();
  const stopKeys = onKeys((key) => (key === "n" ? nextMistake : analysis.actionOf(key)), true); // before the board

  function take(update) {
    const isOvertaken = job?.id === update.id && job.state === "done" && update.state !== "done";
    if (isOvertaken) return; // newer news came first
    job = update;
    found = update.result ?? found;
    progress.max = update.total || 1;
    progress.value = update.state === "done" ? progress.max : update.done;
    if (update.state === "failed") showError({ message: update.message });
    if (found?.losing_move && !jumped && update.state === "done") {
      jumped = true;
      analysis.look(found.losing_move - 1 - game.start_move); // the position before that move
      return;
    }
    if (analysis.shown) analysis.draw();
  }

  function reviewed() {
    return analysis.inVariation ? null : found?.moves[analysis.at];
  }

  function isHidden() {
    return Boolean(reviewed()?.is_mistake && !revealed.has(analysis.at) && !analysis.showsValues);
  }

  function marks() {
    const move = reviewed();
    if (!move) return {};
    const signs = {};
    for (const good of move.good_moves ?? (move.one_good_move ? [move.one_good_move] : []))
      signs[good] = move.before === "tie" ? "tie" : "won";
    if (move.is_mistake) signs[move.move] = "wrong";
    return { ...signs, ...tried };
  }

  function draw() {
    const ply = analysis.at;
    if (begun) {
      const line = analysis.line.length ? `&line=${analysis.line.join("_")}` : "";
      history.replaceState({}, "", `/review/${id}?at=${ply}${line}`);
    }
    sgf.href = analysis.sgf();
    replace(graph, valueGraph(game, found, ply, look));
    drawList();
    drawWaiting();
    drawWords();
    next.disabled = mistakeAfter(found?.moves ?? [], ply) === null;
    next.classList.toggle("quiet", next.disabled);
    replace(card, job?.state === "done" && found && resultCard(game, found));
  }

  function drawWords() {
    const move = reviewed();
    if (analysis.inVariation) {
      replace(
        says,
        h("p", {}, analysis.variation(), analysis.sentence()),
        h(
          "div",
          { class: "row" },
          button("Back to the game", "quiet small", () => look(analysis.at)),
        ),
      );
    } else if (!found) replace(says, analysis.showsValues && h("p", {}, analysis.sentence()));
    else if (!move) replace(says, h("p", {}, words(found.summary)));
    else if (isHidden())
      replace(
        says,
        h("p", {}, [
          h("b", {}, words(move.challenge)),
          " ",
          move.before === "tie"
            ? "The game went on with a mistake. Try it yourself: play a move that keeps the tie."
            : "The game went on with a mistake. Try it yourself: play a move that keeps the win.",
        ]),
        h("div", { class: "row" }, button("Show me", "quiet small", reveal)),
      );
    else
      replace(
        says,
        h("p", {}, [
          `Move ${move.number}, ${move.colour} ${name(move.move)}: `,
          h("b", { class: move.tone }, words(move.words)),
          move.better && `: ${words(move.better)}`,
          `${words(move.sentence.slice(`${move.words}${move.better && `: ${move.better}`}`.length))}. `,
          analysis.showsValues && analysis.answer && words(analysis.answer.words),
        ]),
        move.is_mistake &&
          move.before === move.colour &&
          h("div", { class: "row no-print" }, button("Drill this", "quiet small", drill)),
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
      const { words: verdict, tone, sign } = move ?? { words: "not known yet", tone: "soft", sign: "…" };
      const hidden = move?.is_mistake && !revealed.has(k);
      return h("li", {}, [
        h("button", { class: "quiet", "aria-current": analysis.at === k ? "true" : null, onclick: () => look(k) }, [
          h("span", { class: "number" }, String(game.start_move + k + 1)),
          h("span", { class: `disc small ${moverAt(game, k)}` }, h("span", { class: "sr" }, ` ${moverAt(game, k)} `)),
          h("code", {}, hidden ? "?" : name(text)),
          h("span", { class: `sign ${tone}`, "aria-hidden": "true" }, sign),
          h("span", { class: tone }, ` ${verdict}`),
        ]),
      ]);
    });
    replace(list, items);
    scrollList();
  }

  function scrollList() {
    const current = /** @type {HTMLElement} */ (list.children[analysis.at]);
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  function name(move) {
    return moveName(move, game.rules.size);
  }

  // A sentence of the server, with its points called as people chose.
  function words(text) {
    return withNames(text, game.rules.size);
  }

  function look(to) {
    tried = {};
    return analysis.look(to);
  }

  function reveal() {
    revealed.add(analysis.at);
    tried = {};
    analysis.draw();
  }

  function nextMistake() {
    const next = mistakeAfter(found?.moves ?? [], analysis.at);
    if (next !== null) look(next);
  }

  async function tryMove(text) {
    const move = reviewed();
    const why = move.illegal[text];
    if (why) return toast(`${name(text)}: ${why}.`, "error");
    let right = move.good_moves ? move.good_moves.includes(text) : null;
    if (text === move.move) right = false;
    if (text === move.one_good_move) right = true;
    if (right === null) right = await ask(move, text);
    if (right === null) return;
    tried = { ...tried, [text]: right ? (move.before === "tie" ? "tie" : "won") : "wrong" };
    if (right) {
      revealed.add(analysis.at);
      toast(move.before === "tie" ? `${name(text)} keeps the tie.` : `${name(text)} keeps the win.`);
    } else {
      const verdict = text === move.move ? `is what was played: ${words(move.words)}.` : "is a mistake, too.";
      toast(`${name(text)} ${verdict}`, "error");
    }
    analysis.draw();
  }

  // Whether a move is good that the review does not judge: early in a game it does not have all good moves.
  function ask(move, text) {
    return attempt(async () => {
      const answer = await post("/api/values", { game: id, ply: analysis.at });
      if (text in answer.values) return answer.values[text] === move.before;
      toast(`${name(text)} is still being worked out. Try again in a moment.`);
      return null;
    });
  }

  async function drill() {
    const deck = await post("/api/decks/kept", { game: id, ply: analysis.at });
    toast(["Saved to your drills.", " ", h("a", { href: `/drills/${deck.id}` }, "Practise it now")]);
  }

  async function share() {
    try {
      await navigator.clipboard.writeText(location.href);
      const { student } = await about();
      toast(`Link copied. Only ${student ? "you and your teacher" : "this server's owner"} can open it.`);
    } catch {
      prompt("The link:", location.href);
    }
  }

  return () => {
    forget?.();
    analysis.stop();
    stopKeys();
  };
}

// The next mistake after `at`, from the end on the first one again; null if there is no other.
export function mistakeAfter(moves, at) {
  const others = moves.map((move, k) => (move.is_mistake && k !== at ? k : null)).filter((k) => k !== null);
  return others.find((k) => k > at) ?? others[0] ?? null;
}

// Who wins with best play after each move, as bars to click on, with a dot at each mistake. The height is by how much, where
// that is known; a pale bar says only who.
function valueGraph(game, found, ply, look) {
  const moves = found?.moves ?? [];
  const width = 24;
  const total = (game.moves.length + 1) * width;
  const komi = game.rules.komi;
  const values = [...moves.map((move) => [move.before, move.margin_before])];
  if (moves.length) values.push([moves.at(-1).after, moves.at(-1).margin_after]);
  const bars = values.map(([value, margin], k) => {
    const isKnown = margin !== null && margin !== undefined;
    const height = value === "tie" ? 6 : isKnown ? 7 + Math.min(35, 7 * Math.sqrt(Math.abs(margin - komi))) : 20;
    const y = value === "black" ? 50 - height : value === "tie" ? 47 : 50;
    const amount = isKnown && points(Math.abs(margin - komi)).replace("+", "");
    const wins = isKnown ? `${Colour(value)} wins by ${amount}` : `${Colour(value)} wins`;
    return (
      value &&
      s("rect", { class: `value ${isKnown ? "" : "pale "}${value}`, x: k * width + 2, y, width: width - 4, height }, [
        s("title", {}, value === "tie" ? "a tie" : wins),
      ])
    );
  });
  const dots = moves.map((move, k) => {
    const d = `M${(k + 1) * width} 50h0.01`;
    return move.is_mistake && [s("path", { class: "halo", d }), s("path", { class: "mistake", d })];
  });
  const hits = game.boards.map((_, k) =>
    s("rect", { class: "hit", x: k * width, y: 0, width, height: 100, onclick: () => look(k) }, [
      s("title", {}, [`after move ${game.start_move + k}`, bars[k] ? `: ${bars[k].textContent}` : ""]),
    ]),
  );
  const label = "Who wins with best play, move by move: above the line Black, below it White, on it a tie";
  const view = { viewBox: `0 0 ${total} 100`, preserveAspectRatio: "none", role: "img", "aria-label": label };
  const side = (colour) => h("span", {}, h("i", { class: `disc small ${colour}` }), `${Colour(colour)} wins`);
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
      h("span", {}, [
        "Who wins with perfect play on both sides.",
        " ",
        bars.some((bar) => bar?.classList.contains("pale")) &&
          `The height is by how much, computed with up to ${found.margins_left} moves left; a pale bar says only who.`,
      ]),
      dots.some(Boolean) && h("span", {}, h("i", { class: "spot" }), ` a mistake that changed it`),
    ]),
  ];
}
