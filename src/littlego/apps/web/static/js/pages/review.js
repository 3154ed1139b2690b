// Review: what each move did to the exact value of the game, and the move that lost it.

import { here, rename } from "../address.js";
import { Analysis } from "../board/analysis.js";
import { moverAt } from "../board/board.js";
import { moveName, withNames } from "../board/coordinates.js";
import { showLine } from "../board/line.js";
import { points } from "../board/values.js";
import {
  attempt,
  button,
  capital,
  copyLink,
  download,
  forgetErrors,
  h,
  onKeys,
  onSubmit,
  replace,
  s,
  showError,
  toast,
} from "../dom.js";
import {
  addressOf,
  decodedText,
  drawn,
  gameAt,
  gameOfText,
  gameText,
  movesOf,
  movesText,
  personOf,
  positionAt,
} from "../go/game.js";
import { opponent } from "../go/position.js";
import { GameReview } from "../go/review.js";
import { keepAnswer, keepReview } from "../library.js";
import { explained, resultCard } from "../results/card.js";
import { gameHistory } from "../results/history.js";
import { kernel } from "../thinking.js";
import { Colour } from "../words.js";
import { regretOf } from "./game.js";

export const title = "Review";

export async function show(main, [game], { go }) {
  return game ? showReview(main, go) : showChoice(main, go);
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
      "Every move is compared with perfect play. Paste an SGF or a capsule, drop a file here, or choose a game that you played here.",
    ]),
    h("form", { class: "stack", onsubmit: onSubmit(takeText) }, [
      field,
      h("div", { class: "row" }, h("button", {}, "Review"), file),
    ]),
  ]);
  const games = await gameHistory();
  replace(main, h("div", { class: "stack" }, games.querySelector(".board") ? [games, card] : [card, games]));
  const over = (event) => event.preventDefault();
  const drop = (event) => {
    event.preventDefault();
    takeFile(event.dataTransfer.files[0]);
  };
  main.addEventListener("dragover", over);
  main.addEventListener("drop", drop);

  function takeText({ text }) {
    go(addressOf("review", gameOfText(text)));
  }

  function takeFile(chosen) {
    forgetErrors();
    if (!chosen) return;
    attempt(async () => {
      try {
        takeText({ text: decodedText(await chosen.arrayBuffer()) });
      } catch (error) {
        throw new Error(`“${chosen.name}”: ${error.message}`);
      }
    });
  }

  return () => {
    main.removeEventListener("dragover", over);
    main.removeEventListener("drop", drop);
  };
}

async function showReview(main, go) {
  const place = here();
  const game = drawn(gameAt(place));
  const mine = personOf(game);
  const asked = place.query;
  const wished = asked.has("at") ? Math.max(0, Math.min(game.moves.length, Number(asked.get("at")) || 0)) : null;
  const stopping = new AbortController();
  const review = game.unsolvable ? null : new GameReview(game, kernel);
  let stopLine = null;
  let found = null;
  let tried = {};
  let jumped = wished !== null;
  let begun = false;
  const revealed = new Set();

  const analysis = new Analysis({
    game,
    at: wished ?? game.moves.length,
    line: lineAsked(asked.get("line") ?? ""),
    label: "The position",
    values: asked.has("line"),
    go,
    ondraw: draw,
    onleave: () => closeLine(),
    asks: () => (isHidden() ? { take: tryMove, marks: tried } : null),
    marks,
  });
  const graph = h("figure", { class: "graph" });
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const progress = h("progress", { class: "hidden", max: 1, value: 0, "aria-label": "Review" });
  const waiting = h("p", { class: "soft" });
  const list = h("ol", { class: "verdicts" });
  const card = h("div", {});
  const next = button(["Next mistake", " ", h("kbd", {}, "n")], "", nextMistake);
  try {
    await analysis.begin();
  } catch (error) {
    showError(error); // the address has moves that cannot be played
    analysis.line = [];
    await analysis.begin();
  }
  begun = true;
  replace(
    main,
    h("div", { class: "columns" }, [
      h("div", { class: "board-side stack" }, [
        analysis.board.element,
        says,
        h("div", { class: "row tools" }, analysis.steps, analysis.pass, analysis.toggle, next),
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
        h("p", { class: "row" }, [
          button("Copy link", "quiet", copyLink),
          button("SGF", "quiet", () => download(`${game.black}-${game.white}.sgf`, analysis.sgf())),
        ]),
      ]),
    ]),
  );
  scrollList();
  if (!review) {
    progress.remove();
    waiting.remove();
    replace(says, h("p", { class: "bad" }, `${capital(game.unsolvable)}.`));
  } else work();
  const stopKeys = onKeys((key) => (key === "n" ? nextMistake : analysis.actionOf(key)), true); // before the board

  // Works the review out, and shows what is known as it goes.
  async function work() {
    let drawnAt = 0;
    const take = (done, all) => {
      Object.assign(progress, { max: all, value: done });
      if (performance.now() - drawnAt < 200) return; // a person reads no faster
      found = review.told();
      analysis.draw();
      drawnAt = performance.now();
    };
    try {
      await review.work({ signal: stopping.signal, take });
    } catch (error) {
      if (!stopping.signal.aborted) showError(error);
      return;
    }
    found = review.told();
    if (mine) keepReview(gameText(game), regretOf(found, mine));
    if (found.losing_move && !jumped) {
      jumped = true;
      analysis.look(found.losing_move - 1 - game.start_move); // the position before that move
    } else analysis.draw();
  }

  function lineAsked(text) {
    try {
      return movesOf(text);
    } catch (error) {
      showError(error);
      return [];
    }
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
      rename(addressOf("review", game, { at: ply, line: movesText(analysis.line) }));
    }
    replace(graph, valueGraph(game, found, ply, look));
    drawList();
    drawWaiting();
    drawWords();
    next.disabled = mistakeAfter(found?.moves ?? [], ply) === null;
    next.classList.toggle("quiet", next.disabled);
    replace(card, found?.complete && resultCard(game, found));
  }

  function drawWords() {
    const move = reviewed();
    if (stopLine) return;
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
          h("div", { class: "row" }, [
            move.after === opponent(move.colour) &&
              button("Show the punishment", "quiet small", () => line(analysis.at + 1)),
            move.before === move.colour && button("Show the win", "quiet small", () => line(analysis.at)),
            move.before === move.colour && move.good_moves && button("Drill this", "quiet small", drill),
          ]),
      );
  }

  // The line that follows from a position of the game, played out on the board.
  function line(k) {
    closeLine();
    const move = found.moves[analysis.at];
    const first = k > analysis.at ? `After ${name(move.move)}.` : "Before the move.";
    const close = () => {
      closeLine();
      analysis.draw();
    };
    analysis.held = true;
    stopLine = showLine({ board: analysis.board, from: positionAt(game, k), says, first, close, fail: showError });
  }

  function closeLine() {
    stopLine?.();
    stopLine = null;
    analysis.held = false;
  }

  function drawWaiting() {
    const known = found?.moves.filter((move) => move.verdict !== "not_known_yet").length ?? 0;
    progress.classList.toggle("hidden", !review || review.isDone);
    const words = `Working out who was winning, from the end of the game backwards: ${known} of ${game.moves.length} moves so far…`;
    replace(waiting, review && !review.isDone && words);
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
    closeLine();
    return analysis.look(to);
  }

  function reveal() {
    revealed.add(analysis.at);
    tried = {};
    closeLine();
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
  async function ask(move, text) {
    const after = positionAt(game, analysis.at, [text]);
    return attempt(async () => (await kernel.value(after, { signal: stopping.signal })) === move.before);
  }

  async function drill() {
    const address = gameText({ ...game, moves: game.moves.slice(0, analysis.at), ended: null });
    await keepAnswer({ id: `mine:${address}`, right: 0, wrong: 0, due: 0, deck: "mine", address });
    toast(["Saved to your drills.", " ", h("a", { href: "#/drills/mine" }, "Practise it now")]);
  }

  return () => {
    stopping.abort();
    closeLine();
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
