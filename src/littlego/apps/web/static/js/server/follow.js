// How pages follow what changes on the server: they look again, often while something runs.

import { UNFINISHED } from "./progress.js";

const EVERY = 1000; // milliseconds between two looks at a job that runs or waits
const AWAY = 5000; // and while the server cannot be reached

// The event of a window after which jobs may have changed: one was begun, stopped or resumed, or has ended.
export const CHANGED = "jobs";

// Calls `draw` with a job, its result included, now and whenever it changes. Returns how to stop.
export function followJob(job, draw, { get, window, later = (action, wait) => setTimeout(action, wait) }) {
  let shown = job;
  let stopped = false;
  let looking = 0; // the number of the last look: an earlier one is no longer wanted
  const look = async () => {
    const mine = ++looking;
    let wait = EVERY;
    try {
      const next = await get(`/api/jobs/${job.id}?seen=${shown.result_version}`);
      if (stopped || mine !== looking) return;
      if (next.result_version === shown.result_version) next.result = shown.result;
      const was = shown.state;
      shown = next;
      draw(shown);
      if (shown.state !== was) tell();
    } catch (error) {
      if (error.status) return; // it was deleted, or is no longer ours
      wait = AWAY;
    }
    again(wait);
  };
  const again = (wait) => {
    const last = looking;
    if (!stopped && UNFINISHED.includes(shown.state)) later(() => !stopped && last === looking && look(), wait);
  };
  // The others: whoever lists jobs would else offer to stop one that is over, and not the one that was just begun.
  const tell = () => {
    window.removeEventListener(CHANGED, look);
    window.dispatchEvent(new Event(CHANGED));
    if (!stopped) window.addEventListener(CHANGED, look);
  };
  draw(shown);
  again(EVERY);
  tell();
  return () => {
    stopped = true;
    window.removeEventListener(CHANGED, look);
  };
}
