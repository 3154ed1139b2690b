// The result card: a game's moves as small squares, to look at, to copy as text and to keep as a picture.

import { moverAt } from "../board/board.js";
import { button, h, toast } from "../dom.js";
import { moveName } from "../language/coordinates.js";
import { Colour, halves, resultWords, t, tn, ts } from "../language/language.js";

// A square for texts, a name, and what it means.
const KINDS = {
  perfect: ["🟩", t("perfect"), t("kept the best result")],
  fine: ["⬜", t("fine"), t("nothing to lose (lost anyway, or no choice)")],
  slip: ["🟨", t("slip"), t("kept the result, but gave stones away")],
  loss: ["🟥", t("loss"), t("gave the result away")],
  open: ["⬛", t("open"), t("not known")],
};
const PAINT = { perfect: "#1f7a4d", fine: "#cfc6b4", slip: "#d9a72b", loss: "#b3261e", open: "#6b6154" };

// How good a move of a review was.
export function kindOf(move) {
  if (move.is_mistake) return "loss";
  if (move.slip > 0) return "slip";
  if (["kept_the_win", "the_only_move", "kept_the_tie"].includes(move.verdict)) return "perfect";
  return ["was_lost_anyway", "had_no_choice", "after_the_end"].includes(move.verdict) ? "fine" : "open";
}

// Whether a move kept the result, and nobody knows if it gave stones away.
const isHalfKnown = (move) => kindOf(move) === "perfect" && move.slip === null;

// The people of a game, or both sides if there are none or two.
export function sidesOf(game) {
  const people = ["black", "white"].filter((colour) => game.seats[colour] === "human");
  return people.length === 1 ? people : ["black", "white"];
}

// "11 of 12 perfect, 7 only moves"; moves that had nothing to lose are not counted.
export function tally(moves) {
  const kinds = moves.map(kindOf);
  const counted = kinds.filter((kind) => kind !== "fine").length;
  const perfect = kinds.filter((kind) => kind === "perfect").length;
  const only = moves.filter((move) => move.verdict === "the_only_move").length;
  if (!counted) return t("nothing could be lost");
  const share = t("{perfect} of {counted} perfect", { perfect, counted });
  return only ? `${share}, ${tn(only, "{n} only move", "{n} only moves")}` : share;
}

// "Black wins by half a point: 11 stones to 8 and 2½ for moving second."
export function explained(game) {
  const { outcome, score, rules } = game;
  if (outcome?.verdict !== "score" || !rules.komi) return outcome ? `${resultWords(outcome.text)}.` : "";
  const white = score.white - rules.komi;
  const ahead = amount(Math.abs(score.black - score.white));
  const how = outcome.winner
    ? t("{colour} wins by {points}", { colour: Colour(outcome.winner), points: ahead })
    : t("A tie");
  const more = score.black - white;
  const lead = more > 0 ? tn(more, ", {n} stone more for Black", ", {n} stones more for Black") : "";
  const counts = { how, black: score.black, white, komi: halves(rules.komi), lead };
  return t("{how}: {black} stones to {white} and {komi} for moving second{lead}.", counts);
}

const amount = (value) =>
  value === 0.5 ? t("half a point") : tn(value, "{points} point", "{points} points", { points: halves(value) });

// A card with the squares of a review. While it is being made, `waiting` says so; what is not known yet is open.
export function resultCard(game, review, waiting = "") {
  const judged = review?.moves ?? game.moves.map((move, k) => unjudged(game, move, k));
  const rows = sidesOf(game).map((colour) => {
    const moves = judged.filter((move) => move.colour === colour);
    return { colour, name: game[colour], moves };
  });
  const kinds = new Set(rows.flatMap((row) => row.moves.map(kindOf)));
  const kept = (text, action) => {
    const one = button(text, "quiet small", action);
    one.disabled = Boolean(waiting);
    return one;
  };
  return h("section", { class: "result", "aria-label": t("The game in squares") }, [
    rows.map((row) => [
      h("p", { class: "row between" }, [
        h("span", {}, h("i", { class: `disc small ${row.colour}` }), ` ${row.name}`),
        h("b", {}, waiting ? "…" : tally(row.moves)),
      ]),
      h(
        "ol",
        { class: "squares" },
        row.moves.map((move) => square(move, game.rules.size)),
      ),
    ]),
    h(
      "p",
      { class: "legend soft" },
      waiting || [
        [...kinds].map((kind) =>
          h("span", {}, h("i", { class: `square ${kind}` }), ` ${KINDS[kind][1]}: ${KINDS[kind][2]} `),
        ),
        rows.some((row) => row.moves.some(isHalfKnown)) &&
          h("span", {}, t("Stones given away are counted with up to {n} moves left.", { n: review.margins_left })),
      ],
    ),
    h("p", { class: "row no-print" }, [
      kept(t("Copy as text"), () => copy(asText(game, rows))),
      kept(t("Save picture"), () => savePicture(game, rows)),
      button(t("Save animation"), "quiet small", () => saveAnimation(game)),
    ]),
  ]);
}

const unjudged = (game, move, k) => ({
  number: game.start_move + k + 1,
  colour: moverAt(game, k),
  move,
  verdict: "not_known_yet",
  is_mistake: false,
  slip: null,
  words: "",
});

function square(move, size) {
  const kind = kindOf(move);
  const words = kind === "perfect" ? ts(move.words) : KINDS[kind][2];
  const text = `${move.number}. ${moveName(move.move, size)}: ${words}`;
  const only = move.verdict === "the_only_move";
  return h("li", { class: `square ${kind}`, title: text }, [
    h("span", { class: "sr" }, text),
    only && h("span", { "aria-hidden": "true" }, "!"),
  ]);
}

export function asText(game, rows) {
  const lines = rows.map(({ colour, name, moves }) => {
    const squares = moves.map((move) => KINDS[kindOf(move)][0]).join("");
    return `${colour === "black" ? "⚫" : "⚪"} ${name}: ${tally(moves)}\n${squares}`;
  });
  return [`Little-Go: ${game.black} – ${game.white}`, explained(game), ...lines].join("\n");
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("Copied."));
  } catch {
    prompt(t("The result:"), text);
  }
}

function savePicture(game, rows) {
  save(picture(game, rows).toDataURL("image/png"), `littlego-${game.id}.png`);
}

const save = (href, download) => h("a", { href, download }).click();

// The game move by move, as a GIF that every messenger plays.
async function saveAnimation(game) {
  const { encodeGif } = await import("../board/gif.js");
  const [side, foot] = [320, 44];
  const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: side, height: side + foot }));
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const last = game.boards.length - 1;
  const frames = game.boards.map((cells, ply) => {
    pen.fillStyle = "#f5f0e6";
    pen.fillRect(0, 0, side, side + foot);
    drawBoard(pen, cells, game.rules.size, 0, 0, side, game.moves[ply - 1]);
    pen.fillStyle = "#2a241d";
    pen.font = "600 15px system-ui, sans-serif";
    const text = ply === last && game.outcome ? resultWords(game.outcome.text) : `${game.black} – ${game.white}`;
    pen.fillText(text, 10, side + 28, side - 20);
    return { pixels: pen.getImageData(0, 0, side, side + foot).data, delay: ply === last ? 300 : 70 };
  });
  const gif = encodeGif({ width: side, height: side + foot, frames });
  const address = URL.createObjectURL(new Blob([gif], { type: "image/gif" }));
  save(address, `littlego-${game.id}.gif`);
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

// The final board with the squares below it.
function picture(game, rows) {
  const size = game.rules.size;
  const side = 480;
  const height = side + 150 + rows.length * 90;
  const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { width: 2 * 600, height: 2 * height }));
  const pen = canvas.getContext("2d");
  const font = (weight, points) => (pen.font = `${weight} ${points}px system-ui, sans-serif`);
  pen.scale(2, 2);
  pen.fillStyle = "#f5f0e6";
  pen.fillRect(0, 0, 600, height);
  pen.fillStyle = "#2a241d";
  font(600, 24);
  pen.fillText(`${game.black} – ${game.white}`, 60, 46);
  font(400, 15);
  pen.fillText(explained(game), 60, 72, 480);
  drawBoard(pen, game.boards.at(-1), size, 60, 90, side);
  rows.forEach(({ colour, name, moves }, k) => {
    const y = side + 128 + 90 * k;
    pen.fillStyle = "#2a241d";
    font(600, 17);
    pen.fillText(`${Colour(colour)}, ${name}: ${tally(moves)}`, 60, y, 480);
    const step = Math.min(40, 480 / Math.max(1, moves.length));
    moves.forEach((move, at) => {
      pen.fillStyle = PAINT[kindOf(move)];
      pen.beginPath();
      pen.roundRect(60 + at * step, y + 12, step - 5, step - 5, 5);
      pen.fill();
    });
  });
  pen.fillStyle = "#6b6154";
  font(400, 13);
  pen.fillText(t("Little-Go, a solved game: every square is a fact"), 60, height - 16);
  return canvas;
}

function drawBoard(pen, cells, size, left, top, side, last = null) {
  const step = side / size;
  const at = (k) => step / 2 + k * step;
  pen.fillStyle = "#e3b871";
  pen.beginPath();
  pen.roundRect(left, top, side, side, 14);
  pen.fill();
  pen.strokeStyle = "#55401f";
  pen.lineWidth = 1.5;
  for (let k = 0; k < size; k++) {
    pen.beginPath();
    pen.moveTo(left + at(0), top + at(k));
    pen.lineTo(left + at(size - 1), top + at(k));
    pen.moveTo(left + at(k), top + at(0));
    pen.lineTo(left + at(k), top + at(size - 1));
    pen.stroke();
  }
  [...cells].forEach((cell, point) => {
    if (cell === "0") return;
    const [x, y] = [left + at(point % size), top + at(Math.floor(point / size))];
    const shade = pen.createRadialGradient(x - step / 7, y - step / 6, 1, x, y, step / 2);
    const [light, dark] = cell === "1" ? ["#6a6d74", "#0b0c0e"] : ["#ffffff", "#cfc8b8"];
    shade.addColorStop(0, light);
    shade.addColorStop(1, dark);
    pen.fillStyle = shade;
    pen.beginPath();
    pen.arc(x, y, step * 0.46, 0, 2 * Math.PI);
    pen.fill();
    if (last !== `${Math.floor(point / size)},${point % size}`) return;
    pen.strokeStyle = cell === "1" ? "#f6efe1" : "#2c2a28";
    pen.lineWidth = 3;
    pen.beginPath();
    pen.arc(x, y, step * 0.18, 0, 2 * Math.PI);
    pen.stroke();
  });
}
