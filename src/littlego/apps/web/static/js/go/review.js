// What every move of a game did to its exact value: littlego/review/verdicts.py and words.py in the page. Tests review
// the same games in both and compare every word.

import { Colour, halves, plural } from "../words.js";
import { PASS, opponent } from "./position.js";

/**
 * @typedef {import("./position.js").Position} Position
 * @typedef {import("./position.js").Side} Side
 * @typedef {Side | "tie"} Value
 * @typedef {{ signal?: AbortSignal, known?: boolean }} Asking
 * @typedef {{ value: (position: Position, asking?: Asking) => Promise<Value | null>,
 *   margin: (position: Position, asking?: Asking) => Promise<number>,
 *   winningMove: (position: Position, asking?: Asking) => Promise<string | null> }} Thinker what kernel.js answers
 */

/** With at most so many plies left every other move is valued too; earlier that is expensive. */
const OTHERS_LEFT = 15;
/** With at most so many plies left margins are found too. */
export const MARGINS_LEFT = 16;
const LISTED = 6;
const NAMED = 7;
const CLEAR = 2;
const SEARCHED = 16;

const SHOWN = {
  kept_the_win: ["kept the win", "good", "✓"],
  the_only_move: ["the only move", "good", "!"],
  the_losing_move: ["the losing move", "bad", "✗"],
  threw_the_win_away: ["threw the win away", "bad", "?"],
  kept_the_tie: ["kept the tie", "even", "="],
  was_lost_anyway: ["was lost anyway", "soft", "·"],
  had_no_choice: ["had no choice", "soft", "·"],
  not_known_yet: ["not known yet", "soft", "…"],
  after_the_end: ["after the end of the game", "soft", "·"],
};
const MISTAKES = ["the_losing_move", "threw_the_win_away"];

const rank = (value, side) => (value === "tie" ? 1 : value === side ? 2 : 0);

/** A game under review. The work goes backwards from the end, where values are cheap. */
export class GameReview {
  /**
   * @param {import("./game.js").Game} game
   * @param {Thinker} thinker
   */
  constructor(game, thinker) {
    this.game = game;
    this.thinker = thinker;
    this.positions = [game.start];
    for (const move of game.moves) this.positions.push(this.positions[this.positions.length - 1].play(move));
    const end = this.positions.findIndex((position) => position.outcome());
    this.length = end < 0 ? game.moves.length : end; // moves after two passes are not part of the game
    this.value = this.positions.map(() => /** @type {Value | null} */ (null));
    this.good = new Map();
    this.oneGood = new Map();
    this.margin = new Map();
    this.isDone = false;
  }

  /** Find out what is not known yet. @param {{ signal?: AbortSignal, take?: (done: number, all: number) => void }} [options] */
  async work({ signal, take = () => {} } = {}) {
    const steps = this.steps();
    for (const [k, step] of steps.entries()) {
      await step({ signal });
      take(k + 1, steps.length);
    }
    this.isDone = true;
  }

  /** The work to do, cheapest first: two more plies make a search ten times as expensive. */
  steps() {
    /** @type {[number, (asking: Asking) => Promise<void>][]} */
    const steps = [];
    for (let k = this.length; k >= 0; k--) {
      const { left } = this.positions[k];
      steps.push([left, (asking) => this.findValue(k, asking)]);
      if (k < this.length) steps.push([left + 3, (asking) => this.findGood(k, asking)]);
      if (left <= MARGINS_LEFT) steps.push([left + 2, (asking) => this.findMargin(k, asking)]);
    }
    const ordered = steps.sort(([one], [other]) => one - other).map(([, step]) => step);
    return [(asking) => this.findKnown(asking), ...ordered];
  }

  // What the atlas knows about the opening, before any expensive work. Any move in a lost position leads to one that the
  // opponent wins.
  async findKnown(asking) {
    for (let k = 0; k <= this.length; k++) {
      const position = this.positions[k];
      if (position.left <= OTHERS_LEFT) return;
      this.value[k] ??= await this.thinker.value(position, { ...asking, known: true });
      const found = this.value[k];
      if (k < this.length && found && !rank(found, position.toMove)) this.value[k + 1] = found;
    }
  }

  async findValue(k, asking) {
    const position = this.positions[k];
    const after = k < this.length ? this.value[k + 1] : null;
    this.value[k] = after === position.toMove ? after : (this.value[k] ?? (await this.thinker.value(position, asking)));
  }

  // The moves that keep the best result: all of them late in the game, one after an early mistake.
  async findGood(k, asking) {
    const position = this.positions[k];
    const [value, after] = [this.value[k], this.value[k + 1]];
    const mover = position.toMove;
    if (!value || !rank(value, mover)) return;
    const best = rank(value, mover);
    if (position.left <= OTHERS_LEFT) {
      const good = [];
      for (const move of position.legalMoves())
        if (rank(await this.thinker.value(position.play(move), asking), mover) === best) good.push(move);
      this.good.set(k, good);
    } else if (after && rank(after, mover) < best) {
      const won = best === 2 && (await this.thinker.winningMove(position, asking));
      if (won) return void this.oneGood.set(k, won);
      for (const move of position.legalMoves())
        if (rank(await this.thinker.value(position.play(move), asking), mover) === best)
          return void this.oneGood.set(k, move);
    }
  }

  async findMargin(k, asking) {
    this.margin.set(k, await this.thinker.margin(this.positions[k], asking));
  }

  // The last move that made the result worse for the side that moved, or -1.
  decisive() {
    for (let k = this.length - 1; k >= 0; k--) {
      const [before, after] = [this.value[k], this.value[k + 1]];
      if (!before || !after) return -1;
      const { toMove } = this.positions[k];
      if (rank(after, toMove) < rank(before, toMove)) return k;
    }
    return -1;
  }

  judged(k, decisive) {
    if (k >= this.length) return "after_the_end";
    const [before, after] = [this.value[k], this.value[k + 1]];
    const mover = this.positions[k].toMove;
    if (!before || !after) return "not_known_yet";
    if (this.positions[k].legalMoves().length === 1) return "had_no_choice";
    if (rank(after, mover) < rank(before, mover)) {
      // A side that won anyway, because the opponent gave up, made no losing move.
      const won = this.outcome()?.winner === mover;
      return k === decisive && !won ? "the_losing_move" : "threw_the_win_away";
    }
    if (!rank(before, mover)) return "was_lost_anyway";
    if (this.good.get(k)?.length === 1) return "the_only_move";
    return after === mover ? "kept_the_win" : "kept_the_tie";
  }

  outcome() {
    return this.game.ended ?? this.positions[this.positions.length - 1].outcome();
  }

  /** What is known so far, with the words for it. */
  told() {
    const decisive = this.decisive();
    const moves = this.game.moves.map((move, k) => this.move(move, k, this.judged(k, decisive)));
    const losing = moves.find(({ verdict }) => verdict === "the_losing_move") ?? null;
    const forfeited = this.forfeited();
    return {
      summary: this.summary(moves, losing, forfeited),
      complete: this.isDone && this.value.slice(0, this.length + 1).every(Boolean),
      losing_move: losing?.number ?? null,
      forfeited,
      value_at_the_end: this.value[this.length],
      margins_left: MARGINS_LEFT,
      moves,
    };
  }

  move(move, k, verdict) {
    const position = this.positions[k];
    const [before, after] = [this.value[k], this.value[k + 1] ?? null];
    const margins = [this.margin.get(k) ?? null, this.margin.get(k + 1) ?? null];
    const lost = margins.includes(null) ? null : margins[0] - margins[1];
    const slip = lost === null ? null : position.toMove === "black" ? lost : -lost || 0;
    const isMistake = MISTAKES.includes(verdict);
    const good = this.good.get(k) ?? null;
    const oneGood = this.oneGood.get(k) ?? null;
    const better = isMistake ? betterWords(good ?? (oneGood ? [oneGood] : []), before) : "";
    const words = judgement(verdict, before, after);
    const goal = before === "tie" ? "tie" : "win";
    const [, tone, sign] = SHOWN[verdict];
    return {
      number: position.played + 1,
      colour: position.toMove,
      move,
      before,
      after,
      verdict,
      good_moves: good,
      one_good_move: oneGood,
      margin_before: margins[0],
      margin_after: margins[1],
      slip,
      is_mistake: isMistake,
      illegal: isMistake ? illegalAt(position) : {},
      words,
      better,
      sentence: `${words}${better && `: ${better}`}${slip ? `; ${plural(slip, "{n} stone", "{n} stones")} given away` : ""}`,
      challenge: isMistake ? `${Colour(position.toMove)} can ${goal === "tie" ? "hold a tie" : "win"} here.` : "",
      keeps: isMistake ? `keeps the ${goal}` : "",
      tone,
      sign,
    };
  }

  // A sentence if a side gave up a game that was not lost on the board.
  forfeited() {
    const outcome = this.outcome();
    const value = this.value[this.length];
    if (!outcome?.winner || !value || outcome.verdict === "score") return null;
    const loser = opponent(/** @type {Side} */ (outcome.winner));
    if (!rank(value, loser)) return null;
    const how = outcome.verdict === "resigned" ? "resigned" : "forfeited";
    return `${Colour(loser)} ${how} a game that was ${value === loser ? "won" : "a tie"} on the board`;
  }

  summary(all, losing, forfeited) {
    if (forfeited) return `${forfeited}.`;
    const moves = all.slice(0, this.length);
    if (!moves.length) return "No move was played.";
    if (losing) {
      const did = losing.before !== "tie" && losing.after !== "tie" ? "lost it" : losing.words;
      const where = `${this.player(losing.colour)} ${did} at move ${losing.number}, ${named(losing.move)}`;
      return losing.better ? `${where}: ${losing.better}.` : `${where}.`;
    }
    const unknown = moves.filter(({ verdict }) => verdict === "not_known_yet").length;
    if (unknown === moves.length) return "Nothing is known about this game yet.";
    const mistakes = moves.filter((move) => move.is_mistake).map(({ number }) => String(number));
    if (unknown)
      return `So far ${moves.length - unknown} of ${moves.length} moves are known, ${withMistakes(mistakes)}.`;
    if (mistakes.length) return `All ${moves.length} moves are known, ${withMistakes(mistakes)}.`;
    const winner = /** @type {Value} */ (moves[0].before);
    if (winner === "tie") return "Nobody made a mistake: it was a tie from the start.";
    const start = `Nobody threw the game away: ${this.player(winner)} had it won from the start`;
    const only = moves.filter(({ colour, verdict }) => colour === winner && verdict === "the_only_move").length;
    if (!only) return `${start}.`;
    return `${start}, and found the only winning move at least ${only === 1 ? "once" : `${only} times`}.`;
  }

  player(side) {
    return `${Colour(side)} (${this.game[side]})`;
  }
}

function judgement(verdict, before, after) {
  if (MISTAKES.includes(verdict) && before === "tie") return "gave the tie away";
  if (MISTAKES.includes(verdict) && after === "tie") return "let the win slip to a tie";
  if (verdict === "the_only_move" && after === "tie") return "the only move that kept the tie";
  return SHOWN[verdict][0];
}

function betterWords(better, before) {
  if (!better.length) return "";
  const names = better.map(named);
  const shown = names.length > LISTED ? listed(names, LISTED - 1) : joined(names, "or");
  return `${shown} ${before === "tie" ? "would have tied" : "would have won"}`;
}

const named = (move) => (move === PASS ? "a pass" : move);
const withMistakes = (numbers) =>
  !numbers.length
    ? "and none of them is a mistake"
    : numbers.length === 1
      ? `with one mistake, move ${numbers[0]}`
      : `with mistakes at moves ${joined(numbers, "and")}`;

/** "2,1", "2,1 or 3,3", "2,1, 3,3 or 4,4". */
const joined = (names, word) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} ${word} ${names[names.length - 1]}`;
const listed = (names, most) => `${names.slice(0, most).join(", ")} and ${names.length - most} more`;

function illegalAt(position) {
  const found = {};
  for (let point = 0; point < position.rules.size ** 2; point++) {
    const why = position.whyIllegal(position.name(point));
    if (why) found[position.name(point)] = why;
  }
  return found;
}

// A line that shows why

/**
 * The line that follows from a position that is won for the side to move, a move at a time, each with a sentence. The
 * winner's moves are proven; the loser's are what a person would try. It ends with a clear capture, or with the game.
 * @param {Position} after
 * @param {Thinker} thinker
 * @param {{ signal?: AbortSignal, name?: (move: string) => string, most?: number }} [options]
 * @returns {Promise<{ move: string, words: string }[]>}
 */
export async function lineOf(after, thinker, { signal, name = (move) => move, most = NAMED } = {}) {
  const winner = after.toMove;
  const line = [];
  let position = after;
  while (!position.outcome() && line.length < most) {
    const { toMove } = position;
    const move = toMove === winner ? await punishing(position, thinker, { signal }) : defence(position);
    const next = position.play(move);
    const fallen = fallenOf(position, next);
    const decides = fallen.some((point) => after.cells[point] !== "0") && next.score().winner === winner;
    line.push({ move, words: moveWords(toMove, move, fallen, line.length, name) });
    position = next;
    if (toMove === winner && (fallen.length >= CLEAR || decides)) break;
  }
  if (line.length) line[line.length - 1].words += ` ${endWords(position, winner)}`;
  return line;
}

function moveWords(side, move, fallen, k, name) {
  const how = k % 2 ? "tries" : k ? "plays" : "answers";
  const did = move === PASS ? "passes" : `${how} ${name(move)}`;
  if (!fallen.length) return `${Colour(side)} ${did}.`;
  return `${Colour(side)} ${did} and captures ${plural(fallen.length, "{n} stone", "{n} stones")}.`;
}

function endWords(position, winner) {
  const { black, white } = position.score();
  if (position.outcome())
    return `The end: ${halves(black)} to ${halves(white)} with komi, so ${Colour(winner)} wins whatever ${Colour(opponent(winner))} tries.`;
  return `${Colour(opponent(winner))} can try something else, but nothing wins.`;
}

const fallenOf = (before, after) =>
  [...before.cells].flatMap((cell, point) => (cell !== "0" && after.cells[point] === "0" ? [point] : []));

// A winning move; the largest capture that wins, if one does.
async function punishing(position, thinker, asking) {
  const captures = position
    .legalMoves()
    .map((move) => [position.captures(move), move])
    .filter(([taken]) => taken)
    .sort(([one], [other]) => Number(other) - Number(one));
  for (const [, move] of captures) {
    const known = position.left > SEARCHED;
    const value = await thinker.value(position.play(String(move)), { ...asking, known });
    if (value === position.toMove) return String(move);
  }
  const found = await thinker.winningMove(position, asking);
  if (!found) throw new Error("This position is not won.");
  return found;
}

// What a person would try: the largest capture, else save stones in atari, else threaten some, else the centre.
export function defence(position) {
  const own = position.toMove;
  const danger = inAtari(position, own);
  const worth = (move) => {
    const after = position.play(move);
    const endangered = inAtari(after, own);
    const [row, column] = move.split(",").map(Number);
    const middle = Math.floor(position.rules.size / 2);
    const far = Math.abs(row - middle) + Math.abs(column - middle);
    return [position.captures(move), danger - endangered, -endangered, inAtari(after, opponent(own)), -far];
  };
  const better = (one, other) => {
    const k = one.findIndex((value, at) => value !== other[at]);
    return k >= 0 && one[k] > other[k];
  };
  let [best, most] = [PASS, null];
  for (const move of position.legalMoves()) {
    if (move === PASS) continue;
    const value = worth(move);
    if (!most || better(value, most)) [best, most] = [move, value];
  }
  return best;
}

function inAtari(position, side) {
  const digit = side === "black" ? "1" : "2";
  return [...position.cells].filter((cell, point) => cell === digit && position.liberties(point) === 1).length;
}
