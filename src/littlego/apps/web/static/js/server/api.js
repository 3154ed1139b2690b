// The server's API, and what happens while the server is away.

import { capital, h } from "../dom.js";
import { Away } from "./away.js";
import { followJob } from "./follow.js";

class ApiError extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

// Paths, bodies and answers are checked against the API's own description: tests/apps/web/api_types.py.
/** @type {Api.Get} */
export const get = (path) => call("GET", path);
/** @type {Api.Post} */
export const post = (path, body = {}) => call("POST", path, JSON.stringify(body), "application/json");
/** @type {Api.Put} */
export const put = (path, blob) => call("PUT", path, blob, "application/octet-stream");
/** @type {Api.Delete} */
export const remove = (path) => call("DELETE", path);

// What the server is, and who we are to it. Asked for once; those who sign in may be somebody else.
let known = null;

/** @returns {Promise<Api.About>} */
export function about() {
  known ??= fetch("api/about").then(
    (answer) => {
      if (!answer.ok) throw new ApiError(answer.status, "There is no server here.");
      return answer.json();
    },
    () => {
      known = null; // perhaps it is only away
      throw new ApiError(0, "The server cannot be reached. Is it still running?");
    },
  );
  return known;
}

// Whether there is a server, and it has something for this visitor: "agents", "tournaments". A static host has nothing.
export const offers = (what) =>
  about().then(
    (server) => server.offers.includes(what),
    () => false,
  );

/** @param {BodyInit} [body] @param {string} [type] @returns {Promise<any>} */
async function call(method, path, body, type) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (type) headers["content-type"] = type;
  let answer;
  try {
    answer = await fetch(`.${path}`, { method, body, headers });
  } catch {
    away.suspect();
    throw new ApiError(0, "The server cannot be reached. Is it still running?");
  }
  const data = await answer.json().catch(() => ({}));
  if (answer.status === 401 && (await askToken(data.detail))) return call(method, path, body, type);
  const otherwise = answer.status === 404 ? "There is no server here." : `The server answered ${answer.status}.`;
  if (!answer.ok) throw new ApiError(answer.status, data.detail ?? otherwise);
  return data;
}

// Asks for a token, once for all calls that need it. True if it was right: then the browser has a cookie.
let asking = null;

function askToken(why) {
  asking ??= tokenDialog(why).finally(() => {
    asking = null;
  });
  return asking;
}

function tokenDialog(why = "enter your token") {
  return new Promise((resolve) => {
    const field = h("input", { name: "token", required: true, autocomplete: "off", "aria-label": "Token" });
    const message = h("p", { role: "status" });
    const dialog = h("dialog", { class: "card" }, [
      h("form", { method: "dialog", onsubmit: enter }, [
        h("h2", {}, "Sign in"),
        h("p", {}, `${capital(why)}.`),
        field,
        message,
        h("p", { class: "row" }, [
          h("button", { value: "ok" }, "Sign in"),
          h("button", { value: "", class: "quiet", formnovalidate: true }, "Cancel"),
        ]),
      ]),
    ]);
    async function enter(event) {
      if (event.submitter?.value !== "ok") return;
      event.preventDefault();
      const body = JSON.stringify({ token: field.value.trim() });
      const answer = await fetch("api/enter", {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      if (answer.ok) dialog.close("ok");
      else message.textContent = "Wrong token.";
    }
    dialog.addEventListener("close", () => {
      const entered = dialog.returnValue === "ok";
      dialog.remove();
      if (entered) {
        known = null;
        dispatchEvent(new Event("entered"));
      }
      resolve(entered);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

export async function signOut() {
  await post("/api/leave");
  location.assign("#/arena");
  location.reload();
}

const away = new Away({
  answers: () => fetch("api/about"),
  onaway: () => dispatchEvent(new Event("away")),
  onback: () => dispatchEvent(new Event("back")),
});

// The server did not answer: asks until it does.
export const suspect = () => away.suspect();

// Calls `draw` with a job, its result included, now and whenever it changes. Returns how to stop.
export const follow = (job, draw) => followJob(job, draw, { get, window });
