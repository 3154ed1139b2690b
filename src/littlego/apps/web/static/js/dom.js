// Elements without a framework: h("button", {class: "quiet", onclick: f}, "Undo").

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function s(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** What a form's fields hold, by name. @param {HTMLFormElement} form @returns {Record<string, any>} */
export const formValues = (form) => Object.fromEntries(new FormData(form));

export function toast(text, kind = "note") {
  const box = document.getElementById("toasts");
  const shown = h("div", { class: `toast ${kind}` }, text);
  box.append(shown);
  while (box.children.length > 3) box.firstChild.remove();
  setTimeout(() => shown.remove(), kind === "error" ? 7000 : 4000);
}

// With a capital as sentences have it, unless it begins with a name: "my-agent: …", "path/to/agent …", "agent.zip …".
export function capital(text) {
  return text && !/^\S*(:|[/.]\S)/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
}

export function seconds(value) {
  const whole = Math.floor(value);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// "0,0, 0,1 and 2 more".
export const firstOf = (names, most) =>
  names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");

// "1 stone", "2 stones".
export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
