// The players with learned values: littlego/players/learned.py in JavaScript. A model's weights lie in the kernel as
// littlego/learn/values.py lays them out; what they stand for is described in littlego/learn/features.py.

import { Draws } from "./draws.js";
import { Heap, KernelError } from "./engine.js";
import { chooseAtOnce } from "./players.js";
import { PASS } from "../go/position.js";

/**
 * @typedef {import("../go/position.js").Position} Position
 * @typedef {import("../go/position.js").Rules} Rules
 * @typedef {import("./data.js").Model} Model
 * @typedef {Omit<Model, "weights"> & { weights: Float32Array }} Blank a model that has learned nothing; its scale is 0
 */

/** The players here, and who plays for them a game that no model is for. */
export const LEARNED = { learner: "qlearning", champion: "alphabeta" };
/** The models by the size of their board. @type {Record<number, string>} */
export const MODELS = { 5: "model.json", 7: "model-7x7.json" };

const SLACK = 0.005;
const SURE = 0.9;
const PLANNED = 3;
/** Of memory besides the weights. */
const OTHER_BYTES = 1 << 24;

/** A player's move; `learned` is null for a game without a model. @param {number | bigint | string} seed @param {Learned | null} learned */
export function chooseLearned(name, /** @type {Position} */ position, seed, learned) {
  if (!learned) return chooseAtOnce(LEARNED[name], position, seed);
  return new Draws(seed, position.played).choice(choices(name, position, learned));
}

/** The moves that look alike to a player, of which it draws one. @param {Learned} learned @returns {string[]} */
export function choices(name, /** @type {Position} */ position, learned) {
  const moves = position.legalMoves();
  let values = moves.map((move) => learned.valueAfter(position, move));
  const plans = name === "champion" && moves.length > 1 && Math.max(...values) < SURE;
  if (plans) values = moves.map((move) => learned.plannedAfter(position, move));
  const best = Math.max(...values);
  const alike = moves.filter((_, k) => values[k] >= best - 4 * SLACK * best * (1 - best));
  const stones = alike.filter((move) => move !== PASS);
  return name === "champion" && stones.length ? stones : alike;
}

/** A model's values in the kernel, for one game. */
export class Learned {
  /**
   * @param {any} compiled of `compile`
   * @param {Model | Blank} model
   * @param {Rules} rules
   * @param {Record<string, any>} [more] arrays that only training needs
   */
  constructor(compiled, model, rules, more = {}) {
    const of = compiled.layout;
    const { layout, count } = layoutOf(of, model);
    if (model.weights.length !== layout.weights)
      throw new KernelError(`the model has ${model.weights.length} weights: expected ${layout.weights}`);
    this.heap = new Heap(compiled, 4 * layout.weights + OTHER_BYTES);
    this.noKo = of.no_ko;
    const groups = shaped(new BigInt64Array(2 * of.learned_most_groups), of.learned_most_groups, 2);
    this.address = this.heap.put(compiled.structures.LearnedArrays, {
      ...prefixed("game", gameOf(rules)),
      ...prefixed("layout", layout),
      weights: shaped(new Float32Array(model.weights)),
      scale: model.scale,
      indices: shaped(new Uint32Array(count)),
      mine: groups,
      theirs: groups,
      scratch: shaped(new BigInt64Array(of.learned_scratch_words)),
      ...more,
    });
  }

  /** The chance that the side to move wins with a move, at a glance. @param {Position} position @param {string} move */
  valueAfter(position, move) {
    const after = position.play(move);
    const { played, passes } = after;
    const [mine, theirs] = sides(after, position.toMove);
    const colour = position.toMove === "black" ? 0 : 1;
    return (
      exact(position, after) ??
      this.heap.call("learned_value_after", this.address, mine, theirs, colour, played, passes)
    );
  }

  /** The same with the next of its moves planned. @param {Position} position @param {string} move */
  plannedAfter(position, move) {
    const after = position.play(move);
    const ko = after.ko === null ? this.noKo : after.point(after.ko);
    const { played, passes } = after;
    const [own, other] = sides(after, after.toMove);
    return (
      exact(position, after) ??
      this.heap.call("learned_planned", this.address, own, other, ko, passes, played, PLANNED - 1)
    );
  }
}

/** 1 or 0 after a move that ends the game, else null. @param {Position} position @param {Position} after */
function exact(position, after) {
  const outcome = after.outcome();
  return outcome && (outcome.winner === position.toMove ? 1 : 0);
}

/** A side's stones and the other's, as masks. @param {Position} position @param {string} side */
function sides({ cells }, side) {
  const mask = (digit) =>
    BigInt(
      `0b${[...cells]
        .map((cell) => (cell === digit ? 1 : 0))
        .reverse()
        .join("")}`,
    );
  return side === "black" ? [mask("1"), mask("2")] : [mask("2"), mask("1")];
}

/** Whether a model's values are for a game. @param {Model} model @param {Rules} rules */
export const plays = ({ size, komi, length }, rules) =>
  size === rules.size && komi === rules.komi && length === rules.max_moves;

export const shaped = (numbers, ...shape) => ({ numbers, shape: shape.length ? shape : [numbers.length] });
const prefixed = (prefix, of) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [`${prefix}.${name}`, value]));
const range = (/** @type {number} */ count) => [...Array(Math.max(count, 0)).keys()];

/** `CompiledRules` of littlego/kernel/any_size.py. @param {Rules} rules */
function gameOf({ size, komi, max_moves, passing, ko }) {
  const first = range(size).reduce((mask, row) => mask | (1n << BigInt(size * row)), 0n);
  const full = (1n << BigInt(size ** 2)) - 1n;
  return {
    size,
    points: size ** 2,
    full,
    not_first: full & ~first,
    not_last: full & ~(first << BigInt(size - 1)),
    length: max_moves,
    komi_twice: 2 * komi,
    passing,
    superko: ko === "positional",
  };
}

/** What a cell may hold, from the finest coding to each. */
const CODINGS = { 7: [0, 1, 2, 3, 4, 5, 6], 5: [0, 1, 2, 2, 3, 4, 4], 3: [0, 1, 1, 1, 2, 2, 2] };
/**
 * `Layout` of littlego/learn/values.py with the number of all weights, and how many make up a value.
 * @param {Record<string, number>} of the kernel's numbers @param {Omit<Model, "weights">} model
 */
export function layoutOf(of, { size, length, view: { stages, kinds } }) {
  const has = (kind) => kinds.includes(kind);
  const [pairs, triples, fours, fives] = [2, 3, 4, 5].map((wide) => range(Math.floor((size - wide) / 2) + 1));
  const places = (rows, columns, coding, high, wide) =>
    rows.flatMap((row) => columns.map((column) => ({ coding, row, column, high, wide })));
  const halved = (shapes) => shapes.filter(({ row, column }) => row <= column);
  const own = [
    ...halved(places(pairs, pairs, 7, 2, 2)),
    ...places(pairs, triples, 5, 2, 3),
    ...halved(places(triples, triples, 3, 3, 3)),
    ...(has("strips") ? places(pairs, fives, 3, 2, 5) : []),
  ];
  const shared = [
    ...(has("oblongs") ? places(triples, fours, 3, 3, 4) : []),
    ...(has("liberties") ? places(pairs, triples, 7, 2, 3) : []),
  ];
  const weightsOf = (shapes) => shapes.reduce((sum, { coding, high, wide }) => sum + coding ** (high * wide), 0);
  const difference_offset = weightsOf(own);
  const danger_offset = difference_offset + of.learned_differences * (length + 1);
  const set_size = danger_offset + of.learned_dangers;
  const sets = 2 * stages * set_size;
  const margin_offset = sets + weightsOf(shared);
  const group_offset = margin_offset + (has("margins") ? of.learned_spares ** 2 * (length + 1) : 0);
  const no_group = group_offset + of.learned_group_kinds * (Math.floor(length / 2) + 1);

  const blocks = [...placed(own, 0, size, 1), ...placed(shared, sets, size, 0)];
  const parts = blocks.flatMap(({ coding, cells }, block) =>
    cells.map((cell, k) => ({ cell, block, worth: coding ** (cells.length - 1 - k), coding })),
  );
  parts.sort((a, b) => a.cell - b.cell || a.block - b.block);
  const words = CODINGS[7].flatMap((code) =>
    parts.map(({ coding, worth, block }) => ((CODINGS[coding][code] * worth) << of.learned_block_bits) | block),
  );
  const starts = range(2 * stages).flatMap((set) =>
    blocks.map(({ offset, inSets }) => offset + inSets * set * set_size),
  );
  const firsts = range(size ** 2 + 1).map((point) => BigInt(parts.filter(({ cell }) => cell < point).length));
  const count = blocks.length + 2 + (has("margins") ? 1 : 0) + (has("groups") ? of.learned_groups : 0);
  const gains = new Float32Array(count).fill(1);
  if (has("margins")) gains[blocks.length + 2] = of.learned_margin_gain;
  const layout = {
    firsts: shaped(BigInt64Array.from(firsts)),
    parts: shaped(Uint32Array.from(words), CODINGS[7].length, parts.length),
    starts: shaped(Uint32Array.from(starts), 2 * stages, blocks.length),
    gains: shaped(gains),
    difference_offset,
    danger_offset,
    set_size,
    stages,
    length,
    proves: has("proofs"),
    sees_margins: has("margins"),
    margin_offset,
    sees_groups: has("groups"),
    group_offset,
    no_group,
    weights: has("groups") ? no_group + 1 : group_offset,
  };
  return { layout, count };
}

/** Every shape in its eight images. @param {any[]} shapes @param {number} offset @param {number} size @param {number} inSets */
function placed(shapes, offset, size, inSets) {
  const found = [];
  for (const { coding, row, column, high, wide } of shapes) {
    const cells = range(high).flatMap((down) => range(wide).map((right) => [row + down, column + right]));
    for (const turned of [cells, cells.map(([down, right]) => [right, down])])
      for (const top of [0, size - 1])
        for (const left of [0, size - 1]) {
          const image = turned.map(([down, right]) => Math.abs(top - down) * size + Math.abs(left - right));
          found.push({ coding, offset, inSets, cells: image });
        }
    offset += coding ** (high * wide);
  }
  return found;
}
