// The analysis board: step through a game, play any move at any position, and see the exact value of every point.
//
//   const analysis = new Analysis({ game, at: 4, line: ["2,1"], label: "The position", values: false, ondraw, asks });
//
// `game` is one of go/game.js as `drawn` gives it, or null for the solved game from the empty board. A place is the position
// after `at` moves of the game and the moves of `line`, the variation. `ondraw` is called after each change. `asks` gives
// what to do with a move at a place that asks for one, and the marks there; `marks` gives the marks of other places without
// values; `onleave` is called before another place is shown.

import { button, h, replace, showError, toast } from "../dom.js";
import { moveName } from "./coordinates.js";
import { Colour, halves, plural } from "../words.js";
import { addressOf, HUMAN, makeGame, positionAt, sgfOf } from "../go/game.js";
import { Position, describe, editionRules, opponent } from "../go/position.js";
import { followValues } from "../thinking.js";
import { Board } from "./board.js";
import { showPass, signs, valueMarks } from "./values.js";

const PERFECT = "perfect";

export class Analysis {
  /** @param {any} options */
  constructor({ game = null, at = 0, line = [], label, values, go, ondraw, ...more }) {
    this.game = game;
    this.at = at;
    this.line = line;
    this.go = go;
    this.ondraw = ondraw;
    this.asks = more.asks ?? (() => null);
    this.marks = more.marks ?? (() => ({}));
    this.onleave = more.onleave ?? (() => {});
    this.held = false; // while a line is played out on the board
    this.stopped = false;
    this.undone = []; // moves of the variation that were stepped back over
    this.shown = null; // the place that is on the board, as the API describes it
    this.answer = null;
    this.wanted = null;
    this.showsValues = values;
    this.variations = []; // those that were looked at: [at, moves]
    this.board = new Board({ size: game?.rules.size ?? 5, label, onplay: (move, why) => this.click(move, why) });
    const step = (text, name, action) =>
      h("button", { type: "button", class: "quiet", "aria-label": name, title: name, onclick: action }, text);
    this.pass = button("Pass", "quiet", () => this.click("PASS", null));
    this.toggle = button(["Values", " ", h("kbd", {}, "v")], "quiet", () => this.toggleValues());
    this.steps = [
      step("«", "First position", () => this.look(0)),
      step("‹", "One move back", () => this.back()),
      step("›", "One move forward", () => this.forward()),
      step("»", "Last position", () => this.look(Infinity)),
    ];
    this.legend = h("p", { class: "legend soft" });
    this.from = h("div", { class: "row" });
  }

  // Shows the first place. Throws if it cannot be reached.
  async begin() {
    await this.load();
  }

  get moves() {
    return this.game ? this.game.moves : [];
  }

  get inVariation() {
    return this.line.length > 0;
  }

  get over() {
    return Boolean(this.shown?.outcome);
  }

  get toMove() {
    return this.shown?.to_move;
  }

  // The game with the variation in place of what followed.
  place() {
    const { game, at, line } = this;
    if (!game) return makeGame({ moves: line });
    return { ...game, moves: [...game.moves.slice(0, at), ...line], ended: null };
  }

  look(at) {
    return this.move(Math.max(0, Math.min(this.moves.length, at)), []);
  }

  back() {
    if (this.inVariation) {
      const undone = [this.line.at(-1), ...this.undone];
      return this.move(this.at, this.line.slice(0, -1), undone);
    }
    return this.at ? this.look(this.at - 1) : undefined;
  }

  forward() {
    if (this.undone.length) return this.move(this.at, [...this.line, this.undone[0]], this.undone.slice(1));
    return this.inVariation || this.at >= this.moves.length ? undefined : this.look(this.at + 1);
  }

  // A move on the board: the game's own goes on in the game, any other begins or continues a variation.
  branch(move) {
    if (!this.inVariation && this.moves[this.at] === move) return this.look(this.at + 1);
    if (this.game) this.showsValues = true;
    return this.move(this.at, [...this.line, move]);
  }

  click(move, why) {
    if (this.held) return undefined;
    if (why) return toast(`${this.name(move)}: ${why}.`, "error");
    const answering = this.asks();
    if (answering) return answering.take(move);
    if (this.over) return toast("The game has ended here.");
    return this.branch(move);
  }

  // Goes to a place; stays at the one that is shown if that fails.
  async move(at, line, undone = []) {
    const before = { at: this.at, line: this.line, undone: this.undone };
    this.onleave();
    Object.assign(this, { at, line, undone });
    try {
      await this.load();
    } catch (error) {
      if (this.stopped || this.line !== line) return;
      Object.assign(this, before);
      showError(error);
    }
  }

  async load() {
    this.shown = this.described();
    this.remember();
    this.answer = null;
    this.draw();
    this.follow();
  }

  // The place as pages draw it. Throws if the variation has a move that cannot be played.
  described() {
    const { game, at, line } = this;
    if (!game) return describe(new Position(editionRules()), line);
    if (at === game.moves.length && !line.length) return game;
    const moves = [...game.moves.slice(0, at), ...line];
    const { outcome, ...shown } = describe(game.start, moves, { ...game, recorded: at });
    return { ...game, ...shown, outcome: line.length ? outcome : null };
  }

  remember() {
    if (!this.game || !this.line.length) return;
    const begins = (one, other) => one.every((move, k) => move === other[k]);
    const isPart = ([at, line]) => at === this.at && (begins(line, this.line) || begins(this.line, line));
    const longest = this.variations.find(isPart)?.[1] ?? [];
    this.variations = this.variations.filter((one) => !isPart(one));
    this.variations.push([this.at, longest.length > this.line.length ? longest : this.line]);
  }

  // The game as SGF, with the variations that were looked at.
  sgf() {
    return sgfOf(this.game, this.variations);
  }

  follow() {
    this.wanted?.();
    this.wanted = null;
    if (!this.showsValues || !this.shown || this.over || this.shown.unsolvable) return;
    this.wanted = followValues(
      positionAt(this.place()),
      { leads: true },
      (answer) => {
        this.answer = answer;
        this.draw();
      },
      showError,
    );
  }

  toggleValues(on = !this.showsValues) {
    this.showsValues = on;
    if (!on) this.answer = null;
    this.follow();
    this.draw();
  }

  draw() {
    if (!this.shown || this.held) return;
    const answering = this.asks();
    const marks = answering ? answering.marks : this.answer ? valueMarks(this.answer) : this.marks();
    const turn = this.over ? null : this.toMove;
    this.board.showGame(this.shown, { turn, marks });
    showPass(this.pass, this.answer && !answering ? signs(this.answer).PASS : null, this.answer?.leads.PASS);
    this.pass.disabled = this.over || !this.shown.rules.passing;
    this.toggle.setAttribute("aria-pressed", String(this.showsValues));
    this.toggle.disabled = Boolean(this.shown.unsolvable);
    const [first, back, forward, last] = this.steps;
    first.disabled = back.disabled = !this.at && !this.inVariation;
    forward.disabled = !this.undone.length && (this.inVariation || this.at >= this.moves.length);
    last.disabled = !this.inVariation && this.at >= this.moves.length;
    replace(this.legend, !this.over && this.answer && !answering && this.numbers());
    replace(this.from, !this.over && this.playButtons());
    this.ondraw();
  }

  // What the numbers on the board are, or why there are none.
  numbers() {
    const { leads, leads_missing, margins_left, plies_left } = this.answer;
    if (plies_left > margins_left)
      return `✓ and ✗ say who wins. Margins are computed with up to ${margins_left} moves left.`;
    return [
      Object.keys(leads).length > 0 &&
        `Numbers: by how many points ${Colour(this.toMove)} wins (+) or loses (−), komi counted. `,
      leads_missing > 0 && "Margins are still being computed.",
    ];
  }

  playButtons() {
    const as = (colour) => button(`as ${Colour(colour)}`, "quiet small", () => this.playAs(colour));
    const mine = this.toMove;
    return ["Play from here against the perfect player:", " ", as(mine), as(opponent(mine))];
  }

  playAs(colour) {
    const { start, moves } = this.place();
    const seats = /** @type {any} */ ({ [colour]: HUMAN, [opponent(colour)]: PERFECT });
    this.go(addressOf("play", makeGame({ start, moves, seats, [colour]: localStorage.getItem("name") ?? "" })));
  }

  // The variation, to be read before the place in words.
  variation() {
    if (!this.inVariation || !this.game) return null;
    const moves = this.line.map((move) => this.name(move)).join(" ");
    const number = this.game.start_move + this.at;
    return [h("b", {}, `A variation after move ${number}: ${moves}.`), " "];
  }

  // The place in words: who wins, and how many moves keep it.
  sentence() {
    const { shown, answer } = this;
    if (!shown) return "";
    if (this.over) return `The end: ${halves(shown.score.black)} to ${halves(shown.score.white)}.`;
    const last = shown.moves.at(-1);
    const played = !last ? "" : last === "PASS" ? "A pass was played." : `${this.name(last)} was played.`;
    const mover = Colour(this.toMove);
    const who = plural(shown.plies_left, `${mover} to move, {n} move left.`, `${mover} to move, {n} moves left.`);
    const winner =
      answer?.value === "tie" ? "With best play it is a tie." : `With best play ${Colour(answer?.value)} wins.`;
    const known = !this.showsValues ? "" : !answer ? "…" : answer.value === "unknown" ? "" : winner;
    return [played, who, known, this.showsValues && answer && answer.words].filter(Boolean).join(" ");
  }

  name(move) {
    return moveName(move, this.board.size);
  }

  // What a key does here. The arrows move the cursor while the board has the focus; comma and period always step.
  actionOf(key) {
    if (key.startsWith("Arrow") && this.board.element.contains(document.activeElement)) return null;
    return {
      ",": () => this.back(),
      ".": () => this.forward(),
      v: () => !this.toggle.disabled && this.toggle.click(),
      p: () => !this.pass.disabled && this.pass.click(),
      u: () => this.back(),
      Backspace: () => this.back(),
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      Home: () => this.look(0),
      End: () => this.look(Infinity),
    }[key];
  }

  stop() {
    this.stopped = true;
    this.wanted?.();
  }
}
