// Charts over the history. Each has its words for a screen reader and its numbers as a table. They
// are drawn at most once per second, and only when the history has changed.

const kChartPause = 1000;

// Lines over decisions or time: `panel.lines` is [{name, dash, points: [{x, y}]}].
function draw_lines(host, width, panel) {
  const lines = panel.lines.filter((line) => line.points.length > 0);
  if (lines.length === 0) return void host.append(el("p", {class: "empty"}, "Nothing to show yet."));
  const all = lines.flatMap((line) => line.points), named = lines.length > 1;
  const frame = make_frame(host, {
    width, height: width >= 480 ? 230 : 200, margin: {top: 16, right: named ? 66 : 18, bottom: 36, left: 46},
    x: axis_options(all.map((p) => p.x)),
    y: {domain: d3.extent([...all.map((p) => p.y), 0])},
  });
  const {x, y, box, height, margin} = frame;
  for (const [i, line] of lines.entries()) {
    box.append("g").attr("class", "series").append("path").attr("class", "line").attr("stroke", colour(i))
        .attr("stroke-dasharray", dash(i)).attr("data-last", line.points[line.points.length - 1].y)
        .attr("d", d3.line().x((p) => x(p.x)).y((p) => y(p.y))(line.points));
  }
  if (!named) return;
  const labels = lines.map((line) => ({line, y: y(line.points[line.points.length - 1].y)}));
  for (const label of spread(labels, 14, margin.top + 4, height - margin.bottom - 2)) {
    box.append("text").attr("class", "end_label").attr("x", width - margin.right + 6).attr("y", label.at).attr("dy", "0.34em")
        .text(cut(label.line.name, 9));
  }
}

// Shares on top of each other: `panel.stack` is {names, shares: [{x, of}]}. Letters name them.
function draw_stack(host, width, panel) {
  const {names, shares} = panel.stack;
  if (shares.length === 0) return void host.append(el("p", {class: "empty"}, "Nothing to show yet."));
  const {x, y, box, height, margin} = make_frame(host, {
    width, height: width >= 480 ? 230 : 200, margin: {top: 16, right: 34, bottom: 36, left: 46},
    x: axis_options(shares.map((p) => p.x)),
    y: {domain: [0, 1], tick: percent_tick, nice: false},
  });
  const below = (p, i) => d3.sum(p.of.slice(0, i)), last = shares[shares.length - 1];
  const labels = names.map((_, i) => {
    const points = shares.length > 1 ? shares : [{x: x.domain()[0], of: last.of}, last];
    box.append("path").attr("class", "layer").attr("fill", colour(i)).attr("data-last", last.of[i])
        .attr("d", d3.area().x((p) => x(p.x)).y0((p) => y(below(p, i))).y1((p) => y(below(p, i + 1)))(points));
    return {i, y: y(below(last, i) + last.of[i] / 2)};
  });
  for (const label of spread(labels, 13, margin.top + 4, height - margin.bottom - 2)) {
    box.append("text").attr("class", "end_label").attr("x", width - margin.right + 7).attr("y", label.at).attr("dy", "0.34em")
        .text(letter(label.i));
  }
}

const last_text = (panel) => (panel.stack ?
    panel.stack.names.map((name, i) => `${name} ${percent(panel.stack.shares[panel.stack.shares.length - 1]?.of[i])}`) :
    panel.lines.map(({name, points}) => `${name} ${number(points[points.length - 1]?.y)}`)).join(", ");

// The numbers of a panel as they stand when the table is opened. They do not move while it is read.
function numbers_table(panel) {
  const names = panel.stack ? panel.stack.names : panel.lines.map((line) => line.name), rows = new Map();
  const put = (x, i, text) => rows.set(x, Object.assign(rows.get(x) ?? [], {[i]: text}));
  panel.lines?.forEach((line, i) => line.points.forEach((p) => put(p.x, i, number(p.y))));
  panel.stack?.shares.forEach((p) => p.of.forEach((share, i) => put(p.x, i, percent(share))));
  const sorted = [...rows].sort(([a], [b]) => b - a);
  return scroller(`${panel.title}: numbers`, el("table", {class: "plain"},
      el("caption", {}, `${panel.title}, newest first. Open again to refresh.`),
      el("thead", {}, el("tr", {}, [kAxis.by === "time" ? "Time" : "Decisions", ...names].map((name) => el("th", {scope: "col"}, name)))),
      el("tbody", {}, sorted.map(([x, texts]) => el("tr", {}, el("th", {scope: "row"}, x_text(x)),
                                                    names.map((_, i) => el("td", {}, texts[i] ?? kNone)))))));
}

// A chart that follows the data: make(live) returns its panel {title, lines or stack}.
function live_chart(options, make) {
  let panel = null, drawn_key = "", drawn_at = -Infinity;
  const figure = chart({...options, note: options.note}, (host, width) => {
    if (panel === null) return;
    (panel.stack ? draw_stack : draw_lines)(host, width, panel);
    set_attribute(host, "aria-label", `${options.title}. Now: ${last_text(panel)}.`);
  });
  const entry = kCharts[kCharts.length - 1], key = el("ul", {class: "key"});
  const numbers = el("details", {class: "numbers"}, el("summary", {}, "Numbers"));
  numbers.addEventListener("toggle", () => {
    numbers.querySelector(".scroller")?.remove();
    if (numbers.open && panel !== null) numbers.append(numbers_table(panel));
  });
  entry.host.setAttribute("role", "img");
  figure.append(key, numbers);
  const draw = (live) => {
    panel = {title: options.title, ...make(live)};
    entry.redraw();
    set_key(key, panel);
  };
  return {figure, draw, update(live, history_key) {
    if (history_key === drawn_key || performance.now() - drawn_at < kChartPause) return;
    [drawn_key, drawn_at] = [history_key, performance.now()];
    draw(live);
  }};
}

// What each line or area is, and where it stands now.
function set_key(list, panel) {
  const last = panel.stack?.shares[panel.stack.shares.length - 1];
  const entries = panel.stack ? panel.stack.names.map((name, i) => ({name, i, x: last?.of[i], text: percent(last?.of[i])})) :
      panel.lines.map(({name, points}, i) => ({name, i, x: points[points.length - 1]?.y})).filter(({x}) => is_number(x))
          .map((entry) => ({...entry, text: number(entry.x)}));
  const sign = (i) => (panel.stack ? el("span", {class: `badge of_${i % kColours}`}, letter(i)) : line_sign(i));
  const kept = list.kept ?? (list.kept = new Map());
  set_children(list, kept, entries, ({name, i}) => `${i} ${name}`, ({name, i}) => el("li", {}, sign(i), name, el("b", {})),
               (node, {x, text}) => set_number(node.lastChild, x, text));
}

const line_sign = (i) => svg_el("svg", {viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true"},
    svg_el("line", {x1: 1, x2: 25, y1: 4, y2: 4, stroke: colour(i), "stroke-width": 2, "stroke-dasharray": dash(i)}));
