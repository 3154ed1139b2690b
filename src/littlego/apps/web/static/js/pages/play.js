// Play: choose an opponent and start a game, or go on with an earlier one.

import { get, post } from "../api.js";
import { Board } from "../board.js";
import { capital, formValues, h, labelled, onSubmit, plural, replace, select } from "../dom.js";
import { showGame } from "./game.js";

export const title = "Play";

export async function show(main, [id], { go }) {
  return id ? showGame(main, id, go) : showSetup(main, go);
}

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
  const measured = players.filter((player) => player.rating !== null).sort((a, b) => a.rating - b.rating);
  const weakest = measured[0].rating;
  const strongest = measured[measured.length - 1].rating;
  // From a tenth for the weakest to the full bar for the strongest, in proportion to measured strength.
  const share = (rating) => 0.1 + (0.9 * (rating - weakest)) / (strongest - weakest);
  const description = h("p", { class: "about", id: "opponent", role: "status" });
  const start = h("button", {}, "Start game");
  const choice = (label, name, choices) => labelled(label, select({ name }, choices, kept[name]));
  const other = h("input", {
    name: "other",
    value: kept.other ?? "",
    "aria-label": "Another player",
    placeholder: about.local ? "path/to/agent" : "agent:ID",
    maxlength: 400,
  });
  const radio = (value, text, share) =>
    h("label", {}, [
      h("input", {
        type: "radio",
        name: "opponent",
        value,
        checked: value === (kept.opponent ?? "random"),
        "aria-describedby": "opponent",
      }),
      h("b", {}, text),
      share && strength(share),
    ]);
  const form = h("form", { class: "card stack", onsubmit: onSubmit(begin) }, [
    h("h1", {}, "Play Little-Go"),
    h("p", {}, [
      "Twenty-four moves on a 5×5 board. Whoever has more stones on the board wins; White gets two and a half points extra.",
    ]),
    h("fieldset", { onchange: describe }, [
      h("legend", {}, "Opponent, from weak to strong"),
      h("div", { class: "opponents" }, [
        measured.map((player) => radio(player.name, player.name, share(player.rating))),
        radio("", "another…"),
      ]),
      description,
      other,
    ]),
    h("div", { class: "choice" }, [
      choice("You play", "colour", [
        ["black", "Black, first"],
        ["white", "White"],
        ["both", "Both sides"],
      ]),
      choice(
        "Edition",
        "edition",
        about.editions.map(({ name }) => [name, name]),
      ),
      choice(
        "Board",
        "size",
        [5, 2, 3, 4, 6, 7, 9, 13, 19].map((n) => [n, `${n}×${n}`]),
      ),
    ]),
    start,
  ]);
  replace(
    main,
    h("div", { class: "stack" }, [
      h("div", { class: "columns setup" }, h("div", { class: "board-side" }, board.element), form),
      games.length > 0 && recent(games),
    ]),
  );
  describe();

  // Describes the chosen opponent; for one that is not listed, shows the field for its name.
  function describe() {
    const chosen = formValues(form).opponent;
    const others = about.local
      ? "A directory with an agent, or agent:ID, class:FILE, cmd:COMMAND, gtp:COMMAND."
      : "agent:ID of an agent in the arena.";
    replace(description, chosen ? `${capital(known.get(chosen))}.` : others);
    other.classList.toggle("hidden", Boolean(chosen));
    other.required = !chosen;
  }

  // Some courses have rules for one size of board only.
  function sizeOf(chosen) {
    const edition = about.editions.find(({ name }) => name === chosen.edition);
    return edition && !edition.any_size ? edition.size : Number(chosen.size);
  }

  async function begin(chosen) {
    localStorage.setItem("setup", JSON.stringify(chosen));
    const opponent = chosen.opponent || chosen.other.trim();
    /** @type {any} */
    const game = { edition: chosen.edition, size: sizeOf(chosen), black: "human", white: "human" };
    if (chosen.colour === "black") game.white = opponent;
    else if (chosen.colour === "white") game.black = opponent;
    else game.names = { black: "Black", white: "White" };
    start.disabled = true;
    try {
      go(`/play/${(await post("/api/games", game)).id}`);
    } finally {
      start.disabled = false;
    }
  }
}

function strength(share) {
  const bar = h("span", { class: "strength", "aria-hidden": "true" });
  bar.style.setProperty("--filled", `${Math.round(100 * share)}%`);
  return bar;
}

export function recent(games) {
  return h("section", { class: "card" }, [
    h("h2", {}, "Earlier games"),
    h("div", { class: "games" }, [
      games.map((game) => {
        const board = new Board({ size: game.size, label: `${game.black} against ${game.white}`, coordinates: false });
        board.show({ cells: game.final.join("") });
        const end = game.verdict
          ? game.winner
            ? `${capital(game.winner)} won`
            : "a tie"
          : `${plural(game.moves, "move")} so far`;
        return h("a", { href: game.verdict ? `/review/${game.id}` : `/play/${game.id}` }, [
          board.element,
          h("b", {}, `${game.black} – ${game.white}`),
          h("small", {}, end),
        ]);
      }),
    ]),
  ]);
}
