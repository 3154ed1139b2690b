// One game that is being played.

import { Board, moverAt, opponent } from "../board/board.js";
import { stoneSound } from "../board/sound.js";
import { followValues, showPass, signs } from "../board/values.js";
import { button, capital, confirmed, h, onKeys, replace, seconds, showError, toast } from "../dom.js";
import { moveName } from "../language/coordinates.js";
import { aColour, Colour, halves, t, tn, ts, tx } from "../language/language.js";
import { explained, resultCard } from "../results/card.js";
import { follow, followGame, get, post } from "../server/api.js";
import { UNFINISHED } from "../server/progress.js";

export async function showGame(main, id, go) {
  let game = await get(`/api/games/${id}`);
  let viewed = null; // a ply that is looked at, or null for the game as it stands
  let hints = false;
  let answer = null;
  let stopHints = null;
  let heard = performance.now();
  let busy = false;
  let judging = false; // whether the end is shown
  let reviewed = null; // the job that judges the moves
  let stopReview = null;

  const board = new Board({ size: game.rules.size, label: t("The game"), onplay: (move, why) => play(move, why) });
  const says = h("p", { class: "says", role: "status", "aria-live": "polite" });
  const seats = h("div", { class: "seats" });
  const moves = h("ol", { class: "moves", "aria-label": t("Moves") });
  const buttons = {
    undo: button(t("Undo"), "quiet", () => act("undo")),
    pass: button(t("Pass"), "quiet", pass),
    resign: button(
      t("Resign"),
      "quiet",
      async () => (await confirmed(t("Resign this game?"), t("Resign"))) && act("resign"),
    ),
    hints: button(t("Hints"), "quiet", toggleHints),
    retry: button(t("Try again"), null, () => act("retry")),
  };
  buttons.undo.title = "u";
  buttons.pass.title = "p";
  buttons.hints.setAttribute("aria-pressed", "false");
  const ending = h("div", { class: "stack hidden" });
  const keys = h("p", { class: "keys" }, [
    tx("{arrows} and {enter} play, {p} passes, {u} undoes, {h} shows hints", {
      arrows: h("kbd", {}, t("arrows")),
      enter: h("kbd", {}, t("enter")),
      p: h("kbd", {}, "p"),
      u: h("kbd", {}, "u"),
      h: h("kbd", {}, "h"),
    }),
  ]);
  const controls = h("div", { class: "row" }, Object.values(buttons));
  const slow = h("p", { class: "soft hidden" }, [
    t(
      "Strong players search, and the first time their code must be compiled, so this takes a while. You can leave this page: the game goes on.",
    ),
  ]);
  replace(
    main,
    h("h1", { class: "sr" }, t("{black} against {white}", game)),
    h("div", { class: "columns" }, [
      h("div", { class: "board-side" }, board.element),
      h("div", { class: "card stack" }, [
        seats,
        says,
        slow,
        ending,
        controls,
        moves,
        keys,
        h("p", {}, [
          h("a", { href: "/play" }, t("New game")),
          " · ",
          h("a", { href: `/api/games/${id}.sgf`, download: "" }, "SGF"),
        ]),
      ]),
    ]),
  );

  const stop = followGame(id, take);
  const ticking = setInterval(drawClocks, 500);
  const stopKeys = onKeys(actionOf);
  addEventListener("pagehide", leaveReview);
  take(game);
  if (myTurn()) board.element.focus({ preventScroll: true });

  function take(next) {
    if (next.version < game.version) return; // an answer that newer news has overtaken
    const moved = next.moves.join() !== game.moves.join();
    const isMore = next.moves.length > game.moves.length;
    const taken = (state) => state.captured.black + state.captured.white;
    if (isMore && next.moves.at(-1) !== "PASS") stoneSound(taken(next) - taken(game));
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
    buttons.hints.title = game.unsolvable ? capital(ts(game.unsolvable)) : "h";
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
              tn(stones(k), "{n} stone", "{n} stones"),
              colour === "white" && ` + ${t("{komi} komi", { komi: halves(game.rules.komi) })}`,
              ` · ${t("took {stones}", { stones: game.captured[colour] })}`,
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
      const colour = h("span", { class: "sr" }, ` ${aColour(moverAt(game, k))} `);
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
        `${t("After move {number}.", { number: game.start_move + viewed })} `,
        button(t("Back to the game"), "quiet small", () => look(game.moves.length)),
      ];
    if (game.trouble) return ts(game.trouble);
    if (game.outcome) {
      const mine = ["black", "white"].filter((colour) => game.seats[colour] === "human");
      const isMine = mine.length === 1 && game.outcome.winner;
      const lead = !isMine ? "" : mine[0] === game.outcome.winner ? t("You won.") : t("You lost.");
      return `${lead} ${explained(game)}`.trim();
    }
    const left = tn(game.plies_left, "{n} move left.", "{n} moves left.");
    if (!myTurn()) return `${t("{name} is thinking…", { name: game[game.to_move] })} ${left}`;
    return [
      `${lastMove()}${t("Your move, {colour}.", { colour: aColour(game.to_move) })} ${left} `,
      hints && h("span", { class: "hint" }, answer ? ts(answer.words) : t("Working out what wins…")),
    ];
  }

  // What the other side did, for those who cannot see the board.
  function lastMove() {
    const last = game.moves.at(-1);
    if (!last) return "";
    const mine = game.to_move === "black" ? "1" : "2";
    const values = { colour: Colour(opponent(game.to_move)), move: name(last) };
    if (last === "PASS") return `${t("{colour} passed: a second pass ends the game.", values)} `;
    const [before, after] = game.boards.slice(-2).map((cells) => [...cells].filter((cell) => cell === mine).length);
    const taken = before - after;
    if (!taken) return `${t("{colour} played {move}.", values)} `;
    const captured = tn(
      taken,
      "{colour} played {move} and captured {n} stone.",
      "{colour} played {move} and captured {n} stones.",
      values,
    );
    return `${captured} `;
  }

  function marks() {
    return answer && wantsHints() ? signs(answer) : {};
  }

  function wantsHints() {
    return hints && myTurn() && !game.unsolvable;
  }

  function toggleHints() {
    hints = !hints;
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
      return toast(
        game.seats[game.to_move] === "human"
          ? t("One moment…")
          : t("It is {name}'s turn.", { name: game[game.to_move] }),
      );
    if (why) return toast(`${name(move)}: ${ts(why)}.`, "error");
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
    const { to_move } = game;
    if (!myTurn()) return play("PASS", null);
    const ahead = game.score[to_move] > game.score[opponent(to_move)];
    if (game.moves.at(-1) === "PASS") {
      const sure =
        ahead || (await confirmed(t("A second pass ends the game, and you are behind. Pass all the same?"), t("Pass")));
      return sure && play("PASS", null);
    }
    const values = game.unsolvable
      ? null
      : await post("/api/values", { game: id, ply: game.moves.length }).catch(() => null);
    const gives = values && values.value === to_move && values.values.PASS && values.values.PASS !== to_move;
    if (gives && !(await confirmed(t("You are winning, and a pass gives the win away. Pass all the same?"), t("Pass"))))
      return;
    return play("PASS", null);
  }

  // After the end: the review takes up any position, and any move on the board.
  function explore(move, why) {
    const ply = viewed ?? game.moves.length;
    if (why) return toast(`${name(move)}: ${ts(why)}.`, "error");
    if (ply === game.moves.length) return toast(t("The game has ended: step back to try other moves."));
    return go(`/review/${id}?at=${ply}&line=${move}`);
  }

  // The end: the result in squares, as far as the review has come, and what to do next.
  async function judge() {
    if (judging) return;
    judging = true;
    const progress = (done, all) =>
      t("Judging your moves, from the last to the first: {done} of {all}", { done, all: all || "…" });
    const isJudged = !game.unsolvable && game.moves.length > 0;
    const squares = h("div", {}, isJudged && resultCard(game, null, progress(0, 0)));
    replace(ending, [
      squares,
      h("div", { class: "row" }, [
        h("a", { class: "button", href: `/review/${id}` }, t("Review")),
        button(t("Rematch"), "quiet", () => rematch(false)),
        button(t("Swap colours"), "quiet", () => rematch(true)),
      ]),
    ]);
    if (!isJudged) return;
    try {
      reviewed = await post(`/api/games/${id}/review`);
      stopReview = follow(reviewed, ({ result, done, total, state }) => {
        reviewed = { ...reviewed, state };
        if (state === "failed") return replace(squares);
        if (state === "done") return replace(squares, resultCard(game, result));
        return replace(squares, resultCard(game, result, progress(done, total)));
      });
    } catch {
      replace(squares);
    }
  }

  // Nobody waits for the squares any more, unless the review itself is opened: then others should not wait for them.
  function leaveReview() {
    const isWanted = location.pathname.startsWith(`/review/${id}`);
    if (UNFINISHED.includes(reviewed?.state) && !isWanted) navigator.sendBeacon(`/api/jobs/${reviewed.id}/cancel`);
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
    removeEventListener("pagehide", leaveReview);
    leaveReview();
    clearInterval(ticking);
    stopKeys();
  };
}
