// The analysis board: step through a game, play any move at any position, and see the exact value of every point.
//
//   const analysis = new Analysis({ game, at: 4, line: ["2,1"], label: "The position", values: false, ondraw, asks });
//
// `game` is a game of the API, or null for the solved game from the empty board. A place is the position after `at` moves
// of the game and the moves of `line`, the variation. `ondraw` is called after each change. `asks` gives what to do with
// a move at a place that asks for one, and the marks there; `marks` gives the marks of other places without values;
// `onbranch` is called when somebody plays a move that is not the game's. `grow` passes a game that is still being played again.

import { button, h, replace, showError, toast } from "../dom.js";
import { moveName } from "./coordinates.js";
import { Colour, halves, plural } from "../words.js";
import { post } from "../server/api.js";
import { Board, moverAt, opponent } from "./board.js";
import { followValues, showPass, signs, valueMarks } from "./values.js";

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
    this.onbranch = more.onbranch ?? (() => {});
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
    this.from = h("div", { class: "row no-print" });
    this.resume = () => this.follow();
    addEventListener("back", this.resume);
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

  // The body by which the server knows the place.
  place() {
    if (!this.game) return { moves: this.line };
    return { game: this.game.id, ply: this.at, moves: this.line };
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
    this.onbranch();
    return this.move(this.at, [...this.line, move]);
  }

  click(move, why) {
    if (why) return toast(`${this.name(move)}: ${why}.`, "error");
    const answering = this.asks();
    if (answering) return answering.take(move);
    if (this.over) return toast("The game has ended here.");
    return this.branch(move);
  }

  // Goes to a place; stays at the one that is shown if that fails.
  async move(at, line, undone = []) {
    const before = { at: this.at, line: this.line, undone: this.undone };
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
    const asked = this.line;
    const at = this.at;
    const isPlain = this.game && !asked.length;
    const found = isPlain ? this.ofTheGame() : await post("/api/positions", this.place());
    if (this.stopped || asked !== this.line || at !== this.at) return;
    this.shown = found;
    this.remember();
    this.answer = null;
    this.draw();
    this.follow();
  }

  // A position of the game itself: known here, but for the moves that are illegal, which the server refuses.
  ofTheGame() {
    const { game, at } = this;
    if (at === game.moves.length) return game;
    return {
      ...game,
      moves: game.moves.slice(0, at),
      to_move: moverAt(game, at),
      illegal: {},
      outcome: null,
      plies_left: game.rules.max_moves - game.start_move - at,
    };
  }

  // The game as it stands now, with more moves than before, or fewer if some were taken back.
  grow(game) {
    this.game = game;
    if (this.at > game.moves.length) return this.look(Infinity);
    if (this.shown && !this.inVariation) this.shown = this.ofTheGame();
    return this.draw();
  }

  remember() {
    if (!this.game || !this.line.length) return;
    const text = this.line.join("_");
    const isPart = ([at, line]) => at === this.at && (text.startsWith(line) || line.startsWith(text));
    const longest = this.variations.find(isPart)?.[1] ?? "";
    this.variations = this.variations.filter((one) => !isPart(one));
    this.variations.push([this.at, longest.length > text.length ? longest : text]);
  }

  // Where the game is kept as SGF, with the variations that were looked at.
  sgf() {
    const lines = this.variations.map(([at, line]) => `line=${encodeURIComponent(`${at}:${line}`)}`);
    return `/api/games/${this.game.id}.sgf${lines.length ? `?${lines.join("&")}` : ""}`;
  }

  follow() {
    this.wanted?.();
    this.wanted = null;
    if (!this.showsValues || !this.shown || this.over || this.shown.unsolvable) return;
    this.wanted = followValues(
      { ...this.place(), leads: true },
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
    if (!this.shown) return;
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

  async playAs(colour) {
    const name = localStorage.getItem("name");
    const seats = { [colour]: "human", [opponent(colour)]: PERFECT, names: name ? { [colour]: name } : {} };
    const begun = this.game
      ? await post(`/api/games/${this.game.id}/branch`, { ply: this.at, moves: this.line, ...seats })
      : await post("/api/games", { moves: this.line, ...seats });
    this.go(`/play/${begun.id}`);
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
    removeEventListener("back", this.resume);
  }
}
