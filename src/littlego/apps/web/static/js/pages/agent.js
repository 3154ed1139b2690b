// One agent of the arena: its check, its grade, and all its gradings.

import { attempt, button, capital, confirmed, h, onSubmit, replace, select, table } from "../dom.js";
import { aColour, number, t, ts, tx, when } from "../language/language.js";
import { amount, changes, comparison, counted, reasonLine } from "../results/grades.js";
import { about, follow, get, post, remove } from "../server/api.js";
import { jobBar } from "../server/jobs.js";
import { UNFINISHED } from "../server/progress.js";

// In the order in which they are offered.
const STAGE_NAMES = new Map([
  ["submit", t("what “submit” plays")],
  ["submit1", t("“submit”, stage 1")],
  ["submit2", t("“submit”, stage 2")],
  ["1", t("stage 1")],
  ["2", t("stage 2")],
  ["all", t("everything")],
]);

export async function showAgent(main, id, go) {
  const [agent, server] = await Promise.all([get(`/api/agents/${id}`), about()]);
  const checkBox = h("div", { class: "stack" });
  const gradeBox = h("div", { class: "stack" });
  const gradings = h("div", {}, !agent.jobs.grade && h("p", { class: "soft" }, t("Not graded yet.")));
  const compared = h("div", { class: "stack" });
  let stopCheck = null;
  let stopGrade = null;
  let graded = null;
  const edition = select(
    { name: "edition", "aria-label": t("Edition"), onchange: offerStages },
    server.editions.map(({ name }) => [name, name]),
  );
  const stages = h("span", {});
  offerStages();
  const again = h("button", { class: "quiet hidden", name: "again", value: "yes" }, t("Grade again"));
  const form = h("form", { class: "row", onsubmit: onSubmit(grade) }, [
    edition,
    stages,
    h("button", {}, t("Grade")),
    again,
  ]);
  replace(
    main,
    h("div", { class: "stack" }, [
      h("section", { class: "card stack" }, [
        h("h1", {}, agent.name),
        h("p", {}, tx("As a player it is called {name}.", { name: h("code", {}, `agent:${id}`) })),
        agent.path &&
          h(
            "p",
            { class: "soft" },
            tx("Runs from {path}, with the files there now.", { path: h("code", {}, agent.path) }),
          ),
        h("div", { class: "row" }, [
          button(t("Check"), null, async () => watchCheck(await post(`/api/agents/${id}/check`))),
          button(t("Play against it"), "quiet", playIt),
          button(t("Delete"), "quiet", async () => {
            if (!(await confirmed(t("Delete this agent and its files?"), t("Delete")))) return;
            await remove(`/api/agents/${id}`);
            go("/arena");
          }),
        ]),
        checkBox,
      ]),
      h("section", { class: "card stack" }, h("h2", {}, t("Grade")), form, gradeBox, gradings, compared),
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
        { name: "stage", "aria-label": t("Stage") },
        [...known, ...others].map((stage) => [stage, STAGE_NAMES.get(stage) ?? t("stage {stage}", { stage })]),
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
      replace(gradeBox, jobBar(update), update.result && gradeOf(update.result, go));
    });
  }

  // Every grading so far; the one that is shown above is marked.
  async function drawGradings() {
    const list = await get(`/api/agents/${id}/gradings`);
    const columns = [[t("when")], [t("edition")], [t("stage")], [t("files")], [t("points")], [""]];
    again.classList.toggle("hidden", list.length === 0);
    const current = list.findIndex((one) => one.job === graded?.id);
    replace(
      gradings,
      list.length > 0 && [
        h("h3", {}, t("Gradings")),
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
    const values = { points: amount(one.points ?? 0), all: one.max_points };
    const points = one.points === null ? "–" : t("{points} of {all}", values);
    return [
      when(one.created),
      one.edition,
      one.stage,
      h("code", { title: t("changes with the agent's files") }, one.digest.slice(0, 7) || "–"),
      one.complete ? points : UNFINISHED.includes(one.state) ? ts(one.state) : `${points}, ${ts(one.state)}`,
      [
        button(t("Show"), "quiet small", () => showGrading(one.job)),
        graded && one.job !== graded.id && button(t("Compare"), "quiet small", () => compare(one)),
        one.report && h("a", { href: `/api/agents/${id}/gradings/${one.id}/report.html`, download: "" }, t("report")),
      ],
    ];
  }

  return () => {
    stopCheck?.();
    stopGrade?.();
  };
}

const percent = ([low, high]) => `${Math.round(100 * low)}–${Math.round(100 * high)}%`;

const reviewButton = (game, go) =>
  button(t("Review"), "quiet small", async () => {
    const kept = await post("/api/games/import", { text: JSON.stringify(game.record) });
    go(`/review/${kept.id}`);
  });

const MARKS = { passed: ["good", "✓"], failed: ["bad", "✗"], remark: ["even", "!"] };

function finding({ status, title, detail }) {
  const [tone, mark] = MARKS[status] ?? ["soft", "–"];
  return h("li", {}, [
    h("span", { class: tone, role: "img", "aria-label": ts(status) }, mark),
    h("b", {}, capital(ts(title))),
    detail && h("div", { class: "soft pre" }, ts(detail)),
  ]);
}

function gradeOf(report, go) {
  const values = { points: amount(report.points), all: report.max_points };
  const isFull = report.points === report.max_points;
  return [
    h("p", { class: `reason ${isFull ? "good" : "bad"}` }, reasonLine(report)),
    report.problem && h("pre", { class: "bad pre" }, report.problem),
    h("p", { class: "says end" }, [
      report.complete ? t("{points} of {all} points", values) : t("{points} of {all} points so far", values),
    ]),
    counted(report).batches.map((batch) => batchOf(batch, report.complete, go)),
    report.isolation && h("p", { class: "soft" }, t("Played at {isolation}.", report)),
    report.runtime && h("p", { class: "soft" }, t("The agent ran with {runtime}.", { runtime: ts(report.runtime) })),
  ];
}

const GRADE_COLUMNS = [
  [t("opponent")],
  [t("won"), "number"],
  ["95%", "number wide"],
  [t("different games"), "number wide"],
  [t("points"), "number"],
  [t("rubric line")],
];

function batchOf(batch, complete, go) {
  const rows = batch.opponents.map((row) => [
    row.opponent,
    `${row.wins}/${row.games}`,
    row.games ? percent(row.interval_95) : "–",
    row.distinct_games,
    `${amount(row.points)}/${row.max_points}`,
    row.games || complete ? ts(row.rubric_line) : t("no game yet"),
  ]);
  const notWon = batch.opponents.flatMap((row) => row.lost.map((game) => [row.opponent, game]));
  return h("div", { class: "scroll" }, [
    h("h3", {}, [
      `${ts(batch.title)}: ${t("{points} of {all}", { points: amount(batch.points), all: batch.max_points })}`,
    ]),
    table(GRADE_COLUMNS, rows),
    h("p", { class: "soft" }, [
      t("{seconds} s of CPU time; the limit is {limit} s.", {
        seconds: number(batch.cpu_seconds, 1),
        limit: batch.budget_seconds,
      }),
    ]),
    notWon.length > 0 &&
      h("details", {}, [
        h("summary", {}, t("Games not won")),
        h("ul", { class: "plain" }, [
          notWon.map(([opponent, game]) =>
            h("li", {}, [
              `${opponent}, ${aColour(game.colour)}: ${ts(game.outcome)}. `,
              reviewButton(game, go),
              game.stderr && h("pre", { class: "pre soft" }, game.stderr),
            ]),
          ),
        ]),
      ]),
  ]);
}

const CHANGES = {
  kept: t("won both times"),
  lost: t("not won either time"),
  gained: t("won now"),
  dropped: t("not won any more"),
  open: t("not played both times"),
};

// Two gradings side by side: points by opponent, a square for each game, and the games that changed.
function comparisonOf(earlier, later, go) {
  const rows = comparison(earlier.result, later.result);
  if (!rows.length) return h("p", { class: "soft" }, t("These gradings have no opponent in common."));
  const columns = [
    [t("opponent")],
    [t("earlier"), "number"],
    [t("later"), "number"],
    [t("game by game")],
    [t("change")],
  ];
  const score = (row) => `${row.wins}/${row.games}`;
  const changed = rows.flatMap((row) =>
    row.games.filter((game) => ["gained", "dropped"].includes(game.kind)).map((game) => [row.opponent, game]),
  );
  const points = (report) => amount(report.points);
  const kinds = Object.keys(CHANGES).filter((kind) => rows.some((row) => row.games.some((game) => game.kind === kind)));
  return h("section", { class: "stack", "aria-label": t("Comparison") }, [
    h("h3", {}, [
      t("{earlier} points on {before}, {later} on {after}: {changes}", {
        earlier: points(earlier.result),
        before: when(earlier.created),
        later: points(later.result),
        after: when(later.created),
        changes: changes(rows),
      }),
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
        h("summary", {}, t("Games that changed")),
        h("ul", { class: "plain" }, [
          changed.map(([opponent, game]) => {
            const lost = game.is ?? game.was;
            const values = { opponent, number: game.number, colour: aColour(game.colour), outcome: ts(lost.outcome) };
            const text = game.is
              ? t("{opponent}, game {number} as {colour}: won before, now {outcome}.", values)
              : t("{opponent}, game {number} as {colour}: won now, before {outcome}.", values);
            return h("li", {}, h("span", {}, text), reviewButton(lost, go));
          }),
        ]),
      ]),
  ]);
}

function gameSquare(game) {
  const text = `${game.number}. ${aColour(game.colour)}: ${CHANGES[game.kind]}`;
  return h("li", { class: `square ${game.kind}`, title: text }, h("span", { class: "sr" }, text));
}
