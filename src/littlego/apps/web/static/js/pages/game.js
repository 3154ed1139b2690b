// One game that is being played: it lives in the address, and machines think in the page.

import { here, rename } from "../address.js";
import { Board, moverAt } from "../board/board.js";
import { moveName } from "../board/coordinates.js";
import { showLine } from "../board/line.js";
import { showPass, signs } from "../board/values.js";
import { PLAYERS } from "../data.js";
import { button, capital, confirmed, copyLink, download, h, onKeys, replace, showError, toast } from "../dom.js";
import { addressOf, drawn, gameAt, gameText, HUMAN, personOf, positionAt, resigned, sgfOf } from "../go/game.js";
import { opponent } from "../go/position.js";
import { GameReview } from "../go/review.js";
import { keepGame, keepReview, newId } from "../library.js";
import { explained, resultCard } from "../results/card.js";
import { chosenMove, followValues, kernel } from "../thinking.js";
import { Colour, halves, plural } from "../words.js";

export async function showGame(main, go) {
  const place = here();
  let game = drawn(gameAt(place));
  const id = history.state?.id ?? newId();
  let viewed = null; // a ply that is looked at, or null for the game as it stands
  let hints = Boolean(history.state?.hints); // after a reload as before it
  // By hints, by moves taken back, or by what came before a link: then it counts for no rating.
  let helped = history.state?.helped ?? (game.moves.length > 1 || game.start.played > 0);
  let answer = null;
  let stopHints = null;
  let stopLine = null;
  let trouble = "";
  let thinking = null; // stops the machine that thinks
  let judging = null; // stops the review of the end
  let review = null;

  const board = new Board({ size: game.rules.size, label: "The game", onplay: (move, why) => play(move, why) });
  const says = h("div", { class: "says", role: "status", "aria-live": "polite" });
  const seats = { black: h("div", { class: "seat" }), white: h("div", { class: "seat" }) };
  const below = personOf(game) ?? "black";
  const moves = h("ol", { class: "moves", "aria-label": "Moves" });
  const buttons = {
    undo: button("Undo", "quiet", undo),
    pass: button("Pass", "quiet", pass),
    resign: button("Resign", "quiet", resign),
    hints: button("Hints", "quiet", toggleHints),
    retry: button("Try again", null, think),
  };
  buttons.undo.title = "u";
  buttons.pass.title = "p";
  buttons.hints.title = "h";
  buttons.hints.setAttribute("aria-pressed", String(hints));
  buttons.pass.classList.add("signed");
  const ending = h("div", { class: "stack hidden" });
  const keys = h("p", { class: "keys" }, [
    [h("kbd", {}, "arrows"), " and ", h("kbd", {}, "enter"), " play, ", h("kbd", {}, "p"), " passes, "],
    [h("kbd", {}, "u"), " undoes, ", h("kbd", {}, "h"), " shows hints"],
  ]);
  const controls = h("div", { class: "row controls" }, Object.values(buttons));
  const unsolved = h("p", { class: "soft" });
  replace(
    main,
    h("h1", { class: "sr" }, `${game.black} against ${game.white}`),
    h("div", { class: "columns game" }, [
      h("div", { class: "board-side" }, seats[opponent(below)], board.element, seats[below]),
      h("div", { class: "card stack aside" }, [
        says,
        ending,
        controls,
        unsolved,
        moves,
        keys,
        h("p", {}, [
          h("a", { href: "#/play" }, "New game"),
          " · ",
          button("Copy link", "link", copyLink),
          " · ",
          button("SGF", "link", () => download(`${game.black}-${game.white}.sgf`, sgfOf(game))),
        ]),
      ]),
    ]),
  );
  const stopKeys = onKeys(actionOf);
  take(game);
  if (myTurn()) board.element.focus({ preventScroll: true });

  // Shows a state of the game, and goes on with it.
  function take(next) {
    const isMore = next.moves.length > game.moves.length;
    if (next.outcome && !game.outcome) board.element.blur(); // so that the arrow keys step
    if (next.moves !== game.moves) viewed = null;
    const had = game.moves.length;
    game = next;
    trouble = "";
    thinking?.abort();
    thinking = null;
    helped ||= !isMore && next.moves.length < had;
    rename(addressOf("play", game), { id, hints, helped });
    if (game.moves.length) keepGame({ ...asKept(id, game), helped });
    if (!game.outcome) leaveEnd(); // it was taken back
    ask();
    if (!game.outcome && game.seats[game.to_move] !== HUMAN) think();
    draw();
  }

  const put = (change) => take(drawn({ ...game, ended: null, ...change }));

  // The machine to move thinks.
  async function think() {
    thinking?.abort();
    const mine = new AbortController();
    thinking = mine;
    trouble = "";
    draw();
    try {
      const { move, outcome } = await chosenMove(game, positionAt(game), { signal: mine.signal, id });
      if (mine.signal.aborted) return;
      thinking = null;
      const isForfeit = outcome && outcome.verdict !== "score";
      if (move === null || isForfeit) put({ ended: outcome });
      else put({ moves: [...game.moves, move] });
    } catch (error) {
      if (mine.signal.aborted) return;
      thinking = null;
      trouble = `${game[game.to_move]} could not move: ${error.message}`;
      draw();
    }
  }

  function myTurn() {
    return !game.outcome && game.seats[game.to_move] === HUMAN;
  }

  function draw() {
    const ply = viewed ?? game.moves.length;
    const now = viewed === null;
    if (!stopLine) {
      board.showGame(game, { ply, turn: now && myTurn() ? game.to_move : null, marks: now ? marks() : {} });
      replace(says, h("p", {}, sentence()));
      says.className = `says${game.outcome ? " end" : ""}`;
    }
    drawSeats();
    const people = Object.values(game.seats).includes(HUMAN);
    buttons.undo.disabled = !people || undone().length >= game.moves.length;
    buttons.pass.disabled = !myTurn() || !game.rules.passing;
    showPass(buttons.pass, now ? marks().PASS : null);
    buttons.resign.disabled = !myTurn();
    buttons.hints.disabled = Boolean(game.outcome || game.unsolvable);
    buttons.hints.classList.toggle("hidden", Boolean(game.unsolvable));
    replace(unsolved, game.unsolvable && !game.outcome && `No hints and no review: ${game.unsolvable}.`);
    buttons.retry.classList.toggle("hidden", !trouble);
    controls.classList.toggle("hidden", Boolean(game.outcome));
    keys.classList.toggle("hidden", Boolean(game.outcome));
    ending.classList.toggle("hidden", !game.outcome);
    if (game.outcome) judge();
    drawMoves(ply);
  }

  function drawSeats() {
    for (const [k, colour] of ["black", "white"].entries()) {
      const stones = [...game.boards.at(-1)].filter((cell) => cell === String(k + 1)).length;
      const seat = seats[colour];
      seat.toggleAttribute("data-turn", game.to_move === colour && !game.outcome);
      seat.toggleAttribute("data-thinking", game.to_move === colour && Boolean(thinking));
      replace(seat, [
        h("span", { class: `disc ${colour}` }),
        h("b", {}, game[colour], h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"))),
        h("small", {}, [
          plural(stones, "{n} stone", "{n} stones"),
          colour === "white" && ` + ${halves(game.rules.komi)} komi`,
          ` · captured\u00a0${game.captured[colour]}`,
        ]),
      ]);
    }
  }

  function drawMoves(ply) {
    const items = game.moves.map((move, k) => {
      const number = h("span", { class: "number" }, String(game.start_move + k + 1));
      const disc = h("span", { class: `disc small ${moverAt(game, k)}` });
      const colour = h("span", { class: "sr" }, ` ${moverAt(game, k)} `);
      const chosen = button([number, disc, colour, name(move)], null, () => look(k + 1));
      if (ply === k + 1) chosen.setAttribute("aria-current", "true");
      return h("li", {}, chosen);
    });
    replace(moves, items);
    if (viewed === null) moves.scrollTop = moves.scrollHeight;
  }

  function name(move) {
    return moveName(move, game.rules.size);
  }

  function look(ply) {
    closeLine();
    viewed = ply === game.moves.length ? null : ply;
    draw();
  }

  function sentence() {
    if (viewed !== null)
      return [
        `After move ${game.start_move + viewed}. `,
        button("Back to the game", "quiet small", () => look(game.moves.length)),
      ];
    if (trouble) return h("span", { class: "bad" }, trouble);
    if (game.outcome) return explained(game, personOf(game));
    const left = plural(game.plies_left, "{n} move left.", "{n} moves left.");
    if (!myTurn()) return `${game[game.to_move]} is thinking… ${left}`;
    return [
      `${lastMove()}Your move, ${game.to_move}. ${left} `,
      hints && h("span", { class: "hint" }, answer ? answer.words : "Working out what wins…"),
    ];
  }

  // What the other side did, for those who cannot see the board.
  function lastMove() {
    const last = game.moves.at(-1);
    if (!last) return "";
    const mine = game.to_move === "black" ? "1" : "2";
    const mover = Colour(opponent(game.to_move));
    if (last === "PASS") return `${mover} passed: a second pass ends the game. `;
    const [before, after] = game.boards.slice(-2).map((cells) => [...cells].filter((cell) => cell === mine).length);
    const taken = before - after;
    const captured = taken ? plural(taken, " and captured {n} stone", " and captured {n} stones") : "";
    return `${mover} played ${name(last)}${captured}. `;
  }

  function marks() {
    return answer && wantsHints() ? signs(answer) : {};
  }

  function wantsHints() {
    return hints && myTurn() && !game.unsolvable;
  }

  function toggleHints() {
    hints = !hints;
    helped = true;
    rename(addressOf("play", game), { id, hints, helped });
    buttons.hints.setAttribute("aria-pressed", String(hints));
    ask();
    draw();
  }

  // Follows the values of the position as it stands, if they are wanted.
  function ask() {
    stopHints?.();
    stopHints = null;
    answer = null;
    if (!wantsHints()) return;
    const found = (values) => {
      answer = values;
      draw();
    };
    stopHints = followValues(positionAt(game), {}, found, showError);
  }

  function play(move, why) {
    if (stopLine) return undefined;
    if (game.outcome) return explore(move, why);
    if (viewed !== null) return look(game.moves.length);
    if (!myTurn()) return toast(`It is ${game[game.to_move]}'s turn.`);
    if (why) return toast(`${name(move)}: ${why}.`, "error");
    return put({ moves: [...game.moves, move] });
  }

  // The moves that stay when somebody takes back: up to the person's last turn.
  function undone() {
    const mine = personOf(game);
    let length = game.moves.length - 1;
    while (mine && length > 0 && moverAt(game, length) !== mine) length -= 1;
    const stays = mine && moverAt(game, length) !== mine ? game.moves.length : Math.max(0, length);
    return game.moves.slice(0, stays);
  }

  function undo() {
    const stay = undone();
    if (stay.length < game.moves.length) put({ moves: stay });
  }

  async function resign() {
    if (await confirmed("Resign this game?", "Resign")) put({ ended: resigned(game.to_move) });
  }

  // Asks before a pass that gives the game away.
  async function pass() {
    const before = game.moves;
    const isSecond = game.moves.at(-1) === "PASS";
    const values = !myTurn() || isSecond || game.unsolvable ? null : await passValues();
    if (game.moves !== before) return;
    const question = myTurn() && whyNotPass(game, values);
    if (!question || (await confirmed(question, "Pass"))) play("PASS", null);
  }

  // What is known of the position in a moment.
  function passValues() {
    const position = positionAt(game);
    const ask = (place) => kernel.value(place, { known: place.left > 14 });
    return Promise.all([ask(position), ask(position.play("PASS"))]).then(
      ([value, passed]) => value && { value, values: passed ? { PASS: passed } : {} },
      () => null,
    );
  }

  // After the end: the review takes up any position, and any move on the board.
  function explore(move, why) {
    const ply = viewed ?? game.moves.length;
    if (why) return toast(`${name(move)}: ${why}.`, "error");
    if (ply === game.moves.length) return toast("The game has ended: step back to try other moves.");
    return go(addressOf("review", game, { at: ply, line: move }));
  }

  // The end: the result in squares, as far as the review has come, and what to do next.
  function judge() {
    if (judging) return;
    judging = new AbortController();
    const { signal } = judging;
    const progress = (done, all) => `Judging your moves, from the last to the first: ${done} of ${all || "…"}`;
    const isJudged = !game.unsolvable && game.moves.length > 0;
    const squares = h("div", {}, isJudged && resultCard(game, null, progress(0, 0)));
    const why = h("div", {});
    const mine = personOf(game);
    const next = mine && game.outcome.winner === mine && nextOpponent(game.seats[opponent(mine)]);
    replace(ending, [
      why,
      squares,
      h("div", { class: "row" }, [
        next && button(`Next: ${next}`, null, () => rematch(false, next)),
        h("a", { class: next ? "button quiet" : "button", href: `#${addressOf("review", game)}` }, "Review"),
        button("Rematch", "quiet", () => rematch(false)),
        button("Swap colours", "quiet", () => rematch(true)),
      ]),
    ]);
    if (!isJudged) return;
    review = new GameReview(game, kernel);
    const told = () => review.told();
    review
      .work({
        signal,
        take: (done, all) => replace(squares, resultCard(game, told(), progress(done, all))),
      })
      .then(() => {
        const found = told();
        replace(squares, resultCard(game, found));
        replace(why, punishment(found));
        if (mine) keepReview(gameText(game), regretOf(found, mine));
      })
      .catch((error) => {
        if (signal.aborted) return;
        replace(squares, h("p", { class: "bad" }, capital(error.message)));
      });
  }

  // The move that lost, with its punishment to be shown.
  function punishment(found) {
    const losing = found.moves.find((move) => move.verdict === "the_losing_move");
    if (!losing || losing.after === "tie") return null;
    const k = losing.number - 1 - game.start_move;
    const text = `Move ${losing.number}, ${name(losing.move)}, lost it.`;
    const show = (ply, first) => {
      closeLine();
      stopLine = showLine({ board, from: positionAt(game, ply), says, first, close: () => look(k), fail: showError });
    };
    return h("p", { class: "row" }, [
      text,
      button("Show the punishment", "quiet small", () => show(k + 1, text)),
      button("Show the win", "quiet small", () => show(k, "")),
    ]);
  }

  function closeLine() {
    stopLine?.();
    stopLine = null;
  }

  function leaveEnd() {
    judging?.abort();
    judging = null;
    closeLine();
  }

  function rematch(swapped, other = "") {
    const [black, white] = swapped ? ["white", "black"] : ["black", "white"];
    const seats = { black: game.seats[black], white: game.seats[white] };
    const names = { black: game[black], white: game[white] };
    const mine = personOf(game);
    if (other && mine) seats[opponent(mine)] = names[opponent(mine)] = other;
    go(addressOf("play", { ...game, ...names, seats, moves: [], ended: null, seed: newSeed() }));
  }

  function actionOf(key) {
    const ply = viewed ?? game.moves.length;
    const pressed = { u: buttons.undo, p: buttons.pass, h: buttons.hints }[key];
    if (pressed) return !pressed.disabled && (() => pressed.click());
    if (key.startsWith("Arrow") && document.activeElement === document.body && !game.outcome)
      return () => board.element.focus();
    if (key === "ArrowLeft" && game.outcome && ply > 0) return () => look(ply - 1);
    if (key === "ArrowRight" && game.outcome && ply < game.moves.length) return () => look(ply + 1);
    return null;
  }

  return () => {
    thinking?.abort();
    stopHints?.();
    leaveEnd();
    stopKeys();
  };
}

/** A seed for a game's machines. */
export const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0];

// The weakest player that is measured stronger than the one who was beaten; null for none.
export function nextOpponent(beaten) {
  const place = PLAYERS.findIndex(({ name }) => name === beaten);
  return place < 0 ? null : (PLAYERS[place + 1]?.name ?? null);
}

// What the library keeps of a game.
function asKept(id, game) {
  const you = personOf(game);
  return {
    id,
    address: gameText(game),
    black: game.black,
    white: game.white,
    you,
    opponent: you ? game[opponent(you)] : "",
    size: game.rules.size,
    final: game.boards.at(-1),
    moves: game.moves.length,
    winner: game.outcome?.winner ?? null,
    ended: Boolean(game.outcome),
    when: Date.now(),
  };
}

// Of a person's moves in a review: in how many positions the game could be won, how many gave that away, and how many of
// the positions with one right move were solved.
export function regretOf({ moves }, mine) {
  const own = moves.filter(({ colour, before }) => colour === mine && before === mine);
  const only = own.filter(({ good_moves }) => good_moves?.length === 1);
  const given = own.filter((move) => move.is_mistake).length;
  return { won: own.length, given, only: only.length, found: only.filter((move) => !move.is_mistake).length };
}

// What to ask before a pass, if it gives the game away; `values` are those of the position, if they are known.
export function whyNotPass(game, values) {
  const { to_move } = game;
  if (game.moves.at(-1) === "PASS") {
    const isAhead = game.score[to_move] > game.score[opponent(to_move)];
    return isAhead ? null : "A second pass ends the game, and you are behind. Pass anyway?";
  }
  const gives = values?.value === to_move && values.values.PASS && values.values.PASS !== to_move;
  return gives ? "You are winning, and passing throws the win away. Pass anyway?" : null;
}
