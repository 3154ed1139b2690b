// Play: choose an opponent, and a game.

import { get, listen, post } from "../api.js";
import { Board } from "../board.js";
import { capital, formValues, h, plural, replace, seconds, toast } from "../dom.js";
import { followValues, showPass, signs } from "../values.js";

export const title = "Play";

const ORDER = [
  "random",
  "greedy",
  "qlearning",
  "aggressive",
  "smart",
  "alphabeta",
  "learner",
  "champion",
  "agent",
  "perfect",
];

export async function show(main, [id], { go }) {
  return id ? showGame(main, id, go) : showSetup(main, go);
}

// Choosing

async function showSetup(main, go) {
  const board = new Board({ size: 5, label: "An empty board" });
  board.show({ cells: "0".repeat(25) });
  const [players, about, games] = await Promise.all([
    get("/api/players"),
    get("/api/about"),
    get("/api/games?most=12"),
  ]);
  const kept = JSON.parse(localStorage.getItem("setup") ?? "{}");
  const known = new Map(players.map((player) => [player.name, player.summary]));
  const names = ORDER.filter((name) => known.has(name));
  const saying = h("p", { class: "about", id: "opponent", role: "status" });
  const other = h("input", {
    name: "other",
    value: kept.other ?? "",
    "aria-label": "Another player",
    placeholder: about.local ? "path/to/agent" : "agent:ID",
    maxlength: 400,
  });
  const form = h(
    "form",
    { class: "card stack", onsubmit: begin },
    h("h1", {}, "Play Little-Go"),
    h(
      "p",
      {},
      "Twenty-four moves on five lines. More stones on the board wins; White has two and a half to begin with.",
    ),
    h(
      "fieldset",
      { onchange: tell },
      h("legend", {}, "Against, from weak to strong"),
      h(
        "div",
        { class: "opponents" },
        names.map((name, k) =>
          h(
            "label",
            {},
            h("input", {
              type: "radio",
              name: "opponent",
              value: name,
              checked: name === (kept.opponent ?? "random"),
              "aria-describedby": "opponent",
            }),
            h("b", {}, name),
            strength((k + 1) / names.length),
          ),
        ),
        h(
          "label",
          { class: "any" },
          h("input", {
            type: "radio",
            name: "opponent",
            value: "",
            checked: kept.opponent === "",
            "aria-describedby": "opponent",
          }),
          h("b", {}, "another…"),
        ),
      ),
      saying,
      other,
    ),
    h(
      "div",
      { class: "choice" },
      select(
        "You play",
        "colour",
        [
          ["black", "Black, first"],
          ["white", "White"],
          ["both", "Both sides"],
        ],
        kept.colour,
      ),
      select(
        "Edition",
        "edition",
        [
          ["2025", "2025"],
          ["2024", "2024"],
          ["2022", "2022"],
          ["2019", "2019"],
        ],
        kept.edition,
      ),
      select(
        "Board",
        "size",
        [5, 2, 3, 4, 6, 7, 9, 13, 19].map((n) => [n, `${n}×${n}`]),
        kept.size,
      ),
    ),
    h("button", { type: "submit" }, "Begin"),
  );
  replace(
    main,
    h(
      "div",
      { class: "stack" },
      h("div", { class: "columns setup" }, h("div", { class: "board-side" }, board.element), form),
      games.length > 0 && recent(games),
    ),
  );
  tell();

  // Says who the chosen opponent is, and asks for the name of one that is not on the list.
  function tell() {
    const chosen = formValues(form).opponent;
    const others = about.local
      ? "A directory with an agent, or agent:ID, class:FILE, cmd:COMMAND, gtp:COMMAND."
      : "agent:ID, of an agent from the arena.";
    replace(saying, chosen ? `${capital(known.get(chosen))}.` : others);
    other.classList.toggle("hidden", Boolean(chosen));
    other.required = !chosen;
  }

  async function begin(event) {
    event.preventDefault();
    const chosen = formValues(form);
    localStorage.setItem("setup", JSON.stringify(chosen));
    const opponent = chosen.opponent || chosen.other.trim();
    /** @type {any} */
    const asked = { edition: chosen.edition, size: Number(chosen.size), black: "human", white: "human" };
    if (chosen.colour === "black") asked.white = opponent;
    else if (chosen.colour === "white") asked.black = opponent;
    else asked.names = { black: "Black", white: "White" };
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    try {
      const game = await post("/api/games", asked);
      go(`/play/${game.id}`);
    } catch (error) {
      toast(error.message, "error");
      button.disabled = false;
    }
  }
}

function strength(share) {
  const bar = h("span", { class: "strength", "aria-hidden": "true" });
  bar.style.setProperty("--filled", `${Math.round(100 * share)}%`);
  return bar;
}

function select(label, name, choices, kept) {
  return h(
    "label",
    {},
    h("span", {}, label),
    h(
      "select",
      { name },
      choices.map(([value, text]) => h("option", { value, selected: String(value) === String(kept) }, text)),
    ),
  );
}

export function recent(games) {
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Earlier games"),
    h(
      "div",
      { class: "games" },
      games.map((game) => {
        const board = new Board({ size: game.size, label: `${game.black} against ${game.white}`, coordinates: false });
        board.show({ cells: game.final.join("") });
        const end = game.verdict
          ? game.winner
            ? `${capital(game.winner)} won`
            : "a tie"
          : `${plural(game.moves, "move")} so far`;
        return h(
          "a",
          { href: game.verdict ? `/review/${game.id}` : `/play/${game.id}` },
          board.element,
          h("b", {}, `${game.black} – ${game.white}`),
          h("small", {}, end),
        );
      }),
    ),
  );
}

// Playing

async function showGame(main, id, go) {
  let game = await get(`/api/games/${id}`);
  let viewed = null; // a ply that is looked at, or null for the game as it stands
  let hints = false;
  let answer = null;
  let stopHints = null;
  let heard = performance.now();
  let busy = false;

  const board = new Board({ size: game.rules.size, label: "The game", onplay: (move, why) => play(move, why) });
  const says = h("p", { class: "says", role: "status", "aria-live": "polite" });
  const seats = h("div", { class: "seats" });
  const moves = h("ol", { class: "moves", "aria-label": "Moves" });
  const buttons = {
    undo: h("button", { class: "quiet", onclick: () => act("undo"), title: "u" }, "Undo"),
    pass: h("button", { class: "quiet", onclick: () => play("PASS", null), title: "p" }, "Pass"),
    resign: h("button", { class: "quiet", onclick: () => confirm("Give this game up?") && act("resign") }, "Resign"),
    hints: h("button", { class: "quiet", "aria-pressed": "false", onclick: toggleHints, title: "h" }, "Hints"),
    retry: h("button", { onclick: () => act("retry") }, "Try again"),
  };
  const after = h("div", { class: "row" });
  const slow = h(
    "p",
    { class: "soft hidden" },
    "This takes a while: strong players search, and the first time their code is compiled. You can leave the page, the game goes on.",
  );
  replace(
    main,
    h("h1", { class: "sr" }, `${game.black} against ${game.white}`),
    h(
      "div",
      { class: "columns" },
      h("div", { class: "board-side" }, board.element),
      h(
        "div",
        { class: "card stack" },
        seats,
        says,
        slow,
        after,
        h("div", { class: "row" }, Object.values(buttons)),
        moves,
        h(
          "p",
          { class: "keys" },
          h("kbd", {}, "arrows"),
          " and ",
          h("kbd", {}, "enter"),
          " play, ",
          h("kbd", {}, "p"),
          " passes, ",
          h("kbd", {}, "u"),
          " takes back, ",
          h("kbd", {}, "h"),
          " hints",
        ),
        h(
          "p",
          {},
          h("a", { href: "/play" }, "New game"),
          " · ",
          h("a", { href: `/api/games/${id}.sgf`, download: "" }, "SGF"),
        ),
      ),
    ),
  );

  const stop = listen(
    `game:${id}`,
    (news) => take(news.game),
    async () => take(await get(`/api/games/${id}`)),
  );
  const ticking = setInterval(drawClocks, 500);
  document.addEventListener("keydown", keys);
  take(game);
  if (myTurn()) board.element.focus({ preventScroll: true });

  function take(next) {
    if (next.version < game.version) return; // an answer that newer news has overtaken
    const moved = next.moves.join() !== game.moves.join();
    game = next;
    heard = performance.now();
    if (moved) viewed = null;
    if (moved || Boolean(stopHints) !== wantsHints()) ask();
    draw();
  }

  function myTurn() {
    return !game.outcome && game.seats[game.to_move] === "human" && !game.thinking;
  }

  function draw() {
    const ply = viewed ?? game.moves.length;
    const now = viewed === null;
    board.show({
      cells: game.boards[ply],
      last: game.moves[ply - 1] ?? null,
      ko: game.kos[ply],
      turn: now && myTurn() ? game.to_move : null,
      illegal: now ? game.illegal : {},
      marks: now ? marks() : {},
    });
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
    buttons.hints.title = game.unsolvable ? capital(game.unsolvable) : "h";
    buttons.retry.classList.toggle("hidden", !game.trouble);
    replace(
      after,
      game.outcome && [
        h("a", { class: "button", href: `/review/${id}` }, "See the move that decided it"),
        h("button", { class: "quiet", onclick: rematch }, "Play again"),
      ],
    );
    drawMoves(ply);
  }

  function drawSeats() {
    const stones = (digit) => [...game.boards.at(-1)].filter((cell) => cell === digit).length;
    replace(
      seats,
      ["black", "white"].map((colour, k) =>
        h(
          "div",
          {
            class: "seat",
            "data-turn": !game.outcome && game.to_move === colour,
            "data-thinking": game.thinking && game.to_move === colour,
          },
          h("span", { class: `disc ${colour}` }),
          h(
            "span",
            {},
            h("b", {}, game[colour], h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i"))),
            h(
              "small",
              {},
              `${plural(stones(String(k + 1)), "stone")}${colour === "white" ? ` + ${game.rules.komi} komi` : ""} · took ${game.captured[colour]}`,
            ),
          ),
          h("span", { class: "clock", "data-colour": colour }),
        ),
      ),
    );
    drawClocks();
  }

  function drawClocks() {
    const used = { black: 0, white: 0 };
    const other = { black: "white", white: "black" };
    /** @type {string} */
    let mover = game.first;
    for (const value of game.seconds) {
      used[mover] += value;
      mover = other[mover];
    }
    if (!game.outcome) used[game.to_move] += game.elapsed + (performance.now() - heard) / 1000;
    for (const clock of seats.querySelectorAll(".clock")) clock.textContent = seconds(used[clock.dataset.colour]);
    slow.classList.toggle("hidden", !(game.thinking && game.elapsed + (performance.now() - heard) / 1000 > 8));
  }

  function drawMoves(ply) {
    let colour = game.first;
    const items = game.moves.map((move, k) => {
      const item = h(
        "li",
        {},
        h(
          "button",
          {
            "aria-current": ply === k + 1 ? "true" : null,
            "aria-label": `Move ${game.start_move + k + 1}, ${colour}, ${move}`,
            onclick: () => look(k + 1),
          },
          h("span", { class: `disc small ${colour}` }),
          move,
        ),
      );
      colour = colour === "black" ? "white" : "black";
      return item;
    });
    replace(moves, items);
    if (viewed === null) moves.scrollTop = moves.scrollHeight;
  }

  function look(ply) {
    viewed = ply === game.moves.length ? null : ply;
    draw();
  }

  function sentence() {
    if (viewed !== null)
      return [
        "After move ",
        String(game.start_move + viewed),
        ". ",
        h(
          "a",
          {
            href: "#",
            onclick: (event) => {
              event.preventDefault();
              event.stopPropagation();
              look(game.moves.length);
            },
          },
          "Back to the game",
        ),
      ];
    if (game.trouble) return game.trouble;
    if (game.outcome) {
      const mine = ["black", "white"].filter((colour) => game.seats[colour] === "human");
      const lead =
        mine.length === 1 && game.outcome.winner ? (mine[0] === game.outcome.winner ? "You won. " : "You lost. ") : "";
      return `${lead}${game.outcome.text}.`;
    }
    const left = `${plural(game.plies_left, "move")} left.`;
    if (!myTurn()) return `${game[game.to_move]} is thinking… ${left}`;
    return [
      `${lastMove()}Your move, ${game.to_move}. ${left} `,
      hints && h("span", { class: "hint" }, answer?.words ?? "Working out what wins…"),
    ];
  }

  // What the other side did, for those who do not see it.
  function lastMove() {
    const last = game.moves.at(-1);
    if (!last) return "";
    const [mine, other] = game.to_move === "black" ? ["1", "White"] : ["2", "Black"];
    if (last === "PASS") return `${other} passed: a second pass ends the game. `;
    const [before, after] = game.boards.slice(-2).map((cells) => [...cells].filter((cell) => cell === mine).length);
    return `${other} played ${last}${before > after ? ` and took ${plural(before - after, "stone")}` : ""}. `;
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
        toast(capital(error.message), "error");
      },
    );
  }

  async function play(move, why) {
    if (viewed !== null) return look(game.moves.length);
    if (game.outcome) return toast("The game has ended.");
    if (!myTurn())
      return toast(game.seats[game.to_move] === "human" ? "One moment…" : `It is ${game[game.to_move]}'s turn.`);
    if (why) return toast(`${move}: ${why}.`, "error");
    if (busy) return undefined;
    busy = true;
    try {
      take(await post(`/api/games/${id}/moves`, { move, at: game.moves.length }));
    } catch (error) {
      toast(capital(error.message), "error");
      await get(`/api/games/${id}`).then(take, () => {}); // if the server is away, news of its return bring it
    } finally {
      busy = false;
    }
    return undefined;
  }

  /** @param {"undo" | "resign" | "retry"} what */
  async function act(what) {
    try {
      take(await post(/** @type {`/api/games/${string}/undo`} */ (`/api/games/${id}/${what}`)));
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }

  async function rematch() {
    const { edition, size, komi, max_moves } = game.rules;
    try {
      const next = await post("/api/games", {
        edition: /** @type {any} */ (edition === "custom" ? "2025" : edition),
        size,
        komi,
        max_moves,
        black: game.seats.black,
        white: game.seats.white,
        names: { black: game.black, white: game.white },
      });
      go(`/play/${next.id}`);
    } catch (error) {
      toast(error.message, "error");
    }
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog"))
      return;
    const ply = viewed ?? game.moves.length;
    if (event.key === "u" && !buttons.undo.disabled) act("undo");
    else if (event.key === "p" && !buttons.pass.disabled) play("PASS", null);
    else if (event.key === "h" && !buttons.hints.disabled) toggleHints();
    else if (event.key.startsWith("Arrow") && document.activeElement === document.body && !game.outcome)
      board.element.focus();
    else if (event.key === "ArrowLeft" && game.outcome && ply > 0) look(ply - 1);
    else if (event.key === "ArrowRight" && game.outcome && ply < game.moves.length) look(ply + 1);
    else return;
    event.preventDefault();
  }

  return () => {
    stop();
    stopHints?.();
    clearInterval(ticking);
    document.removeEventListener("keydown", keys);
  };
}
