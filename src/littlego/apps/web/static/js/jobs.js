// The line of jobs at the top: what runs, what waits and for what, each with a way to stop it.

import { get, listen, post } from "./api.js";
import { capital, h, plural, replace, toast } from "./dom.js";
import { progressOf } from "./progress.js";

export function showJobs(element) {
  const summary = h("summary", {});
  const list = h("ul", { class: "plain", "aria-label": "Jobs" });
  const box = h("details", {}, summary, list);
  listen(
    "jobs",
    (news) => draw(news.jobs),
    async () => draw(await get("/api/jobs/queue")),
  );

  function draw(jobs) {
    const running = jobs.filter((job) => job.state === "running").length;
    const waiting = jobs.length - running;
    replace(element, jobs.length > 0 && box);
    replace(summary, `${plural(running, "job")} running${waiting ? `, ${waiting} waiting` : ""}`);
    replace(list, jobs.map(line));
  }

  function line(job) {
    return h(
      "li",
      { class: "row" },
      h("span", {}, `${job.title}: ${progressOf(job)}`),
      h("button", { class: "quiet small", "aria-label": `Stop ${job.title}`, onclick: () => stop(job) }, "Stop"),
    );
  }

  async function stop(job) {
    try {
      await post(`/api/jobs/${job.id}/cancel`);
    } catch (error) {
      toast(capital(error.message), "error");
    }
  }
}
