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
  const token = localStorage.getItem("token");
  if (token) headers.authorization = `Bearer ${token}`;
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

function askToken() {
  return new Promise((resolve) => {
    const field = h("input", { name: "token", required: true, autocomplete: "off", "aria-label": "Token" });
    const dialog = h(
      "dialog",
      { class: "card" },
      h(
        "form",
        { method: "dialog" },
        h("h2", {}, "Token"),
        h("p", {}, "This server is open to others. Whoever started it saw a token printed; it is asked for once."),
        field,
        h(
          "p",
          { class: "row" },
          h("button", { value: "ok" }, "Go on"),
          h("button", { value: "", class: "quiet", formnovalidate: true }, "Not now"),
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "ok") localStorage.setItem("token", field.value.trim());
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
