// The built-in players that need no search of their own: littlego/players/course.py in JavaScript.
// They draw from the same moves with the same weights, by a generator of their own.

import { Draws } from "./draws.js";
import { PASS, Position, editionRules, group, opponent } from "../go/position.js";

/** Points that a player may play, with their weights. @typedef {[number, number][]} Weights */

/** @type {Record<string, (position: Position, points: number[]) => Weights>} */
const CHOICES = {
  random: (_, points) => alike(points),
  greedy: (position, points) => alike(largestCaptures(position, points).best),
  aggressive,
  smart(position, points) {
    const rescues = points.map((point) => stonesRescued(position, point));
    const most = Math.max(...rescues);
    if (most <= largestCaptures(position, points).most) return aggressive(position, points);
    const saving = points.filter((_, k) => rescues[k] === most);
    return toTheFront(nearestToCentre(saving, position.rules.size));
  },
  qlearning(position, points) {
    const learned = learnedAnswers().get(`${position.cells} ${position.toMove}`);
    if (learned !== undefined) return [[learned, 1]];
    const { most, best } = largestCaptures(position, points);
    return alike(most ? best : nearestToCentre(points, position.rules.size));
  },
};

/** The players that `chooseAtOnce` knows. */
export const AT_ONCE = [...Object.keys(CHOICES), "alphabeta"];

/** A player's move. @param {string} name @param {Position} position @param {number | bigint | string} seed */
export function chooseAtOnce(name, position, seed) {
  if (name === "alphabeta") return alphabeta(position);
  const points = legalPoints(position);
  if (!points.length) return PASS;
  return position.name(new Draws(seed, position.played).weighted(CHOICES[name](position, points)));
}

/** @param {Position} position */
function legalPoints(position) {
  return [...position.cells].map((_, point) => point).filter((point) => !position.whyIllegal(position.name(point)));
}

/** @param {number[]} points @returns {Weights} */
const alike = (points) => points.map((point) => [point, 1]);

/** Of k points, weights k for the first, k-1 for the second, down to 1. @param {number[]} points @returns {Weights} */
const toTheFront = (points) => points.map((point, k) => [point, points.length - k]);

/** @param {Position} position @param {number[]} points @returns {Weights} */
function aggressive(position, points) {
  const { most, best } = largestCaptures(position, points);
  if (most) return alike(best);
  const first = bestPair(position, points);
  return first === null ? toTheFront(nearestToCentre(points, position.rules.size)) : [[first, 1]];
}

/** How many stones one move can capture at most, and the points that do. @param {Position} position @param {number[]} points */
function largestCaptures(position, points) {
  const captures = points.map((point) => position.placed(point).taken.length);
  const most = Math.max(...captures);
  return { most, best: points.filter((_, k) => captures[k] === most) };
}

/**
 * The first of two points that, played one after the other, capture most; among equals, those nearest the centre.
 * @param {Position} position
 * @param {number[]} points
 */
function bestPair(position, points) {
  const { rules, toMove } = position;
  let found = null;
  let best = [0, 0];
  points.forEach((first, k) => {
    const after = new Position(rules, { cells: position.placed(first).cells, toMove });
    for (const second of points.slice(k + 1)) {
      const captured = after.placed(second).taken.length;
      const distance = centreDistance(first, rules.size) + centreDistance(second, rules.size);
      if (captured > best[0] || (captured && captured === best[0] && distance < best[1])) {
        best = [captured, distance];
        found = first;
      }
    }
  });
  return found;
}

/** How many stones of the side to move, capturable now, are safe from capture after a move. @param {Position} position */
function stonesRescued(position, point) {
  const { size } = position.rules;
  const mine = position.toMove === "black" ? "1" : "2";
  const before = stonesInDanger(position.cells, mine, size);
  if (!before.size) return 0;
  const after = stonesInDanger(position.placed(point).cells, mine, size);
  return [...before].filter((stone) => !after.has(stone)).length;
}

/** The stones of a side in groups with one liberty. @param {string} cells @param {string} mine @param {number} size */
function stonesInDanger(cells, mine, size) {
  const found = new Set();
  const seen = new Set();
  [...cells].forEach((digit, point) => {
    if (digit !== mine || seen.has(point)) return;
    const { stones, liberties } = group(cells, point, size);
    stones.forEach((stone) => seen.add(stone));
    if (liberties.size === 1) stones.forEach((stone) => found.add(stone));
  });
  return found;
}

/** Twice the Manhattan distance from a point to the middle of the board. @param {number} point @param {number} size */
function centreDistance(point, size) {
  return Math.abs(2 * Math.floor(point / size) - size + 1) + Math.abs(2 * (point % size) - size + 1);
}

/** @param {number[]} points @param {number} size */
function nearestToCentre(points, size) {
  const nearest = Math.min(...points.map((point) => centreDistance(point, size)));
  return points.filter((point) => centreDistance(point, size) === nearest);
}

const OPENINGS = [
  ["black", "1,2 2,2 2,1 2,3 0,0"],
  ["black", "1,2 2,2 2,1 1,1 3,2 2,3 2,4"],
  ["white", "2,2 2,1 1,2 3,2"],
];
/** @type {Map<string, number> | null} */
let answers = null;

/** What qlearning plays in each position of its openings. */
function learnedAnswers() {
  if (answers) return answers;
  answers = new Map();
  for (const [side, opening] of OPENINGS) {
    let position = new Position(editionRules());
    for (const move of opening.split(" ")) {
      if (position.toMove === side) answers.set(`${position.cells} ${side}`, position.point(move));
      position = position.play(move);
    }
  }
  return answers;
}

const DEPTH = 2;
const BRANCHING = 10;

/** Minimax with alpha-beta pruning on the difference of stones. @param {Position} position */
function alphabeta(position) {
  const opening = answerToCentre(position);
  if (opening && !position.whyIllegal(opening)) return opening;
  const most = position.rules.size ** 2;
  return search(position, position.toMove, 1 + DEPTH, -most - 1, most + 1).move ?? PASS;
}

/**
 * How many more stones a side has so many plies later, and the first move that leads there.
 * @returns {{ value: number, move: string | null }}
 */
function search(/** @type {Position} */ position, side, plies, alpha, beta) {
  const moves = plies && position.passes < 2 ? candidates(position) : [];
  if (!moves.length) return { value: Math.min(Math.max(difference(position, side), alpha), beta), move: null };
  let best = null;
  const maximises = position.toMove === side;
  for (const move of moves) {
    const { value } = search(position.play(move), side, plies - 1, alpha, beta);
    if (maximises && value > alpha) {
      alpha = value;
      best = move;
    } else if (!maximises && value < beta) {
      beta = value;
      best = move;
    }
    if (alpha >= beta) break;
  }
  return { value: maximises ? alpha : beta, move: best };
}

/** The first legal points of the spiral; without any, a pass if that is allowed. @param {Position} position */
function candidates(position) {
  const found = [];
  for (const point of spiral(position.rules.size)) {
    if (found.length === BRANCHING) break;
    const move = position.name(point);
    if (position.cells[point] === "0" && !position.whyIllegal(move)) found.push(move);
  }
  return found.length ? found : position.rules.passing ? [PASS] : [];
}

/** @param {Position} position @param {string} side */
function difference({ cells }, side) {
  const black = cells.split("1").length - cells.split("2").length;
  return side === "black" ? black : -black;
}

/** Its answer to a lone stone of the opponent on the centre; null in any other position. @param {Position} position */
function answerToCentre(position) {
  const { size } = position.rules;
  const centre = spiral(size)[0];
  const theirs = opponent(position.toMove) === "black" ? "1" : "2";
  const isLone = [...position.cells].every((digit, point) => digit === (point === centre ? theirs : "0"));
  const diagonal = centre + size + 1;
  return isLone && diagonal < size * size ? position.name(diagonal) : null;
}

const DOWN_RIGHT_UP_LEFT = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
];
/** @type {Map<number, number[]>} */
const spirals = new Map();

/** Every point of the board, on a spiral from the centre. @param {number} size @returns {number[]} */
function spiral(size) {
  const known = spirals.get(size);
  if (known) return known;
  let row = Math.floor(size / 2);
  let column = row;
  const points = [row * size + column];
  for (let turns = 0; points.length < size * size; turns++) {
    const [down, right] = DOWN_RIGHT_UP_LEFT[turns % 4];
    for (let step = 0; step < Math.floor(turns / 2) + 1; step++) {
      row += down;
      column += right;
      if (row >= 0 && row < size && column >= 0 && column < size) points.push(row * size + column);
    }
  }
  spirals.set(size, points);
  return points;
}
