// Play: the first page. A stone on its board begins a game against the chosen opponent.

import { Board } from "../board/board.js";
import { PLAYERS } from "../data.js";
import { attempt, formValues, h, labelled, onSubmit, replace, select } from "../dom.js";
import { addressOf, HUMAN, makeGame } from "../go/game.js";
import { editionRules, Position } from "../go/position.js";
import { allGames } from "../library.js";
import { number } from "../words.js";
import { about } from "../server/api.js";
import { newSeed, nextOpponent } from "./game.js";

export const title = "Play";

const ROUNDED = 50; // Elo points: the measured strengths are no surer than that
const FIRST_OPPONENT = "greedy"; // weak, but it punishes what is left hanging

// For those who do not know the names of algorithms.
const PLAIN = {
  random: "plays anywhere",
  greedy: "takes as many stones as it can, now",
  qlearning: "a memorised opening, then captures",
  smart: "captures, and saves its own stones",
  aggressive: "plans two moves ahead to capture",
  alphabeta: "looks three moves ahead",
  learner: "taught itself by playing",
  champion: "strong, with a slip now and then",
  perfect: "never gives a won game away",
  agent: "exact search, and traps when it is behind",
};

const EDITIONS = [
  ["2025", "2022 to 2025"],
  ["2019", "2019: no passing"],
];

export async function show(main, [game], { go, welcome }) {
  return game ? (await import("./game.js")).showGame(main, go) : showSetup(main, go, welcome);
}

async function showSetup(main, go, welcome) {
  const board = new Board({ size: 5, label: "An empty board", onplay: (move) => attempt(() => begin(move)) });
  let hasAgents = false;
  const kept = JSON.parse(localStorage.getItem("setup") ?? "{}");
  const measured = PLAYERS;
  const [weakest, strongest] = [measured[0], measured[measured.length - 1]];
  const caption = h("p", { class: "caption", role: "status" });
  const unsolved = h("p", { class: "soft", role: "status" });
  const start = h("button", {}, "Start game");
  const earlier = h("div", {});
  const ladder = h("p", { class: "soft", role: "status" });
  const another = radio("", "another…", "agent:ID of an agent in the arena");
  const choice = (label, name, choices) => labelled(label, select({ name }, choices, kept[name]));
  const other = h("input", {
    name: "other",
    value: kept.other ?? "",
    "aria-label": "Another player",
    placeholder: "agent:ID",
    pattern: "agent:.+",
    maxlength: 400,
  });
  const form = h("form", { class: "card stack", onsubmit: onSubmit(() => begin(null)), onchange: describe }, [
    h("fieldset", {}, [
      h("legend", {}, "Opponent, from weak to strong"),
      h("div", { class: "opponents" }, [measured.map(opponentChoice), another]),
      other,
      ladder,
      h("p", { class: "soft" }, [
        h("small", {}, [
          `The numbers are measured strengths, rounded: Elo points above ${weakest.name}, in games of these players against each other.`,
        ]),
      ]),
    ]),
    h("div", { class: "choice" }, [
      choice("You play", "colour", [
        ["black", "Black, first"],
        ["white", "White"],
        ["both", "Both sides"],
      ]),
      labelled(
        "Your name",
        h("input", { name: "you", value: localStorage.getItem("name") ?? "", placeholder: "You", maxlength: 40 }),
      ),
      choice("Edition", "edition", EDITIONS),
      choice(
        "Board",
        "size",
        [5, 2, 3, 4, 6, 7, 9, 13, 19].map((n) => [n, `${n}×${n}`]),
      ),
    ]),
    unsolved,
    start,
  ]);
  const agentDoor = door("#/drop", "Your agent", "check and grade it");
  replace(
    main,
    h("div", { class: "stack" }, [
      h("header", { class: "welcome" }, [
        ...[...welcome].map((each) => each.cloneNode(true)),
        h("nav", { class: "doors", "aria-label": "Ways in" }, [
          door("#board", "Play", "place a stone"),
          door("#/drills/today", "A puzzle", "new every day"),
          agentDoor,
        ]),
      ]),
      h("div", { class: "columns setup" }, [
        h("div", { class: "board-side", id: "board" }, board.element, caption),
        form,
      ]),
      earlier,
    ]),
  );
  describe();
  allGames().then(showEarlier);
  about().then(
    ({ offers }) => {
      hasAgents = offers.includes("agents");
      describe();
      if (offers.includes("tournaments")) agentDoor.setAttribute("href", "#/arena");
      else if (!offers.includes("python")) agentDoor.remove();
    },
    () => {}, // without a network: what was loaded works on
  );
  import("./game.js").catch(() => {}); // what comes next, while people look at the board

  async function showEarlier(games) {
    if (!games.length) return;
    const { gamesShown } = await import("../results/history.js");
    const { onlyMovesLine, ratingLine } = await import("../results/rating.js");
    replace(earlier, gamesShown(games.slice(0, 6), "Earlier games", h("a", { href: "#/review" }, "All games")));
    const beaten = games.find(({ you, winner }) => you && winner === you);
    const next = beaten && nextOpponent(beaten.opponent);
    replace(
      ladder,
      next && [`You beat ${beaten.opponent}. Next on the ladder: `, h("b", {}, next), ". "],
      [ratingLine(games), onlyMovesLine(games)].filter(Boolean).join(" "),
    );
  }

  function door(href, heading, text) {
    const toBoard = (event) => {
      event.preventDefault();
      board.element.focus();
      board.element.scrollIntoView({ block: "nearest" });
    };
    return h("a", { href, onclick: href === "#board" && toBoard }, h("b", {}, heading), h("small", {}, text));
  }

  function opponentChoice({ name, summary, rating, quick }) {
    const points = ROUNDED * Math.round((rating - weakest.rating) / ROUNDED);
    return radio(name, [name, h("small", {}, ` ${quick ? "at once" : "a second a move"}`)], PLAIN[name] ?? summary, [
      strength(0.1 + (0.9 * points) / (strongest.rating - weakest.rating)),
      h("small", { class: "number" }, `+${number(points)}`),
    ]);
  }

  function radio(value, text, description, measures = null) {
    const checked = value === (kept.opponent ?? FIRST_OPPONENT);
    return h("label", {}, [
      h("input", { type: "radio", name: "opponent", value, checked }),
      h("span", {}, h("b", {}, text), h("small", { class: "what" }, ` ${description}`)),
      measures && h("span", { class: "measures" }, measures),
    ]);
  }

  // Says what a stone on the board begins; for an opponent that is not listed, shows the field for its name.
  function describe() {
    const chosen = formValues(form);
    another.classList.toggle("hidden", !hasAgents);
    other.classList.toggle("hidden", Boolean(chosen.opponent));
    other.required = !chosen.opponent;
    const plain = isPlain(chosen);
    const name = opponentOf(chosen) || "another player";
    const begins = plain ? `Place a stone to begin, against ${name}.` : `A click begins the game, against ${name}.`;
    const alone = plain
      ? "Place a stone to begin, playing both sides."
      : "A click begins the game, playing both sides.";
    board.show({ cells: "0".repeat(25), turn: plain ? "black" : null });
    replace(caption, chosen.colour === "both" ? alone : begins);
    tellUnsolved(chosen);
  }

  // Without exact values the best of the page is missing: that is said before the game.
  function tellUnsolved(chosen) {
    const why = new Position(rulesOf(chosen)).whyUnsolvable();
    replace(unsolved, why && `No hints and no review with this choice: ${why}.`);
  }

  // Whether the board on this page is that of the game, and the person moves first.
  function isPlain(chosen) {
    return sizeOf(chosen) === 5 && chosen.colour !== "white";
  }

  function opponentOf(chosen) {
    return chosen.opponent || chosen.other.trim();
  }

  function rulesOf(chosen) {
    return editionRules(chosen.edition, sizeOf(chosen));
  }

  function sizeOf(chosen) {
    return Number(chosen.size);
  }

  // Begins the game, with a first move if one was made.
  async function begin(move) {
    if (start.disabled || !form.reportValidity()) return;
    const chosen = formValues(form);
    localStorage.setItem("setup", JSON.stringify(chosen));
    localStorage.setItem("name", chosen.you.trim());
    const opponent = opponentOf(chosen);
    const me = chosen.colour === "both" ? "" : chosen.colour;
    const seats = { black: HUMAN, white: HUMAN };
    if (me) seats[me === "black" ? "white" : "black"] = opponent;
    const moves = move && isPlain(chosen) ? [move] : [];
    const game = makeGame({ rules: rulesOf(chosen), seats, moves, seed: me ? newSeed() : 0 });
    go(addressOf("play", me && chosen.you.trim() ? { ...game, [me]: chosen.you.trim() } : game));
  }
}

function strength(share) {
  const bar = h("span", { class: "strength", "aria-hidden": "true" });
  bar.style.setProperty("--filled", `${Math.round(100 * share)}%`);
  return bar;
}
