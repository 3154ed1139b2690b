// The result card: a game's moves as small squares, to look at and to copy as text.

import { moverAt } from "../board/board.js";
import { opponent } from "../go/position.js";
import { button, copy, h } from "../dom.js";
import { moveName } from "../board/coordinates.js";
import { Colour, halves, plural, resultWords } from "../words.js";

// A square for texts, a name, and what it means.
const KINDS = {
  perfect: ["🟩", "perfect", "kept the best result"],
  fine: ["⬜", "fine", "nothing to lose (lost anyway, or no choice)"],
  slip: ["🟨", "slip", "kept the result, but gave stones away"],
  loss: ["🟥", "loss", "gave the result away"],
  open: ["⬛", "open", "not known"],
};

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
  if (!counted) return "nothing could be lost";
  const share = `${perfect} of ${counted} perfect`;
  return only ? `${share}, ${plural(only, "{n} only move", "{n} only moves")}` : share;
}

// "Black wins by ½: 11 against 8 + 2½ komi.", or to one of the players "You lost by ½: 12 against 10 + 2½ komi."
export function explained(game, you = null) {
  const { outcome, score, rules } = game;
  if (!outcome) return "";
  const { winner } = outcome;
  const result = you && winner ? (you === winner ? "You won" : "You lost") : "";
  if (outcome.verdict !== "score") return `${result && `${result}. `}${resultWords(outcome.text)}.`;
  const first = (result && you) || winner || "black";
  const counted = { black: score.black, white: score.white - rules.komi };
  const side = (colour) =>
    `${counted[colour]}${colour === "white" && rules.komi ? ` + ${halves(rules.komi)} komi` : ""}`;
  const by = halves(Math.abs(score.black - score.white));
  const how = !winner ? "A tie" : `${result || `${Colour(winner)} wins`} by ${by}`;
  return `${how}: ${side(first)} against ${side(opponent(first))}.`;
}

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
  return h("section", { class: "result", "aria-label": "The game in squares" }, [
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
          h("span", {}, `Stones given away are counted with up to ${review.margins_left} moves left.`),
      ],
    ),
    h("p", { class: "row" }, [kept("Copy as text", () => copy(asText(game, rows)))]),
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
  const words = kind === "perfect" ? move.words : KINDS[kind][2];
  const text = `${move.number}. ${moveName(move.move, size)}: ${words}`;
  const only = move.verdict === "the_only_move";
  return h("li", { class: `square ${kind}`, title: text }, [
    h("span", { class: "sr" }, text),
    only && h("span", { "aria-hidden": "true" }, "!"),
  ]);
}

function asText(game, rows) {
  const lines = rows.map(({ colour, name, moves }) => {
    const squares = moves.map((move) => KINDS[kindOf(move)][0]).join("");
    return `${colour === "black" ? "⚫" : "⚪"} ${name}: ${tally(moves)}\n${squares}`;
  });
  return [`Little-Go: ${game.black} – ${game.white}`, explained(game), ...lines].join("\n");
}
