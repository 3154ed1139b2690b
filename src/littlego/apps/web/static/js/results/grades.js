// Grades in words, and what changed between two of them.

import { listed, number, t, tn, ts } from "../language/language.js";

const NO_FORFEITS = ["score", "resigned", "void", null];

// Why games of a grading were forfeited, the most common reason first: [{count, reason}].
export function forfeits(report) {
  const counts = new Map();
  for (const lost of report.repeats.flatMap((repeat) => repeat.batches).flatMap(lostOf)) {
    if (NO_FORFEITS.includes(lost.verdict)) continue;
    const reason = reasonOf(lost);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => ({ count, reason })).sort((one, other) => other.count - one.count);
}

const lostOf = (batch) => batch.opponents.flatMap((row) => row.lost);

// How many games were forfeited, with the most common reason; empty for none.
export function forfeitLine(report) {
  const reasons = forfeits(report);
  const all = reasons.reduce((sum, one) => sum + one.count, 0);
  if (!all) return "";
  const values = { all, games: report.games, most: reasons[0]?.count, reason: reasons[0]?.reason };
  if (reasons.length === 1) return t("{all} of {games} games forfeited: {reason}", values);
  return t("{all} of {games} games forfeited, {most} of them: {reason}", values);
}

// The last line of the traceback with its place, if there is one; else the referee's reason.
function reasonOf(lost) {
  const lines = lost.stderr.trim().split("\n");
  const last = lines.at(-1).trim();
  if (!/^[\w.]+(Error|Exception|Interrupt|Exit)\b/.test(last)) return ts(lost.record.outcome.reason || lost.outcome);
  const place = lines.findLast((line) => /^\s*File ".*", line \d+/.test(line))?.match(/([^"/]+)", line (\d+)/);
  return place ? t("{error} in {file}, line {line}", { error: last, file: place[1], line: place[2] }) : last;
}

// Why the points are what they are, in one sentence: it cannot play, it forfeits, or where the points were lost.
export function reasonLine(report) {
  if (report.problem) return t("The agent cannot play.");
  if (report.lacked_here)
    return t(
      "This is no grade yet: the server's Python lacks {package}, which the course has. That is not the agent's fault.",
      { package: report.lacked_here },
    );
  const forfeited = forfeitLine(report);
  if (forfeited) return forfeited;
  const rows = counted(report).batches.flatMap((batch) => batch.opponents);
  const lost = rows
    .map((row) => ({ ...row, missing: row.games ? row.max_points - row.points : 0 }))
    .filter((row) => row.missing > 0)
    .sort((one, other) => other.missing - one.missing);
  if (!lost.length) return report.complete ? t("No points were lost.") : t("No points were lost so far.");
  const where = lost.map((row) =>
    t("{points} against {opponent} ({wins} of {games} games won)", {
      points: amount(row.missing),
      opponent: row.opponent,
      wins: row.wins,
      games: row.games,
    }),
  );
  return t("Points lost: {where}.", { where: listed(where, "conjunction") });
}

export const counted = (report) => report.repeats[report.counted_repeat - 1] ?? report.repeats[0];
export const amount = (value) => number(value, Number.isInteger(value) ? 0 : Number.isInteger(value * 10) ? 1 : 2);

// Two gradings of the same stage, opponent by opponent and game by game. A game is `kept` or `lost` in both, `gained` if
// only the later grading won it, `dropped` if only the earlier one did, and `open` if one of them has not played it.
export function comparison(earlier, later) {
  const rows = [];
  for (const batch of counted(later).batches) {
    const old = counted(earlier).batches.find((one) => one.stage === batch.stage);
    for (const after of batch.opponents) {
      const before = old?.opponents.find((one) => one.opponent === after.opponent);
      if (before)
        rows.push({ stage: batch.title, opponent: after.opponent, before, after, games: pairs(before, after) });
    }
  }
  return rows;
}

// An id ends in three digits that count the games against an opponent: even with Black, odd with White.
function pairs(before, after) {
  const [old, now] = [before, after].map((row) => new Map(row.lost.map((game) => [game.id % 1000, game])));
  const isWhole = [before, after].every((row) => row.games === row.planned_games);
  const { black, white } = after.by_colour;
  const step = after.games && !(black.games && white.games) ? 2 : 1;
  const first = step === 2 && !black.games ? 1 : 0;
  return Array.from({ length: Math.max(before.planned_games, after.planned_games) }, (_, k) => {
    const place = first + step * k;
    const [was, is] = [old.get(place), now.get(place)];
    const kind = was ? (is ? "lost" : "gained") : is ? "dropped" : "kept";
    const colour = place % 2 ? "white" : "black";
    return { number: k + 1, colour, kind: isWhole || (was && is) ? kind : "open", was, is };
  });
}

// "2 games gained, 1 game lost"; of a row of the comparison, or of several.
export function changes(rows) {
  const count = (kind) => rows.flatMap((row) => row.games).filter((game) => game.kind === kind).length;
  const parts = [
    count("gained") && tn(count("gained"), "{n} game gained", "{n} games gained"),
    count("dropped") && tn(count("dropped"), "{n} game lost", "{n} games lost"),
  ].filter(Boolean);
  return parts.length ? parts.join(", ") : t("no game changed");
}
