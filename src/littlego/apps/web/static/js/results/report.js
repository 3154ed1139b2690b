// A check and a grading as pages show them, whether a server made them or this browser.

import { capital, h, table } from "../dom.js";
import { addressOf, gameOfRecord } from "../go/game.js";
import { number, plural } from "../words.js";
import { amount, counted, isForfeit, lossesByReason, reasonLine } from "./grades.js";

const percent = ([low, high]) => `${Math.round(100 * low)}–${Math.round(100 * high)}%`;

const MARKS = { passed: ["good", "✓"], failed: ["bad", "✗"], remark: ["even", "!"] };

// The findings of a check so far, in one sentence and point by point.
export const checksOf = (checks, isWhole) => [
  checkSummary(checks, isWhole),
  h("ul", { class: "findings" }, checks.map(finding)),
];

function checkSummary(checks, isWhole) {
  const failed = checks.filter((check) => check.status === "failed").length;
  if (failed) return h("p", { class: "reason bad" }, `${failed} of ${checks.length} checks failed.`);
  return isWhole && h("p", { class: "reason good" }, "Nothing failed.");
}

function finding({ status, title, detail, advice }) {
  const [tone, mark] = MARKS[status] ?? ["soft", "–"];
  return h("li", {}, [
    h("span", { class: tone, role: "img", "aria-label": status }, mark),
    h("b", {}, capital(title)),
    detail && h("div", { class: "soft pre" }, advice ? `${detail}\n${capital(advice)}.` : detail),
  ]);
}

// A link to the review of a game, by its record.
export const reviewLink = (record, text) =>
  h("a", { class: "button quiet small", href: `#${addressOf("review", gameOfRecord(record))}` }, text);

// A grading: the reason first, then the points, then the games that were not won.
export function gradeOf(report) {
  const isFull = report.points === report.max_points;
  return [
    h("p", { class: `reason ${isFull ? "good" : "bad"}` }, reasonLine(report)),
    report.problem && h("pre", { class: "bad pre" }, report.problem),
    h("p", { class: "says end" }, [
      `${amount(report.points)} of ${report.max_points} points${report.complete ? "" : " so far"}`,
    ]),
    counted(report).batches.map((batch) => batchOf(batch, report)),
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

function batchOf(batch, { complete, inputs }) {
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
    reasons.length > 0 && lossesOf(batch, reasons, inputs),
  ]);
}

// The games that were not won, by reason: each reason once, with the end of the program's stderr, what it read before the
// move that forfeited a game, and its games.
function lossesOf(batch, reasons, inputs) {
  const key = `lost ${batch.stage}`;
  const file = ({ game }) =>
    h(
      "a",
      { href: `data:text/plain,${encodeURIComponent(inputs[game])}`, download: "input.txt" },
      `input.txt of game ${game}`,
    );
  const box = h("details", { open: Boolean(history.state?.[key]) }, [
    h("summary", {}, "Games not won"),
    h("ul", { class: "plain stack" }, [
      reasons.map(({ reason, games }) =>
        h("li", {}, [
          h("b", {}, `${plural(games.length, "{n} game", "{n} games")}: ${reason}`),
          games[0].game.stderr && h("pre", { class: "pre soft" }, games[0].game.stderr),
          h("p", { class: "row chips" }, [
            games.map(({ opponent, game }) =>
              reviewLink(game.record, `${opponent}, you ${game.colour}, game ${game.game}`),
            ),
            isForfeit(games[0].game) && inputs[games[0].game.game] && file(games[0].game),
          ]),
        ]),
      ),
    ]),
  ]);
  // Coming back, the list is as it was.
  box.addEventListener("toggle", () => history.replaceState({ ...history.state, [key]: box.open }, ""));
  return box;
}
