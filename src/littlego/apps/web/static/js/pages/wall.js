// The wall: a tournament on a screen that nobody touches. Standings with movement, and boards that show the games that
// ended last, move by move; when all games were shown, the podium. Without a tournament in the address it follows the
// one that runs.

import { ValueBar } from "../board/bar.js";
import { Board } from "../board/board.js";
import { button, h, replace } from "../dom.js";
import { number, plural, resultWords } from "../words.js";
import { movement } from "../results/standings.js";
import { about, get } from "../server/api.js";
import { drawn, gameOfRecord } from "../go/game.js";
import { valuesAlong, whoPlays } from "../watch/watched.js";

const EVERY = 3000; // milliseconds between two looks at the tournament
const PACE = 600; // and between two moves on a board
const REST = 4000; // how long a board shows its result
const BOARDS = 6;
const ROWS = 16;

export async function showWall(main, wished) {
  const { owner } = await about(); // jobs and games are the owner's: others see the standings alone
  const heading = h("h1", {}, "The wall");
  const progress = h("p", { class: "lead", role: "status" });
  const bar = h("progress", { class: "hidden", "aria-label": "Games played" });
  const standings = h("ol", { class: "wall-standings", "aria-label": "Standings" });
  const grid = h("div", { class: "grid" });
  const full = button("Full screen", "quiet", () => document.documentElement.requestFullscreen());
  let boards = [];
  let shown = null; // the tournament
  let stopped = false;
  let timer = null;
  let games = []; // the last ones, the newest first
  const seen = new Set(); // numbers of games that were on a board
  let isOver = false; // all games were played
  let resting = 0; // boards that have shown the last of them
  replace(
    main,
    h("div", { class: "wall stack" }, [
      h("div", { class: "row between" }, h("header", {}, heading, progress), full),
      bar,
      h("div", { class: "columns wall-columns" }, standings, grid),
    ]),
  );
  await look();

  async function look() {
    try {
      const id = wished ?? (await running());
      if (stopped) return;
      if (id) await draw(id);
      else {
        replace(heading, "The wall");
        replace(progress, "No tournament yet. This screen follows the next one by itself.");
      }
    } catch (error) {
      if (!shown && error.status) throw error; // the server is away: the screen stays as it is, and looks again
    } finally {
      if (!stopped) timer = setTimeout(() => look().catch(() => {}), EVERY);
    }
  }

  // The tournament whose games are being played, else the one that changed last.
  async function running() {
    const [tournaments, jobs] = await Promise.all([get("/api/tournaments"), owner ? get("/api/jobs/queue") : []]);
    const active = jobs.filter((job) => job.kind === "tournament" && job.state === "running").map((job) => job.id);
    return (tournaments.find((one) => active.includes(one.job)) ?? tournaments[0])?.id ?? null;
  }

  async function draw(id) {
    const tournament = await get(`/api/tournaments/${id}`);
    if (stopped) return;
    const planned = tournament.planned_games;
    const wasOver = isOver;
    isOver = tournament.games > 0 && tournament.games >= planned;
    if (shown?.id !== id || (wasOver && !isOver)) {
      boards.forEach((one) => one.stop());
      boards = [];
      resting = 0;
      seen.clear();
      replace(grid);
    }
    shown = tournament;
    replace(heading, tournament.name);
    replace(progress, `${number(tournament.games)} of ${number(planned)} games`);
    Object.assign(bar, { max: Math.max(1, planned), value: tournament.games });
    bar.classList.remove("hidden");
    const rows = tournament.standings;
    const rest = rows.length - ROWS;
    replace(standings, rows.slice(0, ROWS).map(place), rest > 0 && h("li", { class: "soft" }, more(rest)));
    if (owner) games = await get(`/api/tournaments/${id}/games?most=${2 * BOARDS}`);
    if (stopped) return;
    while (boards.length < Math.min(BOARDS, games.length)) boards.push(oneBoard(id));
    if (isOver && resting === boards.length && !grid.querySelector(".podium")) replace(grid, podium(rows));
  }

  const more = (count) => plural(count, "and {n} more player", "and {n} more players");

  function place(row, k) {
    const share = h("span", { class: "strength", "aria-hidden": "true" });
    share.style.setProperty("--filled", `${Math.round(100 * row.win_rate)}%`);
    return h("li", {}, [
      h("b", { class: "number" }, String(k + 1)),
      movement(row, shown.recent_games),
      h("span", { class: "name" }, row.player),
      share,
      h("span", { class: "number" }, `${row.wins}/${row.games}`),
    ]);
  }

  function podium(rows) {
    const step = (row, k) =>
      h("li", { class: `step place-${k + 1}` }, [
        h("b", { class: "name" }, row.player),
        h("span", {}, `${row.wins} of ${row.games} games won`),
        h("span", { class: "block", "aria-hidden": "true" }, String(k + 1)),
      ]);
    return h("ol", { class: "podium", "aria-label": "Podium" }, rows.slice(0, 3).map(step));
  }

  // The newest game that no board has shown; if all were shown, one of the last again, or none at the end.
  function nextGame() {
    const fresh = games.find((game) => !seen.has(game.number));
    const chosen = fresh ?? (isOver ? null : games[Math.floor(Math.random() * games.length)]);
    if (chosen) seen.add(chosen.number);
    return chosen;
  }

  function oneBoard(id) {
    const line = h("p", {});
    const holder = h("div", { class: "with-bar" });
    let clock = null;
    let ended = false;
    const stopping = new AbortController();
    grid.append(h("article", { class: "card" }, holder, line));
    begin();

    async function begin() {
      const next = nextGame();
      if (!next) {
        resting += 1;
        return;
      }
      const { number, text } = next;
      try {
        const game = drawn(gameOfRecord(await get(`/api/tournaments/${id}/games/${number}`)));
        if (!ended) play(game, text);
      } catch {
        if (!ended) clock = setTimeout(begin, REST);
      }
    }

    function play(game, text) {
      const board = new Board({
        size: game.rules.size,
        label: `${game.black} against ${game.white}`,
        coordinates: false,
      });
      const value = new ValueBar();
      const found = []; // who wins after each move, as far as that is known
      let ply = 0;
      replace(holder, board.element, value.element);
      valuesAlong(game, found, stopping.signal).then(show, () => {}); // without values the bar stays as it is
      step();

      function show() {
        const isScored = ply === game.moves.length && !game.ended;
        value.show(isScored ? (game.outcome.winner ?? "tie") : (found[ply] ?? null));
      }

      function step() {
        const isEnd = ply === game.moves.length;
        board.showGame(game, { ply });
        show();
        replace(line, [whoPlays(game), isEnd ? resultWords(text) : plural(ply, "{n} move", "{n} moves")]);
        if (!isEnd) ply += 1;
        clock = setTimeout(isEnd ? begin : step, isEnd ? REST : PACE);
      }
    }

    return {
      stop: () => {
        ended = true;
        stopping.abort();
        clearTimeout(clock);
      },
    };
  }

  return () => {
    stopped = true;
    clearTimeout(timer);
    boards.forEach((one) => one.stop());
  };
}
