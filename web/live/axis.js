// What the charts over time have on their x axis, decisions or hours and days, and how far back they go. One choice
// for all charts of the page.

const kAxis = {by: "decisions", seconds: null};
const kRanges = [["all", "all", null], ["week", "7 days", 604800], ["day", "24 hours", 86400], ["hour", "1 hour", 3600]];

// Where a point of the history is on the axis: milliseconds where it is time, as Date has them.
const x_of = (point) => (kAxis.by === "time" ? 1000 * point.at : point.decided);

// Whether a point is shown. The point before the first one has no time.
const is_in_range = (point, last) => is_number(point.at) ? kAxis.seconds === null || point.at >= last - kAxis.seconds :
    kAxis.by === "decisions" && kAxis.seconds === null;

// The x axis of a frame. `xs` are what is drawn.
function axis_options(xs) {
  if (kAxis.by === "decisions") return {domain: d3.extent(xs), label: "decisions", nice: false};
  const [low, high] = d3.extent(xs);
  const from = kAxis.seconds === null ? low : Math.min(low, high - 1000 * kAxis.seconds);
  return {domain: [from, high > from ? high : from + 1000], label: "time", nice: false, time: true, tick: time_tick};
}

// "14:30"; the day where one begins; seconds where they are not 0.
function time_tick(date) {
  const pad = (n) => String(n).padStart(2, "0"), [h, m, s] = [date.getHours(), date.getMinutes(), date.getSeconds()];
  if (h === 0 && m === 0 && s === 0) return `${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return [h, m, ...(s ? [s] : [])].map(pad).join(":");
}

const x_text = (x) => (kAxis.by === "time" ? clock(x / 1000) : count(x));

// Two lists to choose from; `changed` runs after each choice.
function axis_controls(changed) {
  const choice = (id, label, options, set) => {
    const list = el("select", {id}, options.map(([value, text]) => el("option", {value}, text)));
    list.addEventListener("change", () => { set(list.value); changed(); });
    return el("label", {}, label, " ", list);
  };
  return el("div", {class: "ask"},
      choice("axis", "Across", [["decisions", "decisions"], ["time", "time"]], (value) => { kAxis.by = value; }),
      choice("range", "Show", kRanges, (value) => { kAxis.seconds = kRanges.find(([name]) => name === value)[2]; }));
}
