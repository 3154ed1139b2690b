// Grades in words, and what changed between two of them.

import { listed, number, plural } from "../words.js";

const NO_FORFEITS = ["score", "resigned", "void", null];

// Why games of a grading were forfeited, the most common reason first: [{count, reason}].
export function forfeits(report) {
  const batches = report.repeats.flatMap((repeat) => repeat.batches);
  const reasons = grouped(batches.flatMap(lostOf).filter(({ game }) => isForfeit(game)));
  return reasons.map(({ reason, games }) => ({ count: games.length, reason }));
}

// The games of a batch that were not won, by reason, the most common first: [{reason, games: [{opponent, game}]}].
export const lossesByReason = (batch) => grouped(lostOf(batch));

export const isForfeit = (lost) => !NO_FORFEITS.includes(lost.verdict);
const lostOf = (batch) => batch.opponents.flatMap((row) => row.lost.map((game) => ({ opponent: row.opponent, game })));

function grouped(lost) {
  const found = new Map();
  for (const one of lost) {
    const reason = isForfeit(one.game) ? reasonOf(one.game) : "lost on the board";
    found.set(reason, [...(found.get(reason) ?? []), one]);
  }
  return [...found].map(([reason, games]) => ({ reason, games })).sort((a, b) => b.games.length - a.games.length);
}

// How many games were forfeited, with the most common reason; empty for none.
export function forfeitLine(report) {
  const reasons = forfeits(report);
  const all = reasons.reduce((sum, one) => sum + one.count, 0);
  if (!all) return "";
  const [{ count, reason }] = reasons;
  const most = reasons.length === 1 ? "" : `, ${count} of them`;
  return `${all} of ${report.games} games forfeited${most}: ${reason}`;
}

// The last line of the traceback with its place, if there is one; else the referee's reason, wherever on the board.
function reasonOf(lost) {
  const lines = lost.stderr.trim().split("\n");
  const last = lines.at(-1).trim();
  if (!/^[\w.]+(Error|Exception|Interrupt|Exit)\b/.test(last))
    return (lost.record.outcome.reason || lost.outcome).replace(/^\d+,\d+: /, "");
  const place = lines.findLast((line) => /^\s*File ".*", line \d+/.test(line))?.match(/([^"/]+)", line (\d+)/);
  return place ? `${last} in ${place[1]}, line ${place[2]}` : last;
}

// Why the points are what they are, in one sentence: it cannot play, it forfeits, or where the points were lost.
export function reasonLine(report) {
  if (report.problem) return "The agent cannot play.";
  const forfeited = forfeitLine(report);
  if (forfeited) return forfeited;
  const rows = counted(report).batches.flatMap((batch) => batch.opponents);
  const lost = rows
    .map((row) => ({ ...row, missing: row.games ? row.max_points - row.points : 0 }))
    .filter((row) => row.missing > 0)
    .sort((one, other) => other.missing - one.missing);
  if (!lost.length) return report.complete ? "No points were lost." : "No points were lost so far.";
  const where = lost.map(
    (row) => `${amount(row.missing)} against ${row.opponent} (${row.wins} of ${row.games} games won)`,
  );
  return `Points lost: ${listed(where, "conjunction")}.`;
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

// The place of a game among those against its opponent is even with Black, odd with White.
function pairs(before, after) {
  const [old, now] = [before, after].map((row) => new Map(row.lost.map((game) => [game.place, game])));
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

// The last finished grading of an earlier version in the same way, from gradings of which the newest is the first.
export function versionBefore(list, current) {
  const shown = list[current];
  const same = (one) => one.edition === shown.edition && one.stage === shown.stage && one.complete;
  return shown && list.find((one) => one.version < shown.version && same(one));
}

// "2 games gained, 1 game lost"; of a row of the comparison, or of several.
export function changes(rows) {
  const count = (kind) => rows.flatMap((row) => row.games).filter((game) => game.kind === kind).length;
  const parts = [
    count("gained") && plural(count("gained"), "{n} game gained", "{n} games gained"),
    count("dropped") && plural(count("dropped"), "{n} game lost", "{n} games lost"),
  ].filter(Boolean);
  return parts.length ? parts.join(", ") : "no game changed";
}
