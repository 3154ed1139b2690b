// Games that were played here: as small boards, a list to search, results by opponent, and wins given away by week.

import { here, rename } from "../address.js";
import { Board } from "../board/board.js";
import { button, h, labelled, replace, select, table } from "../dom.js";
import { allGames } from "../library.js";
import { Colour, plural } from "../words.js";

const PAGE = 24;
const DAY = 86_400_000;
const RESULTS = [
  ["", "all"],
  ["won", "won"],
  ["lost", "lost"],
  ["tie", "tied"],
  ["unfinished", "not finished"],
];

/** @typedef {import("../library.js").Kept} Kept */

export function gamesShown(games, heading, more = null) {
  return h("section", { class: "card" }, [
    h("div", { class: "row between" }, h("h2", {}, heading), more),
    gameGrid(games),
  ]);
}

const gameGrid = (games) => h("div", { class: "games" }, [games.map(gameLink)]);

function gameLink(game) {
  const board = new Board({ size: game.size, label: `${game.black} against ${game.white}`, coordinates: false });
  board.show({ cells: game.final });
  return h("a", { href: `#/${game.ended ? "review" : "play"}/${game.address}` }, [
    board.element,
    h("b", {}, `${game.black} – ${game.white}`),
    h("small", {}, endOf(game)),
  ]);
}

function endOf(game) {
  if (!game.ended) return plural(game.moves, "{n} move so far", "{n} moves so far");
  if (game.you) return { won: "you won", lost: "you lost", tie: "a tie" }[resultOf(game)];
  return game.winner ? `${Colour(game.winner)} won` : "a tie";
}

/** How a game ended for the person who played it. @param {Kept} game */
export function resultOf({ ended, you, winner }) {
  if (!ended) return "unfinished";
  if (!winner) return "tie";
  return !you ? "other" : winner === you ? "won" : "lost";
}

// The games of this browser, a page at a time, those of a player or with a result if one is chosen. The choice is in the
// address.
export async function gameHistory() {
  const games = await allGames();
  const chosen = here().query;
  const list = h("div", {});
  const pages = h("div", { class: "row" });
  const search = h("input", { type: "search", name: "search", maxlength: 60, value: chosen.get("search") ?? "" });
  const result = select({ name: "result" }, RESULTS, chosen.get("result") ?? "");
  let skip = Number(chosen.get("skip")) || 0;
  const change = () => {
    skip = 0;
    load();
  };
  search.addEventListener("input", change);
  result.addEventListener("change", change);
  if (!games.length)
    return h("section", { class: "card" }, h("h2", {}, "My games"), h("p", { class: "soft" }, "No games yet."));
  load();
  return h("section", { class: "card stack" }, [
    h("h2", {}, "My games"),
    h("form", { class: "choice", onsubmit: (event) => event.preventDefault() }, [
      labelled("Player", search),
      labelled("Result", result),
    ]),
    list,
    pages,
    opening("My results by opponent", async () => resultsTable(games)),
    opening("Wins given away, by week", async () => weeksShown(weeksOf(games), await import("./chart.js"))),
  ]);

  // What most visitors do not open is made when somebody does.
  function opening(summary, content) {
    const inside = h("div", {}, "Loading…");
    const box = h("details", {}, h("summary", {}, summary), inside);
    box.addEventListener("toggle", async () => replace(inside, await content()), { once: true });
    return box;
  }

  function load() {
    const query = new URLSearchParams();
    for (const [name, value] of [
      ["search", search.value.trim()],
      ["result", result.value],
      ["skip", skip || ""],
    ])
      if (value) query.set(name, String(value));
    rename(`/review${query.size ? `?${query}` : ""}`);
    const text = search.value.trim().toLowerCase();
    const isWanted = (game) =>
      `${game.black}\n${game.white}`.toLowerCase().includes(text) && (!result.value || resultOf(game) === result.value);
    const found = games.filter(isWanted);
    const shown = found.slice(skip, skip + PAGE);
    replace(list, shown.length ? gameGrid(shown) : h("p", { class: "soft" }, "No such game."));
    const to = (label, by) =>
      button(label, "quiet small", () => {
        skip = Math.max(0, skip + by);
        load();
      });
    replace(pages, skip > 0 && to("Newer", -PAGE), found.length > skip + PAGE && to("Older", PAGE));
  }
}

/** Wins, losses and ties against each opponent, most games first. @param {Kept[]} games */
export function resultsOf(games) {
  const rows = new Map();
  for (const game of games) {
    if (!game.you || !game.ended) continue;
    const row = rows.get(game.opponent) ?? { opponent: game.opponent, won: 0, lost: 0, tie: 0 };
    row[resultOf(game)] += 1;
    rows.set(game.opponent, row);
  }
  const all = (row) => row.won + row.lost + row.tie;
  return [...rows.values()].sort((one, other) => all(other) - all(one));
}

function resultsTable(games) {
  const results = resultsOf(games);
  if (!results.length) return h("p", { class: "soft" }, "No finished games against an opponent yet.");
  const columns = [["Opponent"], ["Won", "number"], ["Lost", "number"], ["Tied", "number"], ["Share won", "number"]];
  const rows = results.map(({ opponent, won, lost, tie }) => {
    const share = `${Math.round((100 * won) / (won + lost + tie))}%`;
    return [opponent, won, lost, tie, share].map(String);
  });
  return h("div", { class: "scroll" }, table(columns, rows));
}

/** By week, from its Monday: games with a review, positions that could be won, wins given away, only moves found. @param {Kept[]} games */
export function weeksOf(games) {
  const weeks = new Map();
  for (const { when, review } of games) {
    if (!review) continue;
    const day = Math.floor(when / DAY);
    const week = new Date((day - ((day + 3) % 7)) * DAY).toISOString().slice(0, 10);
    const row = weeks.get(week) ?? { week, games: 0, won: 0, given: 0, only: 0, found: 0 };
    row.games += 1;
    for (const name of ["won", "given", "only", "found"]) row[name] += review[name];
    weeks.set(week, row);
  }
  return [...weeks.values()].sort((one, other) => (one.week < other.week ? -1 : 1));
}

// Of the positions that could be won, how many the person's move gave away, week by week.
function weeksShown(weeks, { chart }) {
  const columns = [
    ["Week"],
    ["Games", "number"],
    ["Won positions", "number"],
    ["Given away", "number"],
    ["Only moves found", "number"],
  ];
  const share = (week) => week.given / Math.max(1, week.won);
  const rows = weeks.map((week) => [
    week.week,
    week.games,
    week.won,
    `${week.given} (${Math.round(100 * share(week))}%)`,
    `${week.found} of ${week.only}`,
  ]);
  if (!weeks.length) return h("p", { class: "soft" }, "Nothing yet: play a game to its end, or open its review.");
  return h("div", { class: "stack" }, [
    h(
      "p",
      {},
      "In how many positions that you could win your move gave the win away, by the exact reviews of your games.",
    ),
    weeks.length > 1 &&
      chart({
        lines: [{ name: "wins given away", points: weeks.map((week, k) => [k, share(week)]) }],
        x: "weeks",
        y: "Share of won positions",
        percent: true,
        sentence: "Lower is better: 0% would be perfect play.",
      }),
    h("div", { class: "scroll" }, table(columns, rows)),
  ]);
}
