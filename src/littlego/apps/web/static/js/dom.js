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
  element.append(...present(children));
  return element;
}

const present = (children) => children.flat(Infinity).filter((child) => child != null && child !== false);

export const replace = (element, ...children) => element.replaceChildren(...present(children));

// A button; if its action fails, the error is shown.
export const button = (text, kind, action) =>
  h("button", { type: "button", class: kind, onclick: () => (forgetErrors(), attempt(action)) }, text);

// A field of a form under its label.
export const labelled = (label, ...field) => h("label", {}, h("span", {}, label), field);

// A list to choose from; choices are [value, text].
export const select = (props, choices, chosen = undefined) =>
  h("select", props, [
    choices.map(([value, text]) => h("option", { value, selected: String(value) === String(chosen) }, text)),
  ]);

// A table; columns are [heading, class], rows are lists of cells. The row with index `current` is marked.
export const table = (columns, rows, current = -1) =>
  h("table", {}, [
    h("thead", {}, [
      h("tr", {}, [columns.map(([text, kind]) => (text ? h("th", { scope: "col", class: kind }, text) : h("td", {})))]),
    ]),
    h("tbody", {}, [
      rows.map((cells, number) =>
        h("tr", { "aria-current": number === current ? "true" : null }, [
          cells.map((cell, k) => h("td", { class: columns[k][1] }, cell)),
        ]),
      ),
    ]),
  ]);

/** What a form's fields hold, by name. @param {HTMLFormElement} form @returns {Record<string, any>} */
export const formValues = (form) => Object.fromEntries(new FormData(form));

// What to do when a form is sent: `action` gets the values of its fields. Errors are shown.
export const onSubmit = (action) => (event) => {
  event.preventDefault();
  forgetErrors();
  return attempt(() => action(formValues(event.target), event));
};

// The value of an action; null if it fails, and the error is shown.
export async function attempt(action) {
  try {
    return await action();
  } catch (error) {
    showError(error);
    return null;
  }
}

export const showError = (error) => toast(capital(error.message), "error");

// Handles keys that are pressed outside fields: `actionOf` gives the function for a key, if there is one.
// Returns how to stop.
export function onKeys(actionOf, capture = false) {
  const listener = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog")) return;
    if ([" ", "Enter"].includes(event.key) && event.target.closest("button, a, summary")) return; // it is pressed
    const action = actionOf(event.key);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  document.addEventListener("keydown", listener, capture);
  return () => document.removeEventListener("keydown", listener, capture);
}

export function toast(text, kind = "note") {
  const box = document.getElementById("toasts");
  const shown = h("div", { class: `toast ${kind}` }, text);
  box.append(shown);
  while (box.children.length > 3) box.firstChild.remove();
  setTimeout(() => shown.remove(), kind === "error" ? 7000 : 4000);
}

// An error is about the last thing that somebody did: what is done next removes it.
export const forgetErrors = () => document.querySelectorAll("#toasts .error").forEach((shown) => shown.remove());

// Copies a text, and says so; where a page may not, the text is shown.
export async function copy(text, said = "Copied.") {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    prompt("To copy:", text);
  }
}

export const copyLink = () => copy(location.href, "Link copied: whoever opens it sees this game.");

// Asks a question in a dialog; whether it was answered with yes.
export function confirmed(question, yes) {
  return new Promise((resolve) => {
    const dialog = /** @type {HTMLDialogElement} */ (
      h("dialog", { class: "card", "aria-label": question }, [
        h("form", { method: "dialog" }, [
          h("p", {}, question),
          h("p", { class: "row" }, [
            h("button", { value: "yes" }, yes),
            h("button", { value: "", class: "quiet", autofocus: true }, "No"),
          ]),
        ]),
      ])
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// The text as a sentence, with a capital, unless it begins with a name: "my-agent: …", "path/to/agent …", "agent.zip …".
export function capital(text) {
  return text && !/^\S*(:|[/.]\S)/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
}

export function seconds(value) {
  const whole = Math.floor(value);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// Gives somebody a file.
/** @param {string} name @param {BlobPart} content */
export function download(name, content) {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
