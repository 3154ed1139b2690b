// One tournament of the arena: standings, ratings, who beat whom, and the last games.

import { attempt, button, h, replace, select, table } from "../dom.js";
import { addressOf, gameOfRecord } from "../go/game.js";
import { number, resultWords } from "../words.js";
import { movement } from "../results/standings.js";
import { about, follow, get, post } from "../server/api.js";
import { jobBar } from "../server/jobs.js";
import { UNFINISHED } from "../server/progress.js";
import { entrants } from "./arena.js";

const STANDING_COLUMNS = [
  [""],
  ["player"],
  ["rating", "number"],
  ["95%", "number wide"],
  ["won", "number"],
  ["as Black", "number wide"],
  ["as White", "number wide"],
  ["forfeits", "number"],
  ["different games", "number wide"],
];
const MOST_CROSSED = 40;
const STANDINGS_EVERY = 5000;

export async function showTournament(main, id, go) {
  const { owner, student, players } = await about();
  let [tournament, agents] = await Promise.all([get(`/api/tournaments/${id}`), owner ? get("/api/agents") : []]);
  let job = null;
  let forget = null;
  let last = 0;
  const progress = h("div", {});
  const remaining = button("Play remaining games", null, async () => watch(await post(`/api/tournaments/${id}/run`)));
  const tables = h("div", { class: "stack" });
  const games = h("div", { class: "stack" });
  const joining = owner && select({ "aria-label": "Player" }, entrants(agents, players));
  replace(
    main,
    h("div", { class: "stack" }, [
      h("section", { class: "card stack" }, [
        h("h1", {}, tournament.name),
        progress,
        owner &&
          h("div", { class: "row" }, [
            remaining,
            joining,
            button("Add player", "quiet", async () => {
              tournament = await post(`/api/tournaments/${id}/players`, { players: [joining.value] });
              draw();
            }),
            h("a", { class: "button quiet", href: `api/tournaments/${id}/report.html`, download: "" }, "Report"),
            h("a", { class: "button quiet", href: `#/arena/wall/${id}` }, "On the wall"),
          ]),
      ]),
      tables,
      games,
    ]),
  );
  draw();
  if (owner || student) attempt(drawGames);
  if (!owner) return withoutJobs();
  if (tournament.job) attempt(async () => watch(await get(`/api/jobs/${tournament.job}`)));

  // Others see the standings, students the games of their own agents, too; neither sees jobs.
  function withoutJobs() {
    const timer = setInterval(async () => {
      const before = tournament.games;
      tournament = await get(`/api/tournaments/${id}`).catch(() => tournament);
      draw();
      if (student && tournament.games !== before) await attempt(drawGames);
    }, STANDINGS_EVERY);
    return () => clearInterval(timer);
  }

  // A student's agents are called by the pseudonym.
  function isMine({ player }) {
    const called = student?.called.replaceAll(" ", "_");
    return player === called || player.startsWith(`${called}-`);
  }

  function watch(begun) {
    forget?.();
    forget = follow(begun, async (next) => {
      const ended = job && UNFINISHED.includes(job.state) && !UNFINISHED.includes(next.state);
      job = next;
      replace(progress, jobBar(next));
      if (!ended && performance.now() - last < 1500) return;
      last = performance.now();
      await attempt(async () => {
        tournament = await get(`/api/tournaments/${id}`);
        draw();
        await drawGames();
      });
    });
  }

  function draw() {
    const rows = tournament.standings;
    const isPlayed = tournament.games >= tournament.planned_games;
    remaining.classList.toggle("hidden", isPlayed || UNFINISHED.includes(job?.state));
    const rated = rows.filter((row) => row.rating !== null);
    replace(
      tables,
      h("section", { class: "card scroll", tabindex: "0", "aria-label": "Standings" }, [
        h("h2", {}, [`Standings after ${number(tournament.games)} of ${number(tournament.planned_games)} games`]),
        table(
          STANDING_COLUMNS,
          rows.map((row, k) => standing(row, k, tournament.recent_games)),
          rows.findIndex(isMine),
        ),
      ]),
      rated.length > 1 &&
        h("section", { class: "card" }, [
          h("h2", {}, "Ratings"),
          h("p", { class: "soft" }, "The dot is the estimate, the line its 95% interval."),
          ratings(rated),
        ]),
      rows.length > 1 &&
        rows.length <= MOST_CROSSED &&
        h("section", { class: "card scroll", tabindex: "0", "aria-label": "Who beat whom" }, [
          h("h2", {}, "Who beat whom"),
          h("p", { class: "soft" }, [
            "Points of the player in the row against the one in the column, as percentages. A tie counts half.",
          ]),
          crosstable(rows, tournament.crosstable),
        ]),
    );
  }

  async function drawGames() {
    const list = await get(`/api/tournaments/${id}/games?most=${student ? 200 : 40}`);
    const title = student ? "Games of your agents" : "Last games";
    replace(
      games,
      list.length > 0 &&
        h("section", { class: "card" }, [
          h("h2", {}, title),
          h("div", { class: "scroll list", tabindex: "0", "aria-label": title, role: "group" }, [
            table([["Black"], ["White"], ["result", "words"], [""]], list.map(gameRow)),
          ]),
        ]),
    );
  }

  function gameRow(game) {
    const path = /** @type {const} */ (`/api/tournaments/${id}/games/${game.number}`);
    const replay = button("Replay", "quiet small", async () => go(addressOf("review", gameOfRecord(await get(path)))));
    replay.setAttribute("aria-label", `Replay ${game.black} against ${game.white}`);
    return [
      [h("span", { class: "disc small black" }), ` ${game.black}`],
      [h("span", { class: "disc small white" }), ` ${game.white}`],
      h("span", { class: game.forfeit ? "bad" : null }, resultWords(game.text)),
      [replay, game.capsule && h("a", { href: `.${path}/capsule.json`, download: "" }, "capsule")],
    ];
  }

  return () => forget?.();
}

const standing = (row, k, games) => [
  [String(k + 1), " ", movement(row, games)],
  row.player,
  row.rating === null ? "–" : Math.round(row.rating),
  row.rating_interval_95?.map(Math.round).join(" to "),
  `${row.wins}/${row.games}`,
  `${row.as_black.wins}–${row.as_black.losses}`,
  `${row.as_white.wins}–${row.as_white.losses}`,
  row.forfeits,
  row.distinct_games,
];

function ratings(rows) {
  const low = Math.min(...rows.map((row) => row.rating_interval_95[0]));
  const high = Math.max(...rows.map((row) => row.rating_interval_95[1]));
  const share = (value) => 2 + (96 * (value - low)) / Math.max(1, high - low);
  return h("dl", { class: "ratings" }, [
    rows.map((row) => {
      const [from, to] = row.rating_interval_95.map(share);
      const span = h("span", { class: "span c0" });
      const dot = h("span", { class: "dot" });
      Object.assign(span.style, { left: `${from}%`, width: `${to - from}%` });
      dot.style.left = `${share(row.rating)}%`;
      return [
        h("dt", { title: row.player }, row.player),
        h("dd", { class: "track", "aria-hidden": "true" }, span, dot),
        h("dd", {}, Math.round(row.rating)),
      ];
    }),
  ]);
}

// By both players' names: [points, games] of the first. A tie counts half.
export function crossResults(pairs) {
  const results = new Map();
  const add = (one, other, points, games) => {
    const [won, all] = results.get(`${one}\n${other}`) ?? [0, 0];
    results.set(`${one}\n${other}`, [won + points, all + games]);
  };
  for (const pair of pairs) {
    add(pair.black, pair.white, pair.black_wins + pair.ties / 2, pair.games);
    add(pair.white, pair.black, pair.white_wins + pair.ties / 2, pair.games);
  }
  return results;
}

function crosstable(rows, pairs) {
  const results = crossResults(pairs);
  const cell = (row, column) => {
    const [points, games] = results.get(`${row.player}\n${column.player}`) ?? [0, 0];
    if (!games) return h("td", {});
    const rate = points / games;
    const title = `${row.player} has ${points} of ${games} points against ${column.player}`;
    const shown = h("td", { class: "number", title }, Math.round(100 * rate));
    const colour = `var(${rate >= 0.5 ? "--good" : "--bad"}) ${Math.round(70 * Math.abs(rate - 0.5))}%`;
    shown.style.background = `color-mix(in srgb, ${colour}, transparent)`;
    return shown;
  };
  return h("table", { class: "cross" }, [
    h("thead", {}, [h("tr", {}, [h("td", {}), rows.map((row) => h("th", { scope: "col" }, row.player))])]),
    h("tbody", {}, [
      rows.map((row) => h("tr", {}, [h("th", { scope: "row" }, row.player), rows.map((column) => cell(row, column))])),
    ]),
  ]);
}
