// One agent of the arena: its check, its grade, and all its gradings.

import { follow, get, post, remove } from "../api.js";
import { attempt, button, capital, h, onSubmit, replace, select, table } from "../dom.js";
import { jobBar } from "../jobs.js";
import { forfeitLine, UNFINISHED } from "../progress.js";

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
  const [agent, about] = await Promise.all([get(`/api/agents/${id}`), get("/api/about")]);
  const checkBox = h("div", { class: "stack" });
  const gradeBox = h("div", { class: "stack" });
  const gradings = h("div", {});
  let stopCheck = null;
  let stopGrade = null;
  let graded = null;
  const edition = select(
    { name: "edition", "aria-label": "Edition", onchange: offerStages },
    about.editions.map(({ name }) => [name, name]),
  );
  const stages = h("span", {});
  offerStages();
  const form = h("form", { class: "row", onsubmit: onSubmit(grade) }, [
    edition,
    stages,
    h("button", {}, "Grade"),
    h("button", { class: "quiet", name: "again", value: "yes" }, "Grade again"),
  ]);
  replace(
    main,
    h("div", { class: "stack" }, [
      h("section", { class: "card stack" }, [
        h("h1", {}, agent.name),
        h("p", {}, "As a player it is called ", h("code", {}, `agent:${id}`), "."),
        agent.path && h("p", { class: "soft" }, "Runs from ", h("code", {}, agent.path), ", with the files there now."),
        h("div", { class: "row" }, [
          button("Check", null, async () => watchCheck(await post(`/api/agents/${id}/check`))),
          button("Play against it", "quiet", playIt),
          button("Delete", "quiet", async () => {
            if (!confirm("Delete this agent and its files?")) return;
            await remove(`/api/agents/${id}`);
            go("/arena");
          }),
        ]),
        checkBox,
      ]),
      h("section", { class: "card stack" }, h("h2", {}, "Grade"), form, gradeBox, gradings),
    ]),
  );
  if (agent.jobs.check) attempt(async () => watchCheck(await get(`/api/jobs/${agent.jobs.check}`)));
  if (agent.jobs.grade) attempt(() => showGrading(agent.jobs.grade));

  function offerStages() {
    const chosen = about.editions.find(({ name }) => name === edition.value) ?? about.editions[0];
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
        update.result && h("ul", { class: "findings" }, update.result.checks.map(finding)),
      ]),
    );
  }

  function watchGrade(job) {
    stopGrade?.();
    graded = null;
    stopGrade = follow(job, (update) => {
      if (update.state !== graded?.state || update.id !== graded.id) attempt(drawGradings);
      graded = update;
      replace(gradeBox, jobBar(update), update.result && gradeOf(update.result, go));
    });
  }

  // Every grading so far; the one that is shown above is marked.
  async function drawGradings() {
    const list = await get(`/api/agents/${id}/gradings`);
    const columns = [["when"], ["edition"], ["stage"], ["files"], ["points"], [""]];
    const current = list.findIndex((one) => one.job === graded?.id);
    replace(gradings, list.length > 0 && [h("h3", {}, "Gradings"), table(columns, list.map(gradingRow), current)]);
  }

  function gradingRow(one) {
    const points = one.points === null ? "–" : `${round(one.points)} of ${one.max_points}`;
    return [
      new Date(one.created * 1000).toLocaleString(),
      one.edition,
      one.stage,
      h("code", { title: "changes with the agent's files" }, one.digest.slice(0, 7) || "–"),
      one.complete ? points : UNFINISHED.includes(one.state) ? one.state : `${points}, ${one.state}`,
      [
        button("Show", "quiet small", () => showGrading(one.job)),
        one.report && h("a", { href: `/api/agents/${id}/gradings/${one.id}/report.html`, download: "" }, "report"),
      ],
    ];
  }

  return () => {
    stopCheck?.();
    stopGrade?.();
  };
}

const round = (value) => String(Math.round(value * 100) / 100);
const percent = ([low, high]) => `${Math.round(100 * low)}–${Math.round(100 * high)}%`;

const MARKS = { passed: ["good", "✓"], failed: ["bad", "✗"], remark: ["even", "!"] };

function finding({ status, title, detail }) {
  const [tone, mark] = MARKS[status] ?? ["soft", "–"];
  return h("li", {}, [
    h("span", { class: tone, role: "img", "aria-label": status }, mark),
    h("b", {}, capital(title)),
    detail && h("div", { class: "soft pre" }, detail),
  ]);
}

function gradeOf(report, go) {
  const best = report.repeats[report.counted_repeat - 1] ?? report.repeats[0];
  const forfeited = forfeitLine(report);
  return [
    h("p", { class: "says end" }, [
      `${round(report.points)} of ${report.max_points} points${report.complete ? "" : " so far"}`,
    ]),
    forfeited && h("p", { class: "bad" }, forfeited),
    report.problem && h("pre", { class: "bad pre" }, report.problem),
    best.batches.map((batch) => batchOf(batch, report.complete, go)),
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

function batchOf(batch, complete, go) {
  const rows = batch.opponents.map((row) => [
    row.opponent,
    `${row.wins}/${row.games}`,
    row.games ? percent(row.interval_95) : "–",
    row.distinct_games,
    `${round(row.points)}/${row.max_points}`,
    row.games || complete ? row.rubric_line : "no game yet",
  ]);
  const notWon = batch.opponents.flatMap((row) => row.lost.map((game) => [row.opponent, game]));
  return h("div", { class: "scroll" }, [
    h("h3", {}, `${batch.title}: ${round(batch.points)} of ${batch.max_points}`),
    table(GRADE_COLUMNS, rows),
    h("p", { class: "soft" }, `${round(batch.cpu_seconds)} s of CPU time; the limit is ${batch.budget_seconds} s.`),
    notWon.length > 0 &&
      h("details", {}, [
        h("summary", {}, "Games not won"),
        h("ul", { class: "plain" }, [
          notWon.map(([opponent, game]) =>
            h("li", {}, [
              `${opponent}, ${game.colour}: ${game.outcome}. `,
              button("Review", "quiet small", async () => {
                const kept = await post("/api/games/import", { text: JSON.stringify(game.record) });
                go(`/review/${kept.id}`);
              }),
              game.stderr && h("pre", { class: "pre soft" }, game.stderr),
            ]),
          ),
        ]),
      ]),
  ]);
}
