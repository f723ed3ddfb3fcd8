// The tiles: one number each, and a line of further ones.

const latency_text = (of) => (of?.count === 0 ? kNone : `${milliseconds(of?.p50).replace(" ms", "")} · ${milliseconds(of?.p99)}`);

// name, title, what is shown, the number behind it, and the line below.
const kTiles = [
  {name: "decided", title: "Decisions", raw: (live) => live.counts?.decided, text: count,
   extra: (live) => `${count(live.counts?.learned)} with a complete outcome`},
  {name: "reward", title: "Mean reward", raw: (live) => live.reward?.mean, text: (x) => number(x),
   extra: (live) => `of ${count(live.reward?.count ?? 0)} rewards`},
  {name: "rate", title: "Decisions per second", raw: (live) => live.rate?.decide, text: per_second,
   extra: (live) => `outcomes ${per_second(live.rate?.outcome)}, last 10 s`},
  {name: "latency", title: "Latency, p50 · p99", raw: (live) => live.latency?.decide?.p99,
   text: (_, live) => latency_text(live.latency?.decide),
   extra: (live) => `outcomes ${latency_text(live.latency?.outcome)}`},
  {name: "open", title: "Open decisions", raw: (live) => live.counts?.open, text: count,
   extra: () => "outcome not complete yet"},
  {name: "held", title: "Held", raw: (live) => Object.values(live.held ?? {})[0], text: (_, live) => amounts(live.held),
   extra: () => "for costs of open decisions"},
  {name: "refused", title: "Refused", raw: (live) => live.counts?.refused, text: count,
   extra: () => "decisions that got no action"},
  {name: "journal", title: "Journal entries", raw: (live) => live.journal?.entries, text: count,
   extra: (live) => `commit ${latency_text(live.journal?.commit_ms)}`},
];

function tiles_part() {
  const root = el("section", {"aria-labelledby": "now_title", id: "now"}, el("h2", {id: "now_title", class: "spoken"}, "Now"),
      el("dl", {class: "tiles numbers"}, kTiles.map(({name, title}) => el("div", {class: "tile"}, el("dt", {}, title),
          el("dd", {class: "value", "data-field": name}, kNone), el("dd", {class: "extra"})))));
  return {root, update(live) {
    for (const tile of kTiles) {
      const node = field_of(root, tile.name), raw = tile.raw(live);
      set_number(node, raw, tile.text(raw, live));
      set_text(node.nextElementSibling, tile.extra(live));
    }
  }};
}
