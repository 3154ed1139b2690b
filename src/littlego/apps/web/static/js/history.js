// Games that were played: as small boards, a list to search, and results by opponent.

import { get } from "./api.js";
import { Board } from "./board.js";
import { attempt, button, capital, h, labelled, plural, replace, select, table } from "./dom.js";

const PAGE = 24;
const RESULTS = [
  ["", "all"],
  ["won", "won"],
  ["lost", "lost"],
  ["tie", "tied"],
  ["unfinished", "not finished"],
  ["other", "without me"],
];

export function gamesShown(games, heading, more = null) {
  return h("section", { class: "card" }, [
    h("div", { class: "row between" }, h("h2", {}, heading), more),
    gameGrid(games),
  ]);
}

const gameGrid = (games) => h("div", { class: "games" }, [games.map(gameLink)]);

function gameLink(game) {
  const board = new Board({ size: game.size, label: `${game.black} against ${game.white}`, coordinates: false });
  board.show({ cells: game.final.join("") });
  return h("a", { href: game.verdict ? `/review/${game.id}` : `/play/${game.id}` }, [
    board.element,
    h("b", {}, `${game.black} – ${game.white}`),
    h("small", {}, endOf(game)),
  ]);
}

function endOf(game) {
  if (!game.verdict) return `${plural(game.moves, "move")} so far`;
  if (game.you) return { won: "you won", lost: "you lost", tie: "a tie" }[game.result];
  return game.winner ? `${capital(game.winner)} won` : "a tie";
}

// The games of this server, a page at a time, those of a player or with a result if one is chosen. The choice is in the
// address.
export async function gameHistory() {
  const chosen = new URLSearchParams(location.search);
  const list = h("div", {});
  const pages = h("div", { class: "row" });
  const search = h("input", { type: "search", name: "search", maxlength: 60, value: chosen.get("search") ?? "" });
  const result = select({ name: "result" }, RESULTS, chosen.get("result") ?? "");
  let skip = Number(chosen.get("skip")) || 0;
  let asked = 0;
  const change = () => {
    skip = 0;
    return attempt(load);
  };
  search.addEventListener("input", change);
  result.addEventListener("change", change);
  const results = await get("/api/results");
  await load();
  return h("section", { class: "card stack" }, [
    h("h2", {}, "Games"),
    h("form", { class: "choice", onsubmit: (event) => event.preventDefault() }, [
      labelled("Player", search),
      labelled("Result", result),
    ]),
    list,
    pages,
    results.length > 0 && h("details", {}, h("summary", {}, "My results by opponent"), resultsTable(results)),
  ]);

  async function load() {
    const mine = ++asked;
    const query = new URLSearchParams();
    for (const [name, value] of [
      ["search", search.value.trim()],
      ["result", result.value],
      ["skip", skip || ""],
    ])
      if (value) query.set(name, String(value));
    const games = await get(`/api/games?most=${PAGE + 1}&${query}`);
    if (mine !== asked) return;
    history.replaceState({}, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
    const none = skip || query.size ? "No such game." : "No games yet.";
    replace(list, games.length ? gameGrid(games.slice(0, PAGE)) : h("p", { class: "soft" }, none));
    const to = (text, by) =>
      button(text, "quiet small", () => {
        skip = Math.max(0, skip + by);
        return load();
      });
    replace(pages, skip > 0 && to("Newer", -PAGE), games.length > PAGE && to("Older", PAGE));
  }
}

function resultsTable(results) {
  const columns = [["Opponent"], ["Won", "number"], ["Lost", "number"], ["Tied", "number"], ["Share won", "number"]];
  const rows = results.map(({ opponent, won, lost, tie }) => {
    const share = `${Math.round((100 * won) / (won + lost + tie))}%`;
    return [opponent, won, lost, tie, share].map(String);
  });
  return h("div", { class: "scroll" }, table(columns, rows));
}
