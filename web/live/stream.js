// One stream of events, kept open: it is opened again after errors, later each time.

const kWaits = [1, 2, 4, 8, 15];  // seconds before each further try
const kSilence = 10;              // seconds without a byte after which a stream counts as dead
const kUnseen = 5;                // seconds after which a hidden page lets go: browsers allow six streams per service

class Refused extends Error {  // an answer that is not 200
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// A GET of the API, with the token if there is one.
async function get(path, accept, signal) {
  const headers = {Accept: accept}, token = stored_token();
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, {headers, signal, cache: "no-store", credentials: "omit", redirect: "error"});
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  throw new Refused(response.status, answer?.error?.message ?? `the service answered ${response.status}`);
}

const get_json = async (path) => (await get(path, "application/json")).json();

// Reads events until the stream ends; every event is JSON and goes to `each`.
async function read_stream(path, on_open, each) {
  const control = new AbortController(), abort = () => control.abort();
  let silent = setTimeout(abort, 1000 * kSilence), unseen = null;
  const look = () => {
    clearTimeout(unseen);
    if (document.hidden) unseen = setTimeout(abort, 1000 * kUnseen);
  };
  document.addEventListener("visibilitychange", look);
  look();
  try {
    const response = await get(path, "text/event-stream", control.signal);
    on_open();
    const reader = response.body.getReader(), decoder = new TextDecoder(), feed = event_reader();
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      clearTimeout(silent);
      silent = setTimeout(abort, 1000 * kSilence);
      for (const data of feed(decoder.decode(value, {stream: true}))) each(JSON.parse(data));
    }
  } finally {
    document.removeEventListener("visibilitychange", look);
    clearTimeout(silent);
    clearTimeout(unseen);
    abort();
  }
}

const seen = () => (document.hidden ?
    new Promise((done) => document.addEventListener("visibilitychange", done, {once: true})) : Promise.resolve());

// Never returns. `shown` is the connection line of the page.
async function follow(path, shown, each) {
  for (let failures = 0;;) {
    let problem = null;
    await seen();
    try {
      shown.connecting();
      await read_stream(path, shown.opened, (data) => {
        failures = 0;
        shown.updated();
        each(data);
      });
    } catch (error) {
      problem = error;
    }
    if (problem instanceof Refused && problem.status === 401) {
      shown.lost("a token is needed");
      await ask_token(problem.message);
      continue;
    }
    const wait = kWaits[Math.min(failures++, kWaits.length - 1)];
    await shown.lost(problem instanceof Refused ? problem.message : null, wait);
  }
}
