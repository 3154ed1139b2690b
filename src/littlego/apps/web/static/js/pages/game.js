// One game that is being played.

import { Board, moverAt, opponent } from "../board/board.js";
import { stoneSound } from "../board/sound.js";
import { followValues, showPass, signs } from "../board/values.js";
import { button, confirmed, h, onKeys, replace, seconds, showError, toast } from "../dom.js";
import { moveName } from "../board/coordinates.js";
import { Colour, halves, plural } from "../words.js";
import { explained, resultCard } from "../results/card.js";
import { about, follow, followGame, get, newerOf, post } from "../server/api.js";

export async function showGame(main, id, go) {
  let game = await get(`/api/games/${id}`);
  let viewed = null; // a ply that is looked at, or null for the game as it stands
  let hints = Boolean(history.state?.hints); // after a reload as before it
  let answer = null;
  let stopHints = null;
  let heard = performance.now();
  let busy = false;
  let judging = false; // whether the end is shown
  let stopReview = null;

  const board = new Board({ size: game.rules.size, label: "The game", onplay: (move, why) => play(move, why) });
  const says = h("p", { class: "says", role: "status", "aria-live": "polite" });
  const seats = h("div", { class: "seats" });
  const moves = h("ol", { class: "moves", "aria-label": "Moves" });
  const buttons = {
    undo: button("Undo", "quiet", () => act("undo")),
    pass: button("Pass", "quiet", pass),
    resign: button("Resign", "quiet", async () => (await confirmed("Resign this game?", "Resign")) && act("resign")),
    hints: button("Hints", "quiet", toggleHints),
    retry: button("Try again", null, () => act("retry")),
  };
  buttons.undo.title = "u";
  buttons.pass.title = "p";
  buttons.hints.title = "h";
  buttons.hints.setAttribute("aria-pressed", String(hints));
  buttons.pass.classList.add("signed");
  const ending = h("div", { class: "stack hidden" });
  const keys = h("p", { class: "keys" }, [
    [
      h("kbd", {}, "arrows"),
      " and ",
      h("kbd", {}, "enter"),
      " play, ",
      h("kbd", {}, "p"),
      " passes, ",
      h("kbd", {}, "u"),
      " undoes, ",
      h("kbd", {}, "h"),
      " shows hints",
    ],
  ]);
  const controls = h("div", { class: "row" }, Object.values(buttons));
  const unsolved = h("p", { class: "soft" });
  const slow = h("p", { class: "soft hidden" }, [
    "Strong players search, and the first time their code must be compiled, so this takes a while. You can leave this page: the game goes on.",
  ]);
  replace(
    main,
    h("h1", { class: "sr" }, `${game.black} against ${game.white}`),
    h("div", { class: "columns" }, [
      h("div", { class: "board-side" }, board.element),
      h("div", { class: "card stack" }, [
        seats,
        says,
        slow,
        ending,
        controls,
        unsolved,
        moves,
        keys,
        h("p", {}, [
          h("a", { href: "/play" }, "New game"),
          " · ",
          h("a", { href: `/api/games/${id}.sgf`, download: "" }, "SGF"),
        ]),
      ]),
    ]),
  );

  const stop = followGame(id, take);
  const ticking = setInterval(drawClocks, 500);
  const stopKeys = onKeys(actionOf);
  take(game);
  if (myTurn()) board.element.focus({ preventScroll: true });

  function take(next) {
    if (newerOf(game, next) === game && next !== game) return;
    const moved = next.moves.join() !== game.moves.join();
    const isMore = next.moves.length > game.moves.length;
    const taken = (state) => state.captured.black + state.captured.white;
    if (isMore && next.moves.at(-1) !== "PASS") stoneSound(taken(next) - taken(game));
    if (next.outcome && !game.outcome) board.element.blur(); // so that the arrow keys step
    game = next;
    heard = performance.now();
    if (moved) viewed = null;
    if (!game.outcome) judging = false; // it was taken back
    if (moved || Boolean(stopHints) !== wantsHints()) ask();
    draw();
  }

  function myTurn() {
    return !game.outcome && game.seats[game.to_move] === "human" && !game.thinking;
  }

  function draw() {
    const ply = viewed ?? game.moves.length;
    const now = viewed === null;
    board.showGame(game, { ply, turn: now && myTurn() ? game.to_move : null, marks: now ? marks() : {} });
    drawSeats();
    replace(says, sentence());
    says.className = `says${game.outcome ? " end" : ""}`;
    const people = Object.values(game.seats).includes("human");
    buttons.undo.disabled =
      !people || !game.moves.length || (game.moves.length === 1 && game.seats[game.first] !== "human");
    buttons.pass.disabled = !myTurn() || !game.rules.passing;
    showPass(buttons.pass, now ? marks().PASS : null);
    buttons.resign.disabled = !myTurn();
    buttons.hints.disabled = Boolean(game.outcome || game.unsolvable);
    buttons.hints.classList.toggle("hidden", Boolean(game.unsolvable));
    replace(unsolved, game.unsolvable && !game.outcome && `No hints and no review: ${game.unsolvable}.`);
    buttons.retry.classList.toggle("hidden", !game.trouble);
    controls.classList.toggle("hidden", Boolean(game.outcome));
    keys.classList.toggle("hidden", Boolean(game.outcome));
    ending.classList.toggle("hidden", !game.outcome);
    if (game.outcome) judge();
    drawMoves(ply);
  }

  function drawSeats() {
    const stones = (k) => [...game.boards.at(-1)].filter((cell) => cell === String(k + 1)).length;
    const stateOf = (colour) =>
      game.to_move === colour ? { "data-turn": !game.outcome, "data-thinking": game.thinking } : {};
    replace(
      seats,
      ["black", "white"].map((colour, k) =>
        h("div", { class: "seat", ...stateOf(colour) }, [
          h("span", { class: `disc ${colour}` }),
          h("span", {}, [
            h("b", {}, game[colour], h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"))),
            h("small", {}, [
              plural(stones(k), "{n} stone", "{n} stones"),
              colour === "white" && ` + ${halves(game.rules.komi)} komi`,
              ` · captured\u00a0${game.captured[colour]}`,
            ]),
          ]),
          h("span", { class: "clock", "data-colour": colour }),
        ]),
      ),
    );
    drawClocks();
  }

  function drawClocks() {
    const used = { black: 0, white: 0 };
    const thisTurn = game.elapsed + (performance.now() - heard) / 1000;
    game.seconds.forEach((value, k) => (used[moverAt(game, k)] += value));
    if (!game.outcome) used[game.to_move] += thisTurn;
    for (const clock of seats.querySelectorAll(".clock")) clock.textContent = seconds(used[clock.dataset.colour]);
    slow.classList.toggle("hidden", !(game.thinking && thisTurn > 8));
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
    viewed = ply === game.moves.length ? null : ply;
    draw();
  }

  function sentence() {
    if (viewed !== null)
      return [
        `After move ${game.start_move + viewed}. `,
        button("Back to the game", "quiet small", () => look(game.moves.length)),
      ];
    if (game.trouble) return game.trouble;
    if (game.outcome) {
      const mine = ["black", "white"].filter((colour) => game.seats[colour] === "human");
      return explained(game, mine.length === 1 ? mine[0] : null);
    }
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
    history.replaceState({ ...history.state, hints }, "");
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
    stopHints = followValues(
      { game: id, ply: game.moves.length },
      (found) => {
        answer = found;
        draw();
      },
      (error) => {
        stopHints?.(); // the next news of the game tries again
        stopHints = null;
        showError(error);
      },
    );
  }

  async function play(move, why) {
    if (game.outcome) return explore(move, why);
    if (viewed !== null) return look(game.moves.length);
    if (!myTurn())
      return toast(game.seats[game.to_move] === "human" ? "One moment…" : `It is ${game[game.to_move]}'s turn.`);
    if (why) return toast(`${name(move)}: ${why}.`, "error");
    if (busy) return undefined;
    busy = true;
    try {
      take(await post(`/api/games/${id}/moves`, { move, at: game.moves.length }));
    } catch (error) {
      showError(error);
      await get(`/api/games/${id}`).then(take, () => {}); // if the server is away, the next news brings the game
    } finally {
      busy = false;
    }
    return undefined;
  }

  /** @param {"undo" | "resign" | "retry"} what */
  async function act(what) {
    take(await post(/** @type {`/api/games/${string}/undo`} */ (`/api/games/${id}/${what}`)));
  }

  // Asks before a pass that gives the game away.
  async function pass() {
    const isSecond = game.moves.at(-1) === "PASS";
    const values =
      !myTurn() || isSecond || game.unsolvable
        ? null
        : await post("/api/values", { game: id, ply: game.moves.length }).catch(() => null);
    const question = myTurn() && whyNotPass(game, values);
    return (!question || (await confirmed(question, "Pass"))) && play("PASS", null);
  }

  // After the end: the review takes up any position, and any move on the board.
  function explore(move, why) {
    const ply = viewed ?? game.moves.length;
    if (why) return toast(`${name(move)}: ${why}.`, "error");
    if (ply === game.moves.length) return toast("The game has ended: step back to try other moves.");
    return go(`/review/${id}?at=${ply}&line=${move}`);
  }

  // The end: the result in squares, as far as the review has come, and what to do next.
  async function judge() {
    if (judging) return;
    judging = true;
    const progress = (done, all) => `Judging your moves, from the last to the first: ${done} of ${all || "…"}`;
    const isJudged = !game.unsolvable && game.moves.length > 0;
    const squares = h("div", {}, isJudged && resultCard(game, null, progress(0, 0)));
    replace(ending, [
      squares,
      h("div", { class: "row" }, [
        h("a", { class: "button", href: `/review/${id}` }, "Review"),
        button("Rematch", "quiet", () => rematch(false)),
        button("Swap colours", "quiet", () => rematch(true)),
      ]),
    ]);
    const { owner, student } = await about();
    if (!isJudged || !(owner || student)) return replace(squares); // visitors get no values
    try {
      const review = await post(`/api/games/${id}/review`);
      stopReview = follow(review, ({ result, done, total, state }) => {
        if (state === "failed") return replace(squares);
        if (state === "done") return replace(squares, resultCard(game, result));
        return replace(squares, resultCard(game, result, progress(done, total)));
      });
    } catch {
      replace(squares);
    }
  }

  async function rematch(swapped) {
    const { edition, size, komi, max_moves } = game.rules;
    const [black, white] = swapped ? ["white", "black"] : ["black", "white"];
    const next = await post("/api/games", {
      edition: /** @type {any} */ (edition === "custom" ? "2025" : edition),
      size,
      komi,
      max_moves,
      black: game.seats[black],
      white: game.seats[white],
      names: { black: game[black], white: game[white] },
    });
    go(`/play/${next.id}`);
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
    stop();
    stopHints?.();
    stopReview?.();
    clearInterval(ticking);
    stopKeys();
  };
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
