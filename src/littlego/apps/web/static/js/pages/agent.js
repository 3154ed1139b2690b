// One agent of the arena: its check, its grade, and all its gradings.

import { attempt, button, capital, confirmed, h, onSubmit, replace, select, table } from "../dom.js";
import { number, plural, when } from "../words.js";
import { amount, changes, comparison, counted, lossesByReason, reasonLine } from "../results/grades.js";
import { about, follow, get, post, remove } from "../server/api.js";
import { jobBar } from "../server/jobs.js";
import { UNFINISHED } from "../server/progress.js";

// In the order in which they are offered.
const STAGE_NAMES = new Map([
  ["submit", "what “submit” plays"],
  ["submit1", "“submit”, stage 1"],
  ["submit2", "“submit”, stage 2"],
  ["1", "stage 1"],
  ["2", "stage 2"],
  ["all", "everything"],
]);

export async function showAgent(main, id, go) {
  const [agent, server] = await Promise.all([get(`/api/agents/${id}`), about()]);
  const checkBox = h("div", { class: "stack" });
  const gradeBox = h("div", { class: "stack" });
  const gradings = h("div", {}, !agent.jobs.grade && h("p", { class: "soft" }, "Not graded yet."));
  const compared = h("div", { class: "stack" });
  let stopCheck = null;
  let stopGrade = null;
  let graded = null;
  const edition = select(
    { name: "edition", "aria-label": "Edition", onchange: offerStages },
    server.editions.map(({ name }) => [name, name]),
  );
  const stages = h("span", {});
  offerStages();
  const again = h("button", { class: "quiet hidden", name: "again", value: "yes" }, "Grade again");
  const form = h("form", { class: "row", onsubmit: onSubmit(grade) }, [
    edition,
    stages,
    h("button", {}, "Grade"),
    again,
  ]);
  replace(
    main,
    h("div", { class: "stack" }, [
      h("section", { class: "card stack" }, [
        h("h1", {}, agent.name),
        h("p", {}, ["Use ", h("code", {}, `agent:${id}`), " wherever a player is asked for."]),
        agent.path &&
          h("p", { class: "soft" }, ["Runs from ", h("code", {}, agent.path), ", with the files there now."]),
        h("div", { class: "row" }, [
          button("Check", null, async () =>
            watchCheck(await post(`/api/agents/${id}/check`, { edition: edition.value })),
          ),
          button("Play against it", "quiet", playIt),
          button("Delete", "quiet", async () => {
            if (!(await confirmed("Delete this agent and its files?", "Delete"))) return;
            await remove(`/api/agents/${id}`);
            go("/arena");
          }),
        ]),
        checkBox,
      ]),
      h("section", { class: "card stack" }, h("h2", {}, "Grade"), form, gradeBox, gradings, compared),
    ]),
  );
  if (agent.jobs.check) attempt(async () => watchCheck(await get(`/api/jobs/${agent.jobs.check}`)));
  if (agent.jobs.grade) attempt(() => showGrading(agent.jobs.grade));

  function offerStages() {
    const chosen = server.editions.find(({ name }) => name === edition.value) ?? server.editions[0];
    const known = [...STAGE_NAMES.keys()].filter((stage) => chosen.stages.includes(stage));
    const others = chosen.stages.filter((stage) => !STAGE_NAMES.has(stage));
    replace(
      stages,
      select(
        { name: "stage", "aria-label": "Stage" },
        [...known, ...others].map((stage) => [stage, STAGE_NAMES.get(stage) ?? `stage ${stage}`]),
      ),
    );
  }

  async function playIt() {
    const game = await post("/api/games", { white: `agent:${id}`, names: { white: agent.name } });
    go(`/play/${game.id}`);
  }

  async function grade({ edition, stage }, event) {
    const again = event.submitter?.name === "again";
    watchGrade(await post(`/api/agents/${id}/grade`, { edition, stage, again }));
  }

  async function showGrading(job) {
    watchGrade(await get(`/api/jobs/${job}`));
  }

  function watchCheck(job) {
    stopCheck?.();
    stopCheck = follow(job, (update) =>
      replace(checkBox, jobBar(update), [
        update.result && checkSummary(update),
        update.result && h("ul", { class: "findings" }, update.result.checks.map(finding)),
      ]),
    );
  }

  function watchGrade(job) {
    stopGrade?.();
    graded = null;
    replace(compared);
    stopGrade = follow(job, (update) => {
      if (update.state !== graded?.state || update.id !== graded.id) attempt(drawGradings);
      graded = update;
      replace(gradeBox, jobBar(update), update.result && gradeOf(update, go));
    });
  }

  // Every grading so far; the one that is shown above is marked.
  async function drawGradings() {
    const list = await get(`/api/agents/${id}/gradings`);
    const columns = [["when"], ["edition"], ["stage"], ["files"], ["points"], [""]];
    again.classList.toggle("hidden", list.length === 0);
    const current = list.findIndex((one) => one.job === graded?.id);
    replace(
      gradings,
      list.length > 0 && [
        h("h3", {}, "Gradings"),
        h("div", { class: "scroll" }, table(columns, list.map(gradingRow), current)),
      ],
    );
  }

  // Another grading beside the one that is shown: the earlier one first.
  async function compare(one) {
    const shown = graded;
    const other = await get(`/api/jobs/${one.job}`);
    if (!shown.result || other.kind !== "grade" || !other.result) return;
    const [earlier, later] = other.created < shown.created ? [other, shown] : [shown, other];
    replace(compared, comparisonOf(earlier, later, go));
    compared.scrollIntoView({ block: "nearest" });
  }

  function gradingRow(one) {
    const points = one.points === null ? "–" : `${amount(one.points)} of ${one.max_points}`;
    return [
      when(one.created),
      one.edition,
      one.stage,
      h("code", { title: "changes with the agent's files" }, one.digest.slice(0, 7) || "–"),
      one.complete ? points : UNFINISHED.includes(one.state) ? one.state : `${points}, ${one.state}`,
      [
        button("Show", "quiet small", () => showGrading(one.job)),
        graded && one.job !== graded.id && button("Compare", "quiet small", () => compare(one)),
        one.report && h("a", { href: `/api/agents/${id}/gradings/${one.id}/report.html`, download: "" }, "report"),
      ],
    ];
  }

  return () => {
    stopCheck?.();
    stopGrade?.();
  };
}

const percent = ([low, high]) => `${Math.round(100 * low)}–${Math.round(100 * high)}%`;

// Opens a game on the server, by its number: records have no way through the page.
const reviewButton = (job, game, go, text = "Review") =>
  button(text, "quiet small", async () => go(`/review/${(await post(`/api/jobs/${job}/games/${game.game}/open`)).id}`));

const MARKS = { passed: ["good", "✓"], failed: ["bad", "✗"], remark: ["even", "!"] };

function checkSummary({ state, result: { checks } }) {
  const failed = checks.filter((check) => check.status === "failed").length;
  if (failed) return h("p", { class: "reason bad" }, `${failed} of ${checks.length} checks failed.`);
  return state === "done" && h("p", { class: "reason good" }, "Nothing failed.");
}

function finding({ status, title, detail }) {
  const [tone, mark] = MARKS[status] ?? ["soft", "–"];
  return h("li", {}, [
    h("span", { class: tone, role: "img", "aria-label": status }, mark),
    h("b", {}, capital(title)),
    detail && h("div", { class: "soft pre" }, detail),
  ]);
}

function gradeOf({ id, result: report }, go) {
  const isFull = report.points === report.max_points;
  return [
    h("p", { class: `reason ${isFull ? "good" : "bad"}` }, reasonLine(report)),
    report.problem && h("pre", { class: "bad pre" }, report.problem),
    h("p", { class: "says end" }, [
      `${amount(report.points)} of ${report.max_points} points${report.complete ? "" : " so far"}`,
    ]),
    counted(report).batches.map((batch) =>
      batchOf(batch, report.complete, (game, text) => reviewButton(id, game, go, text)),
    ),
    report.isolation && h("p", { class: "soft" }, `Played at ${report.isolation}.`),
    report.runtime && h("p", { class: "soft" }, `The agent ran with ${report.runtime}.`),
  ];
}

const GRADE_COLUMNS = [
  ["opponent"],
  ["won", "number"],
  ["95%", "number wide"],
  ["different games", "number wide"],
  ["points", "number"],
  ["rubric line"],
];

function batchOf(batch, complete, review) {
  const rows = batch.opponents.map((row) => [
    row.opponent,
    `${row.wins}/${row.games}`,
    row.games ? percent(row.interval_95) : "–",
    row.distinct_games,
    `${amount(row.points)}/${row.max_points}`,
    row.games || complete ? row.rubric_line : "no game yet",
  ]);
  const reasons = lossesByReason(batch);
  return h("div", { class: "scroll" }, [
    h("h3", {}, [`${batch.title}: ${amount(batch.points)} of ${batch.max_points}`]),
    table(GRADE_COLUMNS, rows),
    h("p", { class: "soft" }, [
      `${number(batch.cpu_seconds, 1)} s of CPU time; the limit is ${batch.budget_seconds} s.`,
    ]),
    reasons.length > 0 && lossesOf(batch, reasons, review),
  ]);
}

// The games that were not won, by reason: each reason once, with the end of the program's stderr and its games.
function lossesOf(batch, reasons, review) {
  const key = `lost ${batch.stage}`;
  const box = h("details", { open: Boolean(history.state?.[key]) }, [
    h("summary", {}, "Games not won"),
    h("ul", { class: "plain stack" }, [
      reasons.map(({ reason, games }) =>
        h("li", {}, [
          h("b", {}, `${plural(games.length, "{n} game", "{n} games")}: ${reason}`),
          games[0].game.stderr && h("pre", { class: "pre soft" }, games[0].game.stderr),
          h("p", { class: "row chips" }, [
            games.map(({ opponent, game }) => review(game, `${opponent}, you ${game.colour}, game ${game.game}`)),
          ]),
        ]),
      ),
    ]),
  ]);
  // Coming back, the list is as it was.
  box.addEventListener("toggle", () => history.replaceState({ ...history.state, [key]: box.open }, ""));
  return box;
}

const CHANGES = {
  kept: "won both times",
  lost: "not won either time",
  gained: "won now",
  dropped: "no longer won",
  open: "not played both times",
};

// Two gradings side by side: points by opponent, a square for each game, and the games that changed.
function comparisonOf(earlier, later, go) {
  const rows = comparison(earlier.result, later.result);
  if (!rows.length) return h("p", { class: "soft" }, "These gradings have no opponent in common.");
  const columns = [["opponent"], ["earlier", "number"], ["later", "number"], ["game by game"], ["change"]];
  const score = (row) => `${row.wins}/${row.games}`;
  const changed = rows.flatMap((row) =>
    row.games.filter((game) => ["gained", "dropped"].includes(game.kind)).map((game) => [row.opponent, game]),
  );
  const points = (report) => amount(report.points);
  const kinds = Object.keys(CHANGES).filter((kind) => rows.some((row) => row.games.some((game) => game.kind === kind)));
  return h("section", { class: "stack", "aria-label": "Comparison" }, [
    h("h3", {}, [
      `${points(earlier.result)} points on ${when(earlier.created)}, ${points(later.result)} on ${when(later.created)}: ${changes(rows)}`,
    ]),
    h("div", { class: "scroll" }, [
      table(
        columns,
        rows.map((row) => [
          row.opponent,
          score(row.before),
          score(row.after),
          h("ol", { class: "squares games-compared" }, row.games.map(gameSquare)),
          changes([row]),
        ]),
      ),
    ]),
    h("p", { class: "legend soft" }, [
      kinds.map((kind) => h("span", {}, h("i", { class: `square ${kind}` }), ` ${CHANGES[kind]} `)),
    ]),
    changed.length > 0 &&
      h("details", { open: changed.length < 12 }, [
        h("summary", {}, "Games that changed"),
        h("ul", { class: "plain" }, [
          changed.map(([opponent, game]) => {
            const lost = game.is ?? game.was;
            const change = game.is ? "won before, now" : "won now, before";
            const text = `${opponent}, game ${game.number} as ${game.colour}: ${change} ${lost.outcome}.`;
            return h("li", {}, h("span", {}, text), reviewButton((game.is ? later : earlier).id, lost, go));
          }),
        ]),
      ]),
  ]);
}

function gameSquare(game) {
  const text = `${game.number}. ${game.colour}: ${CHANGES[game.kind]}`;
  return h("li", { class: `square ${game.kind}`, title: text }, h("span", { class: "sr" }, text));
}
