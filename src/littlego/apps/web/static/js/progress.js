// Jobs and grades in words.

export const UNFINISHED = ["waiting", "running"];

// How far a job has come; if it waits, what it waits for.
export function progressOf(job) {
  if (job.state === "waiting") {
    const first = job.waiting_for;
    return first ? `waiting for ${first.title}${first.total ? `, ${counted(first)}` : ""}` : "waiting for its turn";
  }
  return [job.total ? counted(job) : "", job.message || (job.total ? "" : "starting")].filter(Boolean).join(" ");
}

const counted = (job) => `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}`;

// Why games of a grading were forfeited, the most common reason first: [{count, reason}].
export function forfeits(report) {
  const counts = new Map();
  for (const batch of report.repeats.flatMap((repeat) => repeat.batches))
    for (const lost of batch.opponents.flatMap((row) => row.lost)) {
      if (["score", "resigned", "void", null].includes(lost.verdict)) continue;
      const reason = reasonOf(lost);
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
  return [...counts].map(([reason, count]) => ({ count, reason })).sort((one, other) => other.count - one.count);
}

// How many games were forfeited, with the most common reason; empty for none.
export function forfeitLine(report) {
  const reasons = forfeits(report);
  const all = reasons.reduce((sum, one) => sum + one.count, 0);
  if (!all) return "";
  const most = reasons.length > 1 ? `, ${reasons[0].count} of them: ` : ": ";
  return `${all} of ${report.games} games forfeited${most}${reasons[0].reason}`;
}

// The last line of the traceback with its place, if there is one; else the referee's reason.
function reasonOf(lost) {
  const lines = lost.stderr.trim().split("\n");
  const last = lines.at(-1).trim();
  if (!/^[\w.]+(Error|Exception|Interrupt|Exit)\b/.test(last)) return lost.record.outcome.reason || lost.outcome;
  const place = lines.findLast((line) => /^\s*File ".*", line \d+/.test(line))?.match(/([^"/]+)", line (\d+)/);
  return place ? `${last} in ${place[1]}, line ${place[2]}` : last;
}
