// One agent of the arena: its versions, its check, its grade, and all its gradings.

import { attempt, button, capital, confirmed, h, labelled, onSubmit, replace, select, table, toast } from "../dom.js";
import { addressOf, HUMAN, makeGame } from "../go/game.js";
import { plural, when } from "../words.js";
import { newSeed } from "./game.js";
import { amount, changes, comparison, versionBefore } from "../results/grades.js";
import { checksOf, gradeOf, reviewLink } from "../results/report.js";
import { about, follow, get, post, put, remove } from "../server/api.js";
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
  const homework = server.has_class ? await get("/api/homework") : null;
  const checkBox = h("div", { class: "stack" });
  const receiptBox = h("p", { "aria-live": "polite" });
  const gradeBox = h("div", { class: "stack" });
  const gradings = h("div", {}, !agent.jobs.grade && h("p", { class: "soft" }, "Not graded yet."));
  const compared = h("div", { class: "stack" });
  const version = agent.versions.at(-1);
  const file = h("input", { type: "file", accept: ".zip,.py,.cpp,.java", required: true });
  const isMine = server.owner ? !agent.student : Boolean(server.student);
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
        h("p", { class: "soft" }, `Version ${version.number}, uploaded ${when(version.created)}.`),
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
        isMine &&
          h("form", { class: "row", onsubmit: onSubmit(upload) }, [
            labelled("New version", file),
            h("button", { class: "quiet" }, "Upload"),
          ]),
        homework &&
          server.student &&
          h("div", { class: "stack" }, [
            h(
              "p",
              {},
              `The homework is due ${when(homework.due)}${lateUntil(homework)}. What you hand in last counts.`,
            ),
            h("div", { class: "row" }, button("Hand in this one", null, handIn)),
            receiptBox,
          ]),
        checkBox,
      ]),
      h("section", { class: "card stack" }, h("h2", {}, "Grade"), form, gradeBox, gradings, compared),
    ]),
  );
  if (homework?.receipt) showReceipt(homework.receipt);
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

  async function handIn() {
    showReceipt(await post(`/api/agents/${id}/hand-in`));
  }

  function showReceipt(receipt) {
    const late = receipt.late_days ? `, ${plural(receipt.late_days, "{n} day", "{n} days")} late` : "";
    const what = `${receipt.name}, version ${receipt.version}`;
    replace(receiptBox, [
      `Handed in ${when(receipt.time)}${late}: ${what}. Receipt `,
      h("code", {}, receipt.id),
      ", files ",
      h("code", { title: "changes with the agent's files" }, receipt.digest.slice(0, 12)),
      ".",
    ]);
  }

  async function upload() {
    const chosen = file.files[0];
    const query = `name=${encodeURIComponent(agent.name)}&file=${encodeURIComponent(chosen.name)}`;
    const next = await put(`/api/agents?${query}`, chosen);
    if (next.versions.at(-1).number === version.number) toast(`These are the files of version ${version.number}.`);
    else go(`/arena/agent/${id}`);
  }

  function playIt() {
    const seats = { black: HUMAN, white: `agent:${id}` };
    go(addressOf("play", makeGame({ seats, white: agent.name, seed: newSeed() })));
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
      replace(checkBox, jobBar(update), [update.result && checksOf(update.result.checks, update.state === "done")]),
    );
  }

  function watchGrade(job) {
    stopGrade?.();
    graded = null;
    replace(compared);
    stopGrade = follow(job, (update) => {
      const changed = update.state !== graded?.state || update.id !== graded.id;
      graded = update;
      if (changed) attempt(drawGradings);
      replace(gradeBox, jobBar(update), update.result && gradeOf(update.result));
    });
  }

  // Every grading so far; the one that is shown above is marked, and compared with that of the version before.
  async function drawGradings() {
    const list = await get(`/api/agents/${id}/gradings`);
    const columns = [["version"], ["when"], ["edition"], ["stage"], ["points"], [""]];
    again.classList.toggle("hidden", list.length === 0);
    const current = list.findIndex((one) => one.job === graded?.id);
    replace(
      gradings,
      list.length > 0 && [
        h("h3", {}, "Gradings"),
        h("div", { class: "scroll" }, table(columns, list.map(gradingRow), current)),
      ],
    );
    const before = graded?.state === "done" && versionBefore(list, current);
    if (before) await compare(list[current], before);
  }

  // Another grading beside the one that is shown: the earlier one first.
  async function compare(one, another) {
    const shown = graded;
    const other = await get(`/api/jobs/${another.job}`);
    if (shown.id !== one.job || !shown.result || !other.result) return;
    const pair = [
      { ...one, result: shown.result },
      { ...another, result: other.result },
    ];
    replace(compared, comparisonOf(...pair.sort((first, second) => first.created - second.created)));
  }

  function gradingRow(one, _k, list) {
    const points = one.points === null ? "–" : `${amount(one.points)} of ${one.max_points}`;
    const current = list.find(({ job }) => job === graded?.id);
    return [
      `v${one.version}`,
      when(one.created),
      one.edition,
      one.stage,
      one.complete ? points : UNFINISHED.includes(one.state) ? one.state : `${points}, ${one.state}`,
      [
        button("Show", "quiet small", () => showGrading(one.job)),
        current &&
          one !== current &&
          button("Compare", "quiet small", async () => {
            await compare(current, one);
            compared.scrollIntoView({ block: "nearest" });
          }),
        one.report && h("a", { href: `api/agents/${id}/gradings/${one.id}/report.html`, download: "" }, "report"),
      ],
    ];
  }

  return () => {
    stopCheck?.();
    stopGrade?.();
  };
}

const lateUntil = ({ due, closes }) => (closes > due ? `; late, with fewer points, until ${when(closes)}` : "");

const CHANGES = {
  kept: "won both times",
  lost: "not won either time",
  gained: "won now",
  dropped: "no longer won",
  open: "not played both times",
};

// Two gradings side by side: points by opponent, a square for each game, and the games that changed.
function comparisonOf(earlier, later) {
  const rows = comparison(earlier.result, later.result);
  if (!rows.length) return h("p", { class: "soft" }, "These gradings have no opponent in common.");
  const columns = [["opponent"], ["earlier", "number"], ["later", "number"], ["game by game"], ["change"]];
  const score = (row) => `${row.wins}/${row.games}`;
  const changed = rows.flatMap((row) =>
    row.games.filter((game) => ["gained", "dropped"].includes(game.kind)).map((game) => [row.opponent, game]),
  );
  const points = ({ result }) => amount(result.points);
  const isNew = later.version !== earlier.version;
  const called = (one) => (isNew ? `Version ${one.version}` : capital(when(one.created)));
  const kinds = Object.keys(CHANGES).filter((kind) => rows.some((row) => row.games.some((game) => game.kind === kind)));
  return h("section", { class: "stack", "aria-label": "Comparison" }, [
    h(
      "h3",
      {},
      `${called(earlier)}: ${points(earlier)} points. ${called(later)}: ${points(later)}. ${capital(changes(rows))}.`,
    ),
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
            return h("li", {}, h("span", {}, text), reviewLink(lost.record, "Review"));
          }),
        ]),
      ]),
  ]);
}

function gameSquare(game) {
  const text = `${game.number}. ${game.colour}: ${CHANGES[game.kind]}`;
  return h("li", { class: `square ${game.kind}`, title: text }, h("span", { class: "sr" }, text));
}
