// A game as a value, and its text: in an address, in SGF and in the JSON of the command line.
//
// An address has the moves as letters, as SGF has them ("cc" is column 2, row 2; "--" a pass), and what differs from the
// usual: `b` and `w` who plays (a person unless it says so), `bn` and `wn` their names, `s` the seed, `e` the edition, `n`
// the size, `k` komi, `m` the length, `from` another start, `end` a game that did not end on the board.

import { Colour } from "../words.js";
import { PASS, Position, describe, editionRules, opponent } from "./position.js";

/**
 * @typedef {import("./position.js").Rules} Rules
 * @typedef {import("./position.js").Side} Side
 * @typedef {{ winner: Side | null, verdict: string, text: string }} Outcome
 * @typedef {{ black: string, white: string, seats: { black: string, white: string }, start: Position, moves: string[],
 *   seed: number, ended: Outcome | null }} Game `ended` is how it ended if not by its moves
 */

export const HUMAN = "human";
const SIDES = /** @type {const} */ (["black", "white"]);
const DIGIT = { black: "1", white: "2" };
const LARGEST = 19;

/**
 * @param {Partial<Game> & { rules?: Rules }} fields
 * @returns {Game}
 */
export function makeGame({ rules = editionRules(), start = new Position(rules), seats, black, white, ...more }) {
  const seated = { black: HUMAN, white: HUMAN, ...seats };
  return {
    black: black || nameOf(seated, "black"),
    white: white || nameOf(seated, "white"),
    seats: seated,
    start,
    moves: [],
    seed: 0,
    ended: null,
    ...more,
  };
}

// What a player without a name is called.
function nameOf(seats, side) {
  if (seats[side] !== HUMAN) return seats[side];
  return seats[side === "black" ? "white" : "black"] === HUMAN ? Colour(side) : "You";
}

/** A game as pages draw it: as `describe` of position.js, with the seats. Throws if a move cannot be played. @param {Game} game */
export function drawn(game) {
  const { start, moves, black, white, ended } = game;
  const shown = describe(start, moves, { black, white, recorded: moves.length });
  const outcome = ended ?? shown.outcome;
  return { ...game, ...shown, outcome, legal: outcome ? [] : shown.legal };
}

/** The position after so many moves of a game and those of a variation. @param {Game} game */
export const positionAt = (game, at = game.moves.length, /** @type {string[]} */ line = []) =>
  [...game.moves.slice(0, at), ...line].reduce((position, move) => position.play(move), game.start);

/** The person of a game against a machine; null if there are two or none. @param {{ seats: any }} game */
export function personOf({ seats }) {
  const people = SIDES.filter((side) => seats[side] === HUMAN);
  return people.length === 1 ? people[0] : null;
}

// Addresses

const letters = (move, size = LARGEST) => {
  if (move === PASS) return "--";
  const [row, column] = move.split(",").map(Number);
  if (row >= size || column >= size) throw new Error(`${move}: the point is not on the board`);
  return String.fromCharCode(97 + column, 97 + row);
};

const moveOf = (text) => (text === "--" ? PASS : `${text.charCodeAt(1) - 97},${text.charCodeAt(0) - 97}`);

/** Moves as letters. @param {string[]} moves */
export const movesText = (moves) => moves.map((move) => letters(move)).join("");

/** Moves from letters; of other texts an error. @param {string} text */
export function movesOf(text) {
  if (!/^([a-s]{2}|--)*$/.test(text)) throw new Error("This address has moves that cannot be read.");
  return (text.match(/../g) ?? []).map(moveOf);
}

/**
 * The address of a game on a page, such as "/review/ccdd?w=greedy".
 * @param {string} page
 * @param {Game} game
 * @param {Record<string, any>} more further facts of the place; null and undefined are left out
 */
export const addressOf = (page, game, more = {}) => `/${page}/${gameText(game, more)}`;

/** The part of an address that is the game's. @param {Game} game @param {Record<string, any>} more */
export function gameText(game, more = {}) {
  const { start, seats, seed } = game;
  const { rules } = start;
  const usual = editionRules(rules.edition, rules.size);
  const facts = {
    e: rules.edition !== "2025" && rules.edition,
    n: rules.size !== 5 && rules.size,
    k: rules.komi !== usual.komi && rules.komi,
    m: rules.max_moves !== usual.max_moves && rules.max_moves,
    ko: rules.ko !== usual.ko && rules.ko,
    pass: rules.passing !== usual.passing && Number(rules.passing),
    from: startText(start),
    b: seats.black !== HUMAN && seats.black,
    w: seats.white !== HUMAN && seats.white,
    bn: game.black !== nameOf(seats, "black") && game.black,
    wn: game.white !== nameOf(seats, "white") && game.white,
    s: seed > 0 && seed.toString(36),
    end: game.ended && endText(game.ended),
    ...more,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(facts)) if (value || value === 0) query.set(name, String(value));
  const moves = movesText(game.moves);
  // A colon, a comma and a slash need no escape after "#".
  const text = query.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `${moves || "-"}${text ? `?${text}` : ""}`;
}

/**
 * The game of an address: what `here` of address.js gives. An error says what cannot be read or played.
 * @param {{ parts: string[], query: URLSearchParams }} place
 * @returns {Game}
 */
export function gameAt({ parts, query }) {
  const size = whole(query.get("n") ?? "5", 2, LARGEST, "board");
  const edition = query.get("e") ?? "2025";
  const usual = editionRules(edition, size);
  const rules = {
    ...usual,
    komi: query.has("k") ? Number(query.get("k")) : usual.komi,
    max_moves: whole(query.get("m") ?? String(usual.max_moves), 1, 10_000, "length"),
    ko: query.get("ko") === "positional" ? "positional" : query.get("ko") === "simple" ? "simple" : usual.ko,
    passing: query.has("pass") ? query.get("pass") !== "0" : usual.passing,
  };
  if (!Number.isFinite(rules.komi) || rules.komi % 0.5) throw new Error("This address has a komi that cannot be read.");
  const seats = { black: query.get("b") ?? HUMAN, white: query.get("w") ?? HUMAN };
  const game = makeGame({
    start: startFrom(query.get("from"), rules),
    seats,
    black: query.get("bn") ?? "",
    white: query.get("wn") ?? "",
    moves: movesOf((parts[1] ?? "").replace(/^-$/, "")),
    seed: Number.parseInt(query.get("s") ?? "0", 36) || 0,
    ended: endFrom(query.get("end")),
  });
  drawn(game); // its moves can be played
  return game;
}

function whole(text, least, most, what) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`This address has a ${what} that cannot be read.`);
}

// Stones in the order of input.txt, who is to move, the ko, and how many moves were played.
function startText({ cells, toMove, ko, played }) {
  if (!/[12]/.test(cells) && toMove === "black" && !played) return "";
  return [cells, toMove[0], ko ? letters(ko) : "", played].join(".");
}

function startFrom(text, rules) {
  if (!text) return new Position(rules);
  const [cells, mover, ko, played] = text.split(".");
  if (!/^[012]+$/.test(cells) || cells.length !== rules.size ** 2 || !/^(b|w)$/.test(mover))
    throw new Error("This address has a position that cannot be read.");
  return new Position(rules, {
    cells,
    toMove: mover === "b" ? "black" : "white",
    ko: ko ? moveOf(ko) : null,
    played: whole(played, 0, 10_000, "position"),
  });
}

// "B+R" is a resignation, "W+F" a forfeit, whose words may follow.
const endText = ({ winner, verdict, text }) =>
  winner ? `${winner === "black" ? "B" : "W"}+${verdict === "resigned" ? "R" : `F ${text}`}` : "";

function endFrom(text) {
  const found = /^([BW])\+(?:(R)|F ?(.{0,300}))/.exec(text ?? "");
  if (!found) return null;
  const [winner, loser] = found[1] === "B" ? SIDES : [...SIDES].reverse();
  return found[2] ? resigned(loser) : { winner, verdict: "forfeit", text: found[3] || forfeitText(loser) };
}

/** How a game ends that a side gives up. @param {Side} loser @returns {Outcome} */
export function resigned(loser) {
  const winner = opponent(loser);
  return { winner, verdict: "resigned", text: `${Colour(winner)} wins: ${Colour(loser)} resigned` };
}

const forfeitText = (loser, reason = "") =>
  `${Colour(opponent(loser))} wins: ${Colour(loser)} forfeited${reason && `; ${reason}`}`;

// SGF, as littlego/formats/sgf.py writes and reads it

const escaped = (text) => text.replace(/[\\\]]/g, "\\$&").replace(/\s+/g, " ");

/**
 * The text of a game, with variations: after how many moves each begins, and its moves.
 * @param {Game} game
 * @param {[number, string[]][]} [variations]
 */
export function sgfOf(game, variations = []) {
  const { start, moves } = game;
  const { rules } = start;
  const known = /^20\d\d$/.test(rules.edition);
  const own = ` moves=${rules.max_moves} ko=${rules.ko} ending=${rules.passing ? "two_passes" : "no_move"} attempts=1`;
  const outcome = game.ended ?? drawn(game).outcome;
  const properties = {
    FF: "4",
    GM: "1",
    CA: "UTF-8",
    SZ: rules.size,
    AP: "littlego:page",
    PB: escaped(game.black),
    PW: escaped(game.white),
    KM: rules.komi,
    RU: escaped(`Little-Go ${rules.edition}${known ? "" : own}`),
    ...(outcome && { RE: resultText(outcome, drawn(game).score) }),
  };
  let text = `;${Object.entries(properties)
    .map(([name, value]) => `${name}[${value}]`)
    .join("")}`;
  if (startText(start)) {
    for (const [name, side] of [
      ["AB", "black"],
      ["AW", "white"],
    ]) {
      const stones = [...start.cells].flatMap((cell, point) => (cell === DIGIT[side] ? [start.name(point)] : []));
      if (stones.length) text += `${name}${stones.map((stone) => `[${letters(stone)}]`).join("")}`;
    }
    text += `PL[${start.toMove === "black" ? "B" : "W"}]`;
  }
  const node = (move, k) => {
    const numbered = k === 0 && start.played ? `MN[${start.played + 1}]` : "";
    const side = k % 2 === (start.toMove === "black" ? 0 : 1) ? "B" : "W";
    return `;${numbered}${side}[${move === PASS ? "tt" : letters(move)}]`;
  };
  // The rest of the game from its k-th move on, with the variations that begin there.
  const from = (k) => {
    const here = variations.filter(([at]) => at === k);
    const rest = k < moves.length ? `${node(moves[k], k)}${from(k + 1)}` : "";
    if (!here.length) return rest;
    const others = here.map(([, line]) => `(${line.map((move, j) => node(move, k + j)).join("")})`);
    return `${rest && `(${rest})`}${others.join("")}`;
  };
  return `(${text}${from(0)})\n`;
}

function resultText({ winner, verdict }, score) {
  if (!winner) return "0";
  const side = winner === "black" ? "B" : "W";
  return `${side}+${verdict === "score" ? Math.abs(score.black - score.white) : verdict === "resigned" ? "R" : "F"}`;
}

/**
 * The text of a file: in the encoding that an SGF names, else in UTF-8, else in Latin-1. An error says what was unknown.
 * @param {ArrayBuffer} data
 */
export function decodedText(data) {
  const [a, b] = new Uint8Array(data.slice(0, 2));
  const marked = a === 0xff && b === 0xfe ? "utf-16le" : a === 0xfe && b === 0xff ? "utf-16be" : null;
  const head = new TextDecoder("latin1").decode(data.slice(0, 4096));
  const named = marked ?? /CA\[\s*([^\]\s]+)\s*\]/.exec(head)?.[1];
  if (!named) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(data);
    } catch {
      return new TextDecoder("latin1").decode(data);
    }
  }
  let decoder;
  try {
    decoder = new TextDecoder(named);
  } catch {
    throw new Error(`This file names an unknown encoding: ${named.slice(0, 30)}.`);
  }
  return decoder.decode(data);
}

/** The main line of the first game of an SGF. An error says what cannot be read or played. @param {string} text @returns {Game} */
export function gameOfSgf(text) {
  const nodes = mainLine(text);
  const root = nodes[0];
  const line = (name) => (root[name]?.[0] ?? "").replace(/\s+/g, " ").trim();
  const size = Number(/^(\d{1,2})(?::\1)?$/.exec(line("SZ") || "19")?.[1]);
  if (!(size >= 2 && size <= LARGEST)) throw new Error(`SZ[${line("SZ").slice(0, 20)}]: expected 2 to ${LARGEST}`);
  const played = nodes.flatMap((node) =>
    ["B", "W"].filter((side) => node[side]).map((side) => [side, pointOf(node[side][0], size)]),
  );
  if (nodes.slice(1).some((node) => ["AB", "AW", "AE"].some((name) => node[name])))
    throw new Error("Stones are set up after the first move: only moves can be replayed.");
  const cells = [..."0".repeat(size * size)];
  for (const side of SIDES)
    for (const value of root[side === "black" ? "AB" : "AW"] ?? [])
      for (const point of area(value, size)) cells[point] = DIGIT[side];
  const rules = rulesOf(line("RU"), size, line("KM"), played.length);
  const first = line("PL") || played[0]?.[0] || "B";
  const number = Number(nodes.find((node) => node.MN)?.MN[0] ?? 1) - 1;
  const start = new Position(rules, {
    cells: cells.join(""),
    toMove: /^[Ww]/.test(first) ? "white" : "black",
    played: Math.max(0, number) || 0,
  });
  let mover = start.toMove;
  played.forEach(([side], k) => {
    if ((side === "B") !== (mover === "black")) throw new Error(`Move ${k + 1}: expected ${mover} to move.`);
    mover = mover === "black" ? "white" : "black";
  });
  const game = makeGame({
    start,
    moves: played.map(([, move]) => move),
    black: line("PB") || "Black",
    white: line("PW") || "White",
  });
  const { outcome } = drawn(game);
  const result = /^([BW])\+([RFT]|Resign|Forfeit|Time)/i.exec(line("RE"));
  return {
    ...game,
    ended:
      outcome || !result
        ? null
        : endFrom(`${result[1].toUpperCase()}+${result[2][0].toUpperCase() === "R" ? "R" : "F"}`),
  };
}

function rulesOf(text, size, komi, length) {
  const words = Object.fromEntries([...text.matchAll(/(\w+)=(\w+)/g)].map(([, name, value]) => [name, value]));
  const edition = /^Little-Go (2019|2022|2024|2025)\b/.exec(text)?.[1];
  const usual = editionRules(edition ?? "2025", size);
  const points = komi === "" ? null : Number(komi);
  if (points !== null && !(Math.abs(points) < 10_000)) throw new Error(`KM[${komi.slice(0, 20)}]: expected a number`);
  if (Object.keys(words).length)
    return {
      edition: "custom",
      size,
      komi: points ?? 0,
      max_moves: Number(words.moves ?? usual.max_moves),
      passing: words.ending !== "no_move",
      ko: words.ko ?? usual.ko,
    };
  if (edition) return { ...usual, komi: points ?? usual.komi };
  // Rules from elsewhere: komi is rounded to halves, and no game is too long to read.
  return { ...usual, komi: Math.round((points ?? 0) * 2) / 2, max_moves: Math.max(usual.max_moves, length) };
}

function pointOf(text, size) {
  const value = text.trim();
  if (value === "" || value === "tt") return PASS;
  if (!/^[a-z]{2}$/.test(value)) throw new Error(`expected two letters such as cc, got ${value.slice(0, 40)}`);
  const move = moveOf(value);
  letters(move, size);
  return move;
}

function area(text, size) {
  const corners = text.split(":").map((part) => pointOf(part, size).split(",").map(Number));
  const [rows, columns] = [0, 1].map((k) => corners.map((corner) => corner[k]).sort((a, b) => a - b));
  const found = [];
  for (let row = rows[0]; row <= rows[rows.length - 1]; row++)
    for (let column = columns[0]; column <= columns[columns.length - 1]; column++) found.push(row * size + column);
  return found;
}

// The nodes of the first branch, each with its values by name.
function mainLine(text) {
  /** @type {Record<string, string[]>[]} */
  const nodes = [];
  let depth = 0;
  let ended = false;
  const token = /\s*(?:([();])|([A-Za-z]+)\s*((?:\[(?:[^\]\\]|\\[^])*\]\s*)+))/gy;
  token.lastIndex = Math.max(0, text.search(/\(\s*;/));
  for (let found; !ended && (found = token.exec(text));) {
    const [, sign, name, values] = found;
    if (sign === "(") depth += 1;
    else if (sign === ")") ended = true;
    else if (sign === ";") nodes.push({});
    else if (!nodes.length) break;
    else {
      const short = name.replace(/[a-z]/g, "");
      const read = [...values.matchAll(/\[((?:[^\]\\]|\\[^])*)\]/g)].map(([, value]) =>
        value.replace(/\\\r?\n/g, "").replace(/\\([^])/g, "$1"),
      );
      nodes[nodes.length - 1][short] = [...(nodes[nodes.length - 1][short] ?? []), ...read];
    }
  }
  if (!depth || !nodes.length || !ended) throw new Error("This is neither SGF nor JSON that can be read.");
  return nodes;
}

/** A game of a text: SGF, or the JSON of a record or of a capsule. @param {string} text @returns {Game} */
export function gameOfText(text) {
  if (!text.trim().startsWith("{")) return gameOfSgf(text);
  let told;
  try {
    told = JSON.parse(text);
  } catch {
    throw new Error("This is not JSON that can be read.");
  }
  return gameOfRecord(told.record ?? told);
}

/** A game of the JSON of a record, as littlego/formats/records.py writes it. @param {any} record @returns {Game} */
export function gameOfRecord({ black, white, rules, start, moves, outcome }) {
  if (!rules || !start || !Array.isArray(moves)) throw new Error("This is not the JSON of a game.");
  const own = { edition: "custom", ...rules, passing: rules.ending !== "no_move" };
  const cells = start.board.join("").replaceAll(".", "0").replaceAll("X", "1").replaceAll("O", "2");
  const position = new Position(own, {
    cells,
    toMove: start.to_move,
    ko: start.ko ?? null,
    played: start.moves_played ?? 0,
    passes: start.passes ?? 0,
  });
  const game = makeGame({
    start: position,
    black,
    white,
    moves,
    seats: { black: black || "black", white: white || "white" },
  });
  drawn(game);
  return {
    ...game,
    ended:
      outcome && outcome.verdict !== "score"
        ? {
            ...outcome,
            text: outcome.text ?? forfeitText(outcome.winner === "black" ? "white" : "black", outcome.reason),
          }
        : null,
  };
}
