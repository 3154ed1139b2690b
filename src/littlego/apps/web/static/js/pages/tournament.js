// One tournament of the arena: standings, ratings, who beat whom, and the last games.

import { attempt, button, h, replace, select, table } from "../dom.js";
import { number, resultWords, t } from "../language/language.js";
import { movement } from "../results/standings.js";
import { about, follow, get, post } from "../server/api.js";
import { jobBar } from "../server/jobs.js";
import { UNFINISHED } from "../server/progress.js";
import { entrants } from "./arena.js";

const STANDING_COLUMNS = [
  [""],
  [t("player")],
  [t("rating"), "number"],
  ["95%", "number wide"],
  [t("won"), "number"],
  [t("as Black"), "number wide"],
  [t("as White"), "number wide"],
  [t("forfeits"), "number"],
  [t("different games"), "number wide"],
];
const MOST_CROSSED = 40;
const STANDINGS_EVERY = 5000;

export async function showTournament(main, id, go) {
  const { owner, student } = await about();
  let [tournament, agents, players] = await Promise.all([
    get(`/api/tournaments/${id}`),
    owner ? get("/api/agents") : [],
    owner ? get("/api/players") : [],
  ]);
  let job = null;
  let forget = null;
  let last = 0;
  const progress = h("div", {});
  const remaining = button(t("Play remaining games"), null, async () =>
    watch(await post(`/api/tournaments/${id}/run`)),
  );
  const tables = h("div", { class: "stack" });
  const games = h("div", { class: "stack" });
  const joining = owner && select({ "aria-label": t("Player") }, entrants(agents, players));
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
            button(t("Add player"), "quiet", async () => {
              tournament = await post(`/api/tournaments/${id}/players`, { players: [joining.value] });
              draw();
            }),
            h("a", { class: "button quiet", href: `/api/tournaments/${id}/report.html`, download: "" }, t("Report")),
            h("a", { class: "button quiet", href: `/arena/wall/${id}` }, t("On the wall")),
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
    const isPlayed = tournament.games >= (tournament.planned_games ?? Infinity);
    remaining.classList.toggle("hidden", isPlayed || UNFINISHED.includes(job?.state));
    const rated = rows.filter((row) => row.rating !== undefined);
    replace(
      tables,
      h("section", { class: "card scroll", tabindex: "0", "aria-label": t("Standings") }, [
        h("h2", {}, [
          t("Standings after {done} of {all} games", {
            done: number(tournament.games),
            all: number(tournament.planned_games ?? tournament.games),
          }),
        ]),
        table(
          STANDING_COLUMNS,
          rows.map((row, k) => standing(row, k, tournament.recent_games)),
        ),
      ]),
      rated.length > 1 &&
        h("section", { class: "card" }, [
          h("h2", {}, t("Ratings")),
          h("p", { class: "soft" }, t("The dot is the estimate, the line its 95% interval.")),
          ratings(rated),
        ]),
      rows.length > 1 &&
        rows.length <= MOST_CROSSED &&
        h("section", { class: "card scroll", tabindex: "0", "aria-label": t("Who beat whom") }, [
          h("h2", {}, t("Who beat whom")),
          h("p", { class: "soft" }, [
            t("Points of the player in the row against the one in the column, in per cent. A tie counts half."),
          ]),
          crosstable(rows, tournament.crosstable ?? []),
        ]),
    );
  }

  async function drawGames() {
    const list = await get(`/api/tournaments/${id}/games?most=${student ? 200 : 40}`);
    const title = student ? t("Games of your agents") : t("Last games");
    replace(
      games,
      list.length > 0 &&
        h("section", { class: "card" }, [
          h("h2", {}, title),
          h("div", { class: "scroll list", tabindex: "0", "aria-label": title, role: "group" }, [
            table([[t("Black")], [t("White")], [t("result"), "words"], [""]], list.map(gameRow)),
          ]),
        ]),
    );
  }

  function gameRow(game) {
    const path = `/api/tournaments/${id}/games/${game.number}`;
    const replay = button(t("Replay"), "quiet small", async () => {
      const kept = await post(/** @type {`/api/tournaments/${string}/games/${string}/open`} */ (`${path}/open`));
      go(`/review/${kept.id}`);
    });
    replay.setAttribute("aria-label", t("Replay {black} against {white}", game));
    return [
      [h("span", { class: "disc small black" }), ` ${game.black}`],
      [h("span", { class: "disc small white" }), ` ${game.white}`],
      h("span", { class: game.forfeit ? "bad" : null }, resultWords(game.text)),
      [replay, game.capsule && h("a", { href: `${path}/capsule.json`, download: "" }, t("capsule"))],
    ];
  }

  return () => forget?.();
}

const intervalOf = ({ rating_interval_95: [low, high] }) => ({ low: Math.round(low), high: Math.round(high) });

const standing = (row, k, games) => [
  [String(k + 1), " ", movement(row, games)],
  row.player,
  row.rating === undefined ? "–" : Math.round(row.rating),
  row.rating_interval_95 && t("{low} to {high}", intervalOf(row)),
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

function crosstable(rows, pairs) {
  const results = new Map(); // by both players: points and games of the first
  const add = (one, other, points, games) => {
    const [won, all] = results.get(`${one}\n${other}`) ?? [0, 0];
    results.set(`${one}\n${other}`, [won + points, all + games]);
  };
  for (const pair of pairs) {
    add(pair.black, pair.white, pair.black_wins + (pair.ties ?? 0) / 2, pair.games);
    add(pair.white, pair.black, pair.white_wins + (pair.ties ?? 0) / 2, pair.games);
  }
  const cell = (row, column) => {
    const [points, games] = results.get(`${row.player}\n${column.player}`) ?? [0, 0];
    if (!games) return h("td", {});
    const rate = points / games;
    const values = { player: row.player, points, games, opponent: column.player };
    const title = t("{player} has {points} of {games} points against {opponent}", values);
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
