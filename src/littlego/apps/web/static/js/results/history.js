// Games that were played: as small boards, a list to search, results by opponent, and wins given away by week.

import { Board } from "../board/board.js";
import { attempt, button, h, labelled, replace, select, table, toast } from "../dom.js";
import { Colour, plural } from "../words.js";
import { get, post } from "../server/api.js";

const PAGE = 24;
const RESULTS = [
  ["", "all"],
  ["won", "won"],
  ["lost", "lost"],
  ["tie", "tied"],
  ["unfinished", "not finished"],
  ["other", "games I didn't play"],
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
  if (!game.verdict) return plural(game.moves, "{n} move so far", "{n} moves so far");
  if (game.you) return { won: "you won", lost: "you lost", tie: "a tie" }[game.result];
  return game.winner ? `${Colour(game.winner)} won` : "a tie";
}

// The games of this server, a page at a time, those of a player or with a result if one is chosen. The choice is in the
// address. Below them are the results of whoever has the name that was chosen in this browser, or of everyone.
export async function gameHistory() {
  const chosen = new URLSearchParams(location.search);
  const me = localStorage.getItem("name") ?? "";
  const of = `player=${encodeURIComponent(me)}`;
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
  const any = (await load()) || chosen.size > 0; // none of those that are searched for, perhaps
  return h("section", { class: "card stack" }, [
    h("h2", {}, "Games"),
    h("form", { class: "choice", onsubmit: (event) => event.preventDefault() }, [
      labelled("Player", search),
      labelled("Result", result),
    ]),
    list,
    pages,
    any &&
      opening(me ? `Results of ${me} by opponent` : "My results by opponent", async () =>
        resultsTable(await get(`/api/results?${of}`)),
      ),
    any &&
      opening(me ? `Wins that ${me} gave away, by week` : "Wins given away, by week", async () =>
        weeksShown(await get(`/api/weeks?${of}`), await import("./chart.js")),
      ),
  ]);

  // What most visitors do not open is loaded when somebody does.
  function opening(summary, content) {
    const inside = h("div", {}, "Loading…");
    const fill = () => attempt(async () => replace(inside, await content()));
    const box = h("details", {}, h("summary", {}, summary), inside);
    box.addEventListener("toggle", fill, { once: true });
    return box;
  }

  async function load() {
    const mine = ++asked;
    const query = new URLSearchParams();
    for (const [name, value] of [
      ["search", search.value.trim()],
      ["result", result.value],
      ["skip", skip || ""],
    ])
      if (value) query.set(name, String(value));
    const games = await get(`/api/games?most=${PAGE + 1}${query.size ? `&${query}` : ""}`);
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
    return games.length > 0;
  }
}

function resultsTable(results) {
  if (!results.length) return h("p", { class: "soft" }, "No finished games against an opponent yet.");
  const columns = [["Opponent"], ["Won", "number"], ["Lost", "number"], ["Tied", "number"], ["Share won", "number"]];
  const rows = results.map(({ opponent, won, lost, tie }) => {
    const share = `${Math.round((100 * won) / (won + lost + tie))}%`;
    return [opponent, won, lost, tie, share].map(String);
  });
  return h("div", { class: "scroll" }, table(columns, rows));
}

// Of the positions that could be won, how many the person's move gave away, week by week.
function weeksShown({ weeks, not_reviewed }, { chart }) {
  const columns = [["Week"], ["Games", "number"], ["Won positions", "number"], ["Given away", "number"]];
  const share = (week) => week.thrown_away / Math.max(1, week.won_positions);
  const rows = weeks.map((week) => [
    week.week,
    week.games,
    week.won_positions,
    `${week.thrown_away} (${Math.round(100 * share(week))}%)`,
  ]);
  const count = not_reviewed.length;
  const review = () =>
    attempt(async () => {
      for (const id of not_reviewed.slice(0, 50)) await post(`/api/games/${id}/review`);
      toast("The reviews have begun. Come back when they are done.");
    });
  return h("div", { class: "stack" }, [
    h("p", {}, [
      "In how many positions that you could win your move gave the win away, by the exact reviews of your games.",
    ]),
    weeks.length > 1 &&
      chart({
        lines: [{ name: "wins given away", points: weeks.map((week, k) => [k, share(week)]) }],
        x: "weeks",
        y: "Share of won positions",
        percent: true,
        sentence: "Lower is better: 0% would be perfect play.",
      }),
    weeks.length > 0 && h("div", { class: "scroll" }, table(columns, rows)),
    count > 0 &&
      h("p", { class: "row" }, [
        plural(count, "{n} game has no review yet.", "{n} games have no review yet."),
        button("Review them", "quiet small", review),
      ]),
  ]);
}
