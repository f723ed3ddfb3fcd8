// The frame of every chart: scales, grid, axes, a box to draw in. Charts are SVG: they print sharp,
// follow the page's colours, and their text is text.

const kCharts = [];  // all charts of the page, so that the legend and the printer can redraw them

// A figure with a title and a note. `draw(host, width)` fills the host, and runs again when the width
// or what is shown changes.
function chart(options, draw) {
  const host = el("div", {class: "plot", "data-chart": options.id});
  const figure = el("figure", {class: "chart " + (options.class ?? "")},
                    el("figcaption", {}, el("h3", {}, options.title),
                       options.note ? el("p", {}, options.note) : null), host);
  const entry = {host, width: 0, redraw(width = entry.width) {
    entry.width = width;
    host.replaceChildren();
    if (width > 0) draw(host, width);
  }};
  kCharts.push(entry);
  new ResizeObserver(() => {
    const width = Math.floor(host.clientWidth);
    if (width > 0 && Math.abs(width - entry.width) > 1 && !printing()) entry.redraw(width);
  }).observe(host);
  return figure;
}

const redraw_all = () => kCharts.forEach((entry) => entry.redraw());

// On paper two charts stand side by side; they are drawn for that width and put back afterwards.
const kPaperWidth = 340;
let on_paper = false;
const printing = () => on_paper;
addEventListener("beforeprint", () => {
  on_paper = true;
  for (const entry of kCharts) {
    entry.screen_width = entry.width;
    const wide = entry.host.closest(".wide") !== null;
    entry.redraw(wide ? 2 * kPaperWidth : kPaperWidth);
  }
});
addEventListener("afterprint", () => {
  on_paper = false;
  for (const entry of kCharts) entry.redraw(entry.screen_width);
});

function scale_of(axis, range) {
  const scale = axis.time ? d3.scaleTime() : axis.log ? d3.scaleLog() : d3.scaleLinear();
  let [low, high] = axis.domain;
  if (!(high > low)) {  // one value, or none: room on both sides
    const room = axis.log ? 1 : Math.abs(low) * 0.1 || 1;
    [low, high] = axis.log ? [low / 2, low * 2] : [low - room, low + room];
  }
  scale.domain([low, high]).range(range);
  return axis.nice === false ? scale : scale.nice();
}

// Ticks of a log axis: powers of ten where there are enough, else some values between them.
function ticks_of(scale, axis, most) {
  if (axis.ticks) return axis.ticks;
  if (!axis.log) return scale.ticks(Math.max(2, most));
  const [low, high] = scale.domain(), powers = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) powers.push(power);
  const ticks = (steps) => powers.flatMap((power) => steps.map((step) => step * 10 ** power))
      .filter((value) => value >= low * 0.999 && value <= high * 1.001);
  const all = [[1], [1, 3], [1, 2, 5]].map(ticks).find((found) => found.length > 1) ?? scale.ticks(3);
  const every = Math.ceil(all.length / Math.max(2, most));
  return all.filter((_, i) => i % every === 0);
}

// Draws axes and grid. `options`: width, height, margin, x and y {domain, label, log, time, tick, nice}, label.
function make_frame(host, options) {
  const {width, height, margin} = options;
  const x = scale_of(options.x, [margin.left, width - margin.right]);
  const y = scale_of(options.y, [height - margin.bottom, margin.top]);
  const svg = d3.select(host).append("svg").attr("viewBox", `0 0 ${width} ${height}`)
      .attr("role", options.label ? "img" : null).attr("aria-label", options.label ?? null)
      .attr("aria-hidden", options.label ? null : "true")  // then the host has the words
      .attr("data-x-domain", x.domain().map(Number).join(" ")).attr("data-x-range", x.range().join(" "))
      .attr("data-y-domain", y.domain().join(" ")).attr("data-y-range", y.range().join(" "));
  const x_ticks = ticks_of(x, options.x, Math.min(8, (width - margin.left - margin.right) / 70));
  const y_ticks = ticks_of(y, options.y, (height - margin.top - margin.bottom) / 42);
  svg.append("g").attr("class", "grid").selectAll("line").data(y_ticks).enter().append("line")
      .attr("x1", margin.left).attr("x2", width - margin.right).attr("y1", y).attr("y2", y)
      .classed("zero", (value) => value === 0);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - margin.bottom})`)
      .call(d3.axisBottom(x).tickValues(x_ticks).tickFormat(options.x.tick ?? tick).tickSize(5).tickPadding(4));
  svg.append("g").attr("class", "axis y").attr("transform", `translate(${margin.left},0)`)
      .call(d3.axisLeft(y).tickValues(y_ticks).tickFormat(options.y.tick ?? tick).tickSize(0).tickPadding(6));
  svg.append("text").attr("class", "axis_label").attr("x", width - margin.right).attr("y", height - 4)
      .attr("text-anchor", "end").text(options.x.label ?? "");
  if (options.y.label) {
    svg.append("text").attr("class", "axis_label").attr("x", 2).attr("y", 10).text(options.y.label);
  }
  return {svg, x, y, width, height, margin, box: svg.append("g")};
}

// Moves labels apart: at least `gap` between neighbours, inside [low, high] while there is room, each
// group that had to make room centred on where its members wanted to be.
function spread(labels, gap, low, high) {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  const groups = [];  // {labels, want: centre, top}
  const settle = (group) => {
    const half = gap * (group.labels.length - 1) / 2;
    group.top = Math.max(low, Math.min(high - 2 * half, group.want / group.labels.length - half));
    group.end = group.top + 2 * half;
  };
  for (const label of sorted) {
    groups.push({labels: [label], want: label.y});
    settle(groups[groups.length - 1]);
    while (groups.length > 1 && groups[groups.length - 2].end + gap > groups[groups.length - 1].top) {
      const last = groups.pop(), into = groups[groups.length - 1];
      into.labels.push(...last.labels);
      into.want += last.want;
      settle(into);
    }
  }
  for (const group of groups) group.labels.forEach((label, i) => { label.at = group.top + i * gap; });
  return sorted;
}
