// The server's API, and its news over one WebSocket that comes back by itself.

import { h } from "./dom.js";
import { followJob, News } from "./news.js";

export class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, JSON.stringify(body), "application/json");
export const put = (path, blob) => call("PUT", path, blob, "application/octet-stream");
export const remove = (path) => call("DELETE", path);

async function call(method, path, body, type) {
  const headers = {};
  if (type) headers["content-type"] = type;
  let answer;
  try {
    answer = await fetch(path, { method, body, headers });
  } catch {
    news.suspect();
    throw new ApiError(0, "The server cannot be reached. Is it still running?");
  }
  if (answer.status === 401 && (await askToken())) return call(method, path, body, type);
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new ApiError(answer.status, told(data.detail) ?? `The server answered ${answer.status}.`);
  return data;
}

function told(detail) {
  if (Array.isArray(detail)) return detail.map((item) => `${item.loc.slice(1).join(".")}: ${item.msg}`).join("; ");
  return detail;
}

// Asks for the owner's token, once for all calls that need it; whether it was right. The browser has a cookie then.
let asking = null;

function askToken() {
  asking ??= tokenDialog().finally(() => {
    asking = null;
  });
  return asking;
}

function tokenDialog() {
  return new Promise((resolve) => {
    const field = h("input", { name: "token", required: true, autocomplete: "off", "aria-label": "Token" });
    const words = h("p", { role: "status" });
    const dialog = h(
      "dialog",
      { class: "card" },
      h(
        "form",
        { method: "dialog", onsubmit: enter },
        h("h2", {}, "This is for the owner"),
        h("p", {}, "Open the link that the server printed when it started, or give the token in its data directory:"),
        field,
        words,
        h(
          "p",
          { class: "row" },
          h("button", { value: "ok" }, "Enter"),
          h("button", { value: "", class: "quiet", formnovalidate: true }, "Not now"),
        ),
      ),
    );
    async function enter(event) {
      if (event.submitter?.value !== "ok") return;
      event.preventDefault();
      const body = JSON.stringify({ token: field.value.trim() });
      const answer = await fetch("/api/enter", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      if (answer.ok) dialog.close("ok");
      else words.textContent = "That is not the token of this server.";
    }
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "ok");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// News

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const news = new News({
  open: () => new WebSocket(`${scheme}//${location.host}/api/live`),
  onaway: () => dispatchEvent(new Event("away")),
  onback: () => dispatchEvent(new Event("back")),
});

// Calls `take` with each message of a topic, and `again` when news may have been missed. Returns how to stop.
export const listen = (topic, take, again) => news.listen(topic, take, again);

// Calls `draw` with a job, its result included, now and whenever it changes. Returns how to stop.
export const follow = (job, draw) => followJob(job, draw, { get, listen });

export const connect = () => news.connect();
