// The board: an SVG that shows a position and lets a person play on it with mouse, finger or keyboard.
//
//   const board = new Board({ size: 5, label: "The game", onplay: (move) => ... });
//   board.show({ cells: "0012...", last: "2,3", ko: null, turn: "black", illegal: {"1,1": "why"}, marks: {"2,2": "won"} });
//
// `cells` are the digits of input.txt, row by row. `turn` is the colour of the stone under the pointer; null
// while nobody may play. `marks` puts a sign on empty points: won, lost, tie, open (not known yet), best, wrong; or a sign
// with more: {sign: "won", text: "+½", only: true}.

import { forgetErrors, s } from "../dom.js";
import { opponent } from "../go/position.js";
import { edgeNames, moveName, system } from "./coordinates.js";
import { plural } from "../words.js";

const CELL = 100;
const EDGE = 88;
const SIGNS = {
  won: "M-14 1L-4 11L15 -10",
  lost: "M-7 -7L7 7M7 -7L-7 7",
  tie: "M-12 -5H12M-12 6H12",
  wrong: "M-13 -13L13 13M13 -13L-13 13",
};
// Losing moves are small: where most moves lose, the few that win must stand out.
const RADII = { open: 10, lost: 18 };

// The signs as a screen reader says them.
export const SIGN_WORDS = {
  won: "wins",
  lost: "loses",
  tie: "ties",
  open: "not known yet",
  best: "the move to play",
  wrong: "a mistake",
};

// Who is to move after `ply` moves of a game.
export const moverAt = (game, ply) => (ply % 2 ? opponent(game.first) : game.first);

let boards = 0;

export class Board {
  constructor({ size, label = "Board", onplay = null, coordinates = true }) {
    this.size = size;
    this.onplay = onplay;
    this.label = label;
    this.state = { cells: "0".repeat(size * size), last: null, ko: null, turn: null, illegal: {}, marks: {} };
    this.cursor = Math.floor((size * size) / 2);
    this.stones = new Map();
    this.id = `board${++boards}`;
    this.edge = coordinates ? EDGE : 62;
    this.build(coordinates);
  }

  build(coordinates) {
    const side = 2 * this.edge + CELL * (this.size - 1);
    this.points = s("g", { class: "points" });
    this.stoneLayer = s("g", { class: "stones" });
    this.markLayer = s("g", { class: "marks" });
    this.ghost = s("circle", { class: "ghost", r: 45, visibility: "hidden" });
    this.ring = s("rect", { class: "cursor", width: 92, height: 92, rx: 14, visibility: "hidden" });
    this.element = s(
      "svg",
      {
        class: "board",
        viewBox: `0 0 ${side} ${side}`,
        role: this.onplay ? "application" : "img",
        "aria-label": this.label,
        "aria-roledescription": this.onplay ? "Go board" : null,
      },
      this.defs(),
      this.wood(side),
      this.lines(),
      coordinates && this.names(),
      this.stoneLayer,
      this.ghost,
      this.markLayer,
      this.ring,
      this.points,
    );
    for (let point = 0; point < this.size ** 2; point++) {
      const [x, y] = this.at(point);
      const target = s("rect", { x: x - 50, y: y - 50, width: 100, height: 100, "data-point": point });
      this.points.append(target);
    }
    if (!this.onplay) return; // a picture; listeners would put it in the tab order
    this.points.addEventListener("pointermove", (event) => this.hover(event));
    this.points.addEventListener("pointerleave", () => this.hover(null));
    this.points.addEventListener("click", (event) => {
      const point = event.target.dataset.point;
      if (point !== undefined) {
        this.element.classList.remove("keys");
        this.cursor = Number(point);
        this.play(Number(point));
      }
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("blur", () => this.element.classList.remove("keys"));
    this.element.setAttribute("tabindex", "0");
  }

  defs() {
    const gradient = (name) =>
      s("radialGradient", { id: `${this.id}-${name}`, cx: "36%", cy: "30%", r: "72%" }, [
        s("stop", { offset: "0%", class: `${name}-light` }),
        s("stop", { offset: "45%", class: `${name}-mid` }),
        s("stop", { offset: "100%", class: `${name}-dark` }),
      ]);
    return s("defs", {}, [
      gradient("black"),
      gradient("white"),
      s("linearGradient", { id: `${this.id}-wood`, x1: 0, y1: 0, x2: 1, y2: 1 }, [
        s("stop", { offset: "0%", class: "wood-light" }),
        s("stop", { offset: "100%", class: "wood-dark" }),
      ]),
    ]);
  }

  wood(side) {
    const grain = [];
    // Grain that is the same on every board: a few long, slightly bent lines.
    for (let k = 1; k < 14; k++) {
      const x = (side * k) / 14 + ((k * 37) % 17) - 8;
      const bend = ((k * 53) % 23) - 11;
      grain.push(`M${x} 8C${x + bend} ${side * 0.3} ${x - bend} ${side * 0.65} ${x + bend / 2} ${side - 8}`);
    }
    return s("g", {}, [
      s("rect", {
        class: "slab",
        x: 4,
        y: 4,
        width: side - 8,
        height: side - 8,
        rx: 16,
        fill: `url(#${this.id}-wood)`,
      }),
      s("path", { class: "grain", d: grain.join("") }),
    ]);
  }

  lines() {
    const near = this.edge;
    const far = this.edge + CELL * (this.size - 1);
    let d = "";
    for (let k = 0; k < this.size; k++) d += `M${near} ${near + CELL * k}H${far}M${near + CELL * k} ${near}V${far}`;
    const stars = this.stars().map((point) => {
      const [cx, cy] = this.at(point);
      return s("circle", { class: "star", cx, cy, r: 7 });
    });
    return s("g", {}, s("path", { class: "lines", d }), stars);
  }

  stars() {
    const n = this.size;
    const middle = n % 2 && n >= 5 ? [(n - 1) / 2] : [];
    const inset = n < 13 ? 2 : 3;
    const corners = n >= 7 ? [inset, n - 1 - inset] : [];
    const at = [...corners, ...middle];
    return at.flatMap((row) =>
      at
        .filter((column) => n >= 13 || middle.includes(row) === middle.includes(column))
        .map((column) => row * n + column),
    );
  }

  names() {
    const { columns, rows } = edgeNames(this.size);
    const out = columns.map((name, k) => [
      s("text", { x: this.edge + CELL * k, y: 24 }, name),
      s("text", { x: 22, y: this.edge + CELL * k }, rows[k]),
    ]);
    return s("g", { class: "names", "aria-hidden": "true" }, out);
  }

  at(point) {
    return [this.edge + CELL * (point % this.size), this.edge + CELL * Math.floor(point / this.size)];
  }

  name(point) {
    return `${Math.floor(point / this.size)},${point % this.size}`;
  }

  point(move) {
    if (!move || move === "PASS") return null;
    const [row, column] = move.split(",").map(Number);
    return row * this.size + column;
  }

  show(state) {
    this.state = { last: null, ko: null, turn: null, illegal: {}, marks: {}, ...state };
    const { cells, last, ko } = this.state;
    for (const [point, stone] of this.stones) {
      const colour = cells[point] === "1" ? "black" : cells[point] === "2" ? "white" : null;
      if (stone.dataset.colour !== colour) {
        this.stones.delete(point);
        stone.classList.add("taken");
        setTimeout(() => stone.remove(), 450);
      }
    }
    for (let point = 0; point < cells.length; point++) {
      if (cells[point] !== "0" && !this.stones.has(point)) {
        const colour = cells[point] === "1" ? "black" : "white";
        const [x, y] = this.at(point);
        const stone = s("g", { class: "stone", "data-colour": colour, transform: `translate(${x} ${y})` }, [
          s("ellipse", { class: "shadow", cx: 4, cy: 7, rx: 46, ry: 45 }),
          s("circle", { class: `face ${colour}`, r: 46, fill: `url(#${this.id}-${colour})` }),
        ]);
        this.stones.set(point, stone);
        this.stoneLayer.append(stone);
      }
    }
    this.drawMarks(last, ko);
    this.hover(null);
    this.element.classList.toggle("mine", Boolean(this.state.turn));
    this.element.setAttribute("aria-label", this.spoken());
  }

  // Shows a game or a line of the API after `ply` moves, by default all of them.
  showGame(game, /** @type {any} */ { ply = game.moves.length, ...rest } = {}) {
    const illegal = ply === game.moves.length ? game.illegal : {};
    this.show({ cells: game.boards[ply], last: game.moves[ply - 1], ko: game.kos[ply], illegal, ...rest });
  }

  drawMarks(last, ko) {
    const marks = [];
    const place = (point, props, ...children) => {
      const [x, y] = this.at(point);
      marks.push(s("g", { transform: `translate(${x} ${y})`, ...props }, children));
    };
    const lastPoint = this.point(last);
    if (lastPoint !== null && this.stones.has(lastPoint)) {
      place(lastPoint, {}, s("circle", { class: `last on-${this.stones.get(lastPoint).dataset.colour}`, r: 17 }));
    }
    const koPoint = this.point(ko);
    if (koPoint !== null)
      place(
        koPoint,
        {},
        s("rect", { class: "ko", x: -20, y: -20, width: 40, height: 40, rx: 4 }),
        s("title", {}, "ko: cannot be retaken at once"),
      );
    for (const [move, mark] of Object.entries(this.state.marks)) {
      const point = this.point(move);
      if (point === null || this.state.cells[point] !== "0") continue;
      const { sign, text, only } = typeof mark === "string" ? { sign: mark } : mark;
      place(
        point,
        { "data-move": move, "data-sign": sign },
        only && s("circle", { class: "only-ring", r: 45 }),
        s("circle", { class: `sign ${sign}`, r: text ? 37 : (RADII[sign] ?? 26) }),
        text
          ? s("text", { class: "lead" }, text)
          : SIGNS[sign] && s("path", { class: `sign-line ${sign}`, d: SIGNS[sign] }),
      );
    }
    this.markLayer.replaceChildren(...marks);
  }

  hover(event) {
    const point = event?.target?.dataset?.point;
    this.showGhost(point === undefined ? null : Number(point));
  }

  showGhost(point) {
    const { turn, cells, illegal } = this.state;
    if (point === null || !turn || cells[point] !== "0" || illegal[this.name(point)]) {
      this.ghost.setAttribute("visibility", "hidden");
      return;
    }
    const [x, y] = this.at(point);
    this.ghost.setAttribute("cx", x);
    this.ghost.setAttribute("cy", y);
    this.ghost.setAttribute("fill", `url(#${this.id}-${turn})`);
    this.ghost.setAttribute("visibility", "visible");
  }

  key(event) {
    const row = Math.floor(this.cursor / this.size);
    const column = this.cursor % this.size;
    const last = this.size - 1;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (steps[event.key] && !event.altKey && !event.ctrlKey && !event.metaKey) {
      const [down, right] = steps[event.key];
      this.cursor = Math.min(last, Math.max(0, row + down)) * this.size + Math.min(last, Math.max(0, column + right));
      this.showCursor();
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === "Enter" || event.key === " ") {
      this.showCursor();
      this.play(this.cursor);
      event.preventDefault();
      event.stopPropagation();
    }
  }

  showCursor() {
    const [x, y] = this.at(this.cursor);
    this.ring.setAttribute("x", x - 46);
    this.ring.setAttribute("y", y - 46);
    this.ring.setAttribute("visibility", "visible");
    this.element.classList.add("keys");
    this.showGhost(this.cursor);
    this.element.setAttribute("aria-label", this.spoken(this.cursor));
  }

  play(point) {
    forgetErrors();
    if (this.onplay) this.onplay(this.name(point), this.state.illegal[this.name(point)] ?? null);
  }

  spoken(point = null) {
    const { cells } = this.state;
    const what = { 0: "empty", 1: "a black stone", 2: "a white stone" };
    if (point !== null)
      return [`${this.label}: ${this.spokenPoint(point)}`, what[cells[point]], ...this.spokenMarks(point)].join(", ");
    const count = (digit) => [...cells].filter((cell) => cell === digit).length;
    const black = plural(count("1"), "{n} black stone", "{n} black stones");
    const white = plural(count("2"), "{n} white stone", "{n} white stones");
    return `${this.label}: ${black}, ${white}.${this.onplay ? ` Arrow keys move, Enter plays.` : ""}`;
  }

  // What is drawn on an empty point: its value, the ko, or why it may not be played.
  spokenMarks(point) {
    const { cells, ko, illegal, marks } = this.state;
    const name = this.name(point);
    if (cells[point] !== "0") return [];
    const mark = marks[name] ?? {};
    const { sign, text, only } = typeof mark === "string" ? { sign: mark, text: null, only: false } : mark;
    const why = illegal[name] ?? (ko === name ? "ko: cannot be retaken at once" : null);
    return [SIGN_WORDS[sign], text, only && "the only move", why && `illegal: ${why}`].filter(Boolean);
  }

  spokenPoint(point) {
    if (system() === "letters") return moveName(this.name(point), this.size);
    return `row ${Math.floor(point / this.size)}, column ${point % this.size}`;
  }
}
