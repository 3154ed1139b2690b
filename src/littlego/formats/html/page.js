"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const NAMES = { 1: "Black", 2: "White" };
  const ICONS = {
    first: ["First position (Home)", "M4 4h3v16H4zM20 4v16L8 12z"],
    back: ["One move back (left arrow)", "M17 4v16L5 12z"],
    forward: ["One move forward (right arrow)", "M7 4v16l12-8z"],
    last: ["Last position (End)", "M17 4h3v16h-3zM4 4v16l12-8z"],
  };
  let current = null; // the game that the arrow keys step when nothing has the focus

  function make(tag, props, ...children) {
    const element = Object.assign(document.createElement(tag), props);
    element.append(...children);
    return element;
  }

  function shape(tag, attributes) {
    const element = document.createElementNS(SVG, tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    return element;
  }

  const pointAt = (text, k, n) => (text.charCodeAt(k) - 97) * n + text.charCodeAt(k + 1) - 97;

  // Every position of a game from its first and the changes: {cells, move, taken: [black's, white's]}.
  function positionsOf(game) {
    const n = game.size;
    const at = (text, k) => pointAt(text, k, n);
    let cells = Array.from(game.start || "0".repeat(n * n), Number);
    let taken = [0, 0, 0];
    let side = game.first;
    const positions = [{ cells, taken }];
    for (const change of game.changes ? game.changes.split(" ") : []) {
      cells = cells.slice();
      taken = taken.slice();
      const move = change.startsWith("--") ? null : at(change, 0);
      if (move !== null) cells[move] = side;
      for (let k = 2; k < change.length; k += 2) {
        cells[at(change, k)] = 0;
        taken[side] += 1;
      }
      positions.push({ cells, taken, side, move, captured: (change.length - 2) / 2 });
      side = 3 - side;
    }
    return positions;
  }

  const nameOf = (game, move) => (move === null ? "passes" : `${Math.floor(move / game.size)},${move % game.size}`);

  function sentence(game, positions, ply) {
    const { side, move, captured } = positions[ply];
    if (ply === 0) return game.before ? `After ${game.before} moves` : "Start";
    const captures = captured ? `, captures ${captured}` : "";
    const time =
      game.hundredths && game.hundredths[ply - 1] ? ` (${(game.hundredths[ply - 1] / 100).toFixed(2)} s)` : "";
    return `Move ${(game.before || 0) + ply}: ${NAMES[side]} ${nameOf(game, move)}${captures}${time}`;
  }

  function drawStones(layer, template, game, position, marked) {
    const cell = Number(template.dataset.cell),
      margin = Number(template.dataset.margin);
    const xy = (point) => ({
      cx: margin + cell * (point % game.size),
      cy: margin + cell * Math.floor(point / game.size),
    });
    layer.replaceChildren();
    position.cells.forEach((colour, point) => {
      if (!colour) return;
      const fill = `url(#littlego-${colour === 1 ? "black" : "white"})`;
      layer.append(shape("circle", { class: "stone", r: cell * 0.46, fill, ...xy(point) }));
    });
    if (position.move != null) layer.append(shape("circle", { class: "last", r: cell * 0.21, ...xy(position.move) }));
    for (const [tone, letters] of Object.entries(marked)) {
      for (let k = 0; k < letters.length; k += 2) {
        const point = pointAt(letters, k, game.size);
        layer.append(shape("circle", { class: `point ${tone}`, r: cell * 0.15, ...xy(point) }));
      }
    }
  }

  function controlButton(kind) {
    const [label, path] = ICONS[kind];
    const icon = shape("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
    icon.append(shape("path", { d: path }));
    const button = make("button", { type: "button", title: label }, icon);
    button.setAttribute("aria-label", label);
    return button;
  }

  function sideRow(game, colour) {
    const count = make("span", { className: "count" });
    const dot = make("span", { className: `dot ${colour === 1 ? "black" : "white"}` });
    dot.setAttribute("role", "img");
    dot.setAttribute("aria-label", NAMES[colour]);
    return { count, parts: [dot, make("span", { className: "who" }, colour === 1 ? game.black : game.white), count] };
  }

  function moveList(game, positions, show) {
    return positions.slice(1).map((position, k) => {
      const ply = k + 1;
      const number = make("small", {}, `${(game.before || 0) + ply}.`);
      const text = position.move === null ? "pass" : nameOf(game, position.move);
      const button = make("button", { type: "button", tabIndex: -1, onclick: () => show(ply) }, number, text);
      if (game.marks && game.marks[ply]) button.className = game.marks[ply];
      button.title = sentence(game, positions, ply);
      return button;
    });
  }

  function build(details) {
    if (details.replay) return;
    const game = JSON.parse(details.querySelector("script").textContent);
    const template = document.querySelector(`template[data-size="${game.size}"]`);
    const positions = positionsOf(game);
    const last = positions.length - 1;
    let ply = 0;

    const board = template.content.querySelector("svg").cloneNode(true);
    for (const shared of board.querySelectorAll("style, defs")) shared.remove();
    const stones = shape("g", {});
    board.append(stones);
    const buttons = Object.fromEntries(Object.keys(ICONS).map((kind) => [kind, controlButton(kind)]));
    const slider = make("input", { type: "range", min: 0, max: last, step: 1 });
    slider.setAttribute("aria-label", "Position in the game");
    const black = sideRow(game, 1),
      white = sideRow(game, 2);
    const now = make("p", { className: "now" });
    now.setAttribute("aria-live", "polite");
    const note = make("p", { className: "note" });
    const moves = moveList(game, positions, show);
    const list = make("ol", { className: "list" }, ...moves.map((button) => make("li", {}, button)));
    list.setAttribute("aria-label", "Moves");

    function show(wanted) {
      ply = Math.max(0, Math.min(last, wanted));
      current = details;
      const position = positions[ply];
      drawStones(stones, template, game, position, (game.points && game.points[ply]) || {});
      const count = (colour) => position.cells.filter((cell) => cell === colour).length;
      const counted = (number) => (number === 1 ? "1 stone" : `${number} stones`);
      const captures = (taken) => (taken ? `, captured ${taken}` : "");
      black.count.textContent = `${counted(count(1))}${captures(position.taken[1])}`;
      white.count.textContent = `${counted(count(2))} + ${game.komi}${captures(position.taken[2])}`;
      now.textContent = sentence(game, positions, ply);
      board.setAttribute("aria-label", `${now.textContent}. ${count(1)} black and ${count(2)} white stones.`);
      note.textContent = (game.notes && game.notes[ply]) || "";
      slider.value = ply;
      slider.setAttribute("aria-valuetext", now.textContent);
      buttons.first.disabled = buttons.back.disabled = ply === 0;
      buttons.last.disabled = buttons.forward.disabled = ply === last;
      moves.forEach((button, k) => {
        if (k + 1 === ply) button.setAttribute("aria-current", "true");
        else button.removeAttribute("aria-current");
      });
      const chosen = moves[ply - 1];
      if (chosen) list.scrollTop = Math.max(0, chosen.offsetTop - list.offsetTop - list.clientHeight / 2);
    }

    buttons.first.onclick = () => show(0);
    buttons.back.onclick = () => show(ply - 1);
    buttons.forward.onclick = () => show(ply + 1);
    buttons.last.onclick = () => show(last);
    slider.oninput = () => show(Number(slider.value));

    const stage = make(
      "div",
      { className: "stage" },
      board,
      make("div", { className: "controls" }, buttons.first, buttons.back, slider, buttons.forward, buttons.last),
    );
    const info = make(
      "div",
      { className: "info" },
      make("div", { className: "side" }, ...black.parts, ...white.parts),
      now,
      note,
      list,
      make("p", { className: "remark" }, game.verdict + (game.remark ? `\n${game.remark}` : "")),
    );
    details.querySelector(".moves").replaceWith(make("div", { className: "replay" }, stage, info));
    details.replay = { show, step: (by) => show(ply + by), last };
    show(game.shown === undefined ? last : game.shown);
  }

  function openTarget() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.matches("details.game")) return;
    target.open = true;
    build(target);
    target.scrollIntoView();
  }

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = event.target;
    if (target.matches("input, textarea, select")) return;
    const own = target.closest("details.game[open]");
    const details = own || (target === document.body ? current : null);
    if (!details || !details.open || !details.replay) return;
    const { show, step, last } = details.replay;
    const act =
      { ArrowLeft: () => step(-1), ArrowRight: () => step(1) }[event.key] ||
      (own && { Home: () => show(0), End: () => show(last) }[event.key]);
    if (!act) return;
    event.preventDefault();
    act();
  }

  function sortBy(header) {
    const table = header.closest("table"),
      body = table.tBodies[0];
    const column = header.cellIndex;
    const numeric = header.classList.contains("number");
    const before = header.getAttribute("aria-sort");
    const upward = before ? before === "descending" : !numeric;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", upward ? "ascending" : "descending");
    const keyOf = (row) => {
      const cell = row.cells[column];
      if (cell.dataset.sort !== undefined) return Number(cell.dataset.sort);
      const text = cell.textContent.trim();
      return numeric ? parseFloat(text.replace(/,/g, "").replace("−", "-")) : text;
    };
    const compare = (a, b) => {
      if (typeof a === "string" || typeof b === "string")
        return String(a).localeCompare(String(b), undefined, { numeric: true });
      return (Number.isNaN(a) ? -Infinity : a) - (Number.isNaN(b) ? -Infinity : b) || 0;
    };
    const rows = Array.from(body.rows, (row) => [keyOf(row), row]);
    rows.sort(([a], [b]) => (upward ? 1 : -1) * compare(a, b));
    body.append(...rows.map(([, row]) => row));
  }

  // `toggle` does not bubble, hence the capture.
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target.matches("details.game") && event.target.open) build(event.target);
    },
    true,
  );
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("thead button");
    if (button) sortBy(button.closest("th"));
  });
  addEventListener("hashchange", openTarget);
  document.querySelectorAll("details.game[open]").forEach(build);
  openTarget();
})();
