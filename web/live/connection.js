// The connection line: whether the page is up to date, and since when not. The word is announced when
// it changes; the seconds beside it are not.

function connection_line(host) {
  const word = el("span", {class: "word", role: "status", "data-field": "connection"}, "connecting");
  const since = el("span", {class: "since", "data-field": "since"});
  const pause = el("button", {type: "button", class: "quiet", id: "pause"}, "Pause");
  host.append(word, since, pause);
  let state = "connecting", last = null, at = null, reason = null, next_try = null, paused = null;

  const ago = () => (last === null ? "no update so far" : `last update ${duration((Date.now() - last) / 1000)} ago`);
  function draw() {
    const silent = last !== null && Date.now() - last > 3000;
    const words = {open: silent ? "no news" : "live", lost: "not connected", connecting: "connecting"};
    const shown = state === "connecting" && last !== null ? "not connected" : words[state];
    set_text(word, paused !== null ? "paused" : shown);
    host.dataset.state = paused !== null ? "paused" : shown === "live" ? "live" : "lost";
    if (paused !== null) set_text(since, `showing ${clock(paused)}` + (shown === "live" ? "" : `; ${shown}, ${ago()}`));
    else if (shown === "live") set_text(since, at === null ? "" : `updated ${clock(at)}`);
    else if (shown === "connecting") set_text(since, "");
    else set_text(since, ago() + (reason ? `: ${reason}` : "") + (next_try === null ? "" :
                         `; next try in ${duration(Math.max(0, next_try - Date.now()) / 1000 + 0.5)}`));
  }
  setInterval(draw, 1000);

  const line = {
    is_paused: () => paused !== null,
    connecting() { state = "connecting"; next_try = null; draw(); },
    opened() { state = "open"; reason = null; draw(); },
    updated() { last = Date.now(); },
    // What is on the page is of this time of the service.
    showing(seconds) { at = seconds; draw(); },
    // Resolves when it is time to try again: after `wait` seconds, or at once when the network is back.
    lost(why, wait = 0) {
      state = "lost";
      reason = why;
      const ms = 1000 * wait * (0.8 + 0.4 * Math.random());  // so that many pages do not come at once
      next_try = wait > 0 ? Date.now() + ms : null;
      draw();
      return new Promise((done) => {
        const timer = setTimeout(go, ms);
        function go() {
          clearTimeout(timer);
          removeEventListener("online", go);
          done();
        }
        addEventListener("online", go);
      });
    },
    on_resume: () => {},
  };
  pause.addEventListener("click", () => {
    paused = paused === null ? at ?? Date.now() / 1000 : null;
    set_text(pause, paused === null ? "Pause" : "Resume");
    draw();
    if (paused === null) line.on_resume();
  });
  draw();
  return line;
}
