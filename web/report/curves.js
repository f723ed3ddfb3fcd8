// Curves over rounds: a line a policy (the mean over seeds) and its band (the 95 % interval), one
// panel a quantity and cost.

// What a series {mean, low, high} says at each of its rounds. Sums start at 0 before the first round.
function points_of(curves, series, options) {
  if (!curves || !series || !series.mean) return [];
  const shift = options.shift ?? (() => 0);
  const points = curves.rounds.map((round, i) => {
    const less = (x) => (is_number(x) ? x - shift(round) : null);
    return {round, mean: less(series.mean[i]), low: less(series.low?.[i]), high: less(series.high?.[i])};
  }).filter((point) => point.mean !== null);
  return options.from_zero && points.length ? [{round: 0, mean: 0, low: 0, high: 0}, ...points] : points;
}

// The panels that a result has, in the order of the page.
function curve_panels(data, policies) {
  const panels = [];
  const add = (panel) => {
    panel.points = policies.map((policy) => points_of(policy.curves, panel.of(policy.curves ?? {}), panel));
    if (panel.points.some((points) => points.length > 0)) panels.push(panel);
  };
  const named = (cost) => (data.costs.length > 1 ? `: ${cost}` : "");
  add({id: "reward", title: "Reward", note: "Sum of rewards so far, noise included.", from_zero: true,
       of: (curves) => curves.reward});
  add({id: "regret", title: "Regret", from_zero: true, of: (curves) => curves.regret,
       note: "Best of every round less what was played, summed. " + benchmark_note(policies)});
  data.costs.forEach((cost, i) => {
    const budget = data.budgets[i];
    const of = (curves) => curves.ccv?.[i];
    if (is_number(budget)) {
      add({id: `spend_${i}`, title: `Spend against budget${named(cost)}`, from_zero: true, of,
           note: `Sum of ${cost} so far, the even pace B t / T (dotted) and the total B = ${number(budget)}.`,
           total: budget, pace: budget});
      add({id: `ahead_${i}`, title: `CCV, ahead of the pace${named(cost)}`, from_zero: true, of,
           shift: (round) => budget * round / data.rounds,
           note: "Spend so far less B t / T. Above 0: faster than the budget allows."});
    } else {
      add({id: `ccv_${i}`, title: `CCV${named(cost)}`, from_zero: true, of,
           note: `Cumulative constraint violation: sum of ${cost}. Below 0 the promise was kept.`});
    }
    add({id: `price_${i}`, title: `Price${named(cost)}`, of: (curves) => curves.price?.[i],
         note: `Reward given up for a unit of ${cost}, at that round.`, cut: true, never_negative: true});
  });
  add({id: "explored", title: "Exploration", of: (curves) => curves.explored, tick: percent_tick,
       note: "Share of rounds so far whose action did not have the best score.", percent: true, never_negative: true});
  return panels;
}

function benchmark_note(policies) {
  const names = [...new Set(policies.map((policy) => policy.benchmark).filter(Boolean))];
  if (names.length === 1) return `Benchmark: ${names[0]}.`;
  return names.length ? "Benchmarks differ: see the table." : "";
}

// From the lowest to the highest end of a band. Where a few values of a panel that may be cut (prices at
// the start and the end) are far above the rest, the axis stops above the rest.
function y_extent(shown, panel) {
  const values = [0], means = [];
  for (const {points} of shown) {
    for (const point of points) {
      means.push(point.mean);
      values.push(point.mean, ...[point.low, point.high].filter(is_number));
    }
  }
  if (is_number(panel.total)) values.push(panel.total);
  let [low, high] = d3.extent(values);
  if (panel.never_negative) low = 0;  // intervals are symmetric and may reach below
  const usual = 1.5 * (d3.quantile(means, 0.95) ?? 0);
  const is_cut = Boolean(panel.cut) && usual > 0 && high > 4 * usual;
  return {domain: [low, is_cut ? usual : high], is_cut, highest: d3.max(means)};
}

// Says that lines leave the frame, and keeps them inside it.
function draw_cut(frame, extent) {
  const {svg, box, width, height, margin} = frame;
  const id = `inside_${++frames}`;
  svg.append("clipPath").attr("id", id).append("rect").attr("x", margin.left).attr("y", margin.top)
      .attr("width", width - margin.left - margin.right).attr("height", height - margin.top - margin.bottom);
  box.append("text").attr("class", "rule_label").attr("text-anchor", "middle")
      .attr("x", (margin.left + width - margin.right) / 2).attr("y", margin.top + 10).text(`cut; highest mean ${number(extent.highest)}`);
  frame.clip = `url(#${id})`;
}
let frames = 0;

// The straight lines that spending is measured by.
function draw_budget(frame, panel, rounds) {
  const {x, y, box, width, margin} = frame;
  const right = width - margin.right;
  box.append("line").attr("class", "rule").attr("data-line", "budget").attr("data-value", panel.total)
      .attr("x1", margin.left).attr("x2", right).attr("y1", y(panel.total)).attr("y2", y(panel.total));
  box.append("line").attr("class", "rule pace").attr("data-line", "pace")
      .attr("x1", x(0)).attr("y1", y(0)).attr("x2", x(rounds)).attr("y2", y(panel.pace));
  box.append("text").attr("class", "rule_label").attr("x", margin.left + 6).attr("y", y(panel.total) - 5)
      .text("budget");
}

function draw_series(frame, {policy, points}, crowd) {
  const {x, y, box} = frame;
  const {index} = policy;
  const group = box.append("g").attr("class", "series").attr("data-of", index);
  const banded = points.filter((point) => point.low !== null && point.high !== null);
  if (frame.clip) group.attr("clip-path", frame.clip);
  group.append("path").attr("class", "band").attr("fill", colour(index)).attr("opacity", crowd > 6 ? 0.1 : 0.16)
      .attr("d", d3.area().x((p) => x(p.round)).y0((p) => y(p.low)).y1((p) => y(p.high))(banded));
  const last = points[points.length - 1];
  group.append("path").attr("class", "line").attr("stroke", colour(index)).attr("stroke-dasharray", dash(index))
      .attr("data-policy", index).attr("data-last", last.mean).attr("data-points", points.length)
      .attr("d", d3.line().x((p) => x(p.round)).y((p) => y(p.mean))(points));
  const step = Math.max(1, Math.floor(points.length / 4));
  const marked = points.filter((_, i) => i === points.length - 1 ||
                                         (i > 0 && (i + 3 * index) % step === 0 && i < points.length - 4));
  group.selectAll(".marker").data(marked).enter().append("path").attr("class", "marker")
      .attr("fill", colour(index)).attr("d", marker_path(index, 30))
      .attr("transform", (p) => `translate(${x(p.round)},${y(p.mean)})`);
}

// Names at the ends of the lines; letters alone where there is little room.
function draw_end_labels(frame, shown, wide) {
  const {x, y, box, margin, height} = frame;
  const labels = shown.map(({policy, points}) => {
    const last = points[points.length - 1];
    return {policy, x: x(last.round), y: Math.max(margin.top, y(last.mean))};
  });
  for (const label of spread(labels, 13, margin.top + 4, height - margin.bottom - 2)) {
    const group = box.append("g").attr("data-of", label.policy.index);
    group.append("path").attr("class", "leader")
        .attr("d", `M${label.x + 5},${label.y}L${label.x + 13},${label.at}`);
    group.append("text").attr("class", "end_label").attr("x", label.x + 16).attr("y", label.at).attr("dy", "0.34em")
        .text(wide ? cut(label.policy.label, 24) : label.policy.letter);
  }
}

function draw_curves(host, width, panel, data, policies) {
  const shown = policies.map((policy) => ({policy, points: panel.points[policy.index]}))
      .filter(({policy, points}) => is_shown(policy) && points.length > 0);
  const wide = width >= 480;
  const longest = Math.max(1, ...shown.map(({policy}) => Math.min(24, policy.label.length)));
  const height = wide ? 290 : 250, extent = y_extent(shown, panel);
  const frame = make_frame(host, {
    width, height, margin: {top: 16, right: wide ? 26 + 6.4 * longest : 36, bottom: 36, left: 46},
    x: {domain: [0, data.rounds], label: "rounds", nice: false},
    y: {domain: extent.domain, tick: panel.tick},
    label: `${panel.title} over ${count(data.rounds)} rounds. ` + shown.map(({policy, points}) =>
        `${policy.label} ends at ${read_out(panel, points[points.length - 1])}`).join("; ") + ".",
  });
  if (is_number(panel.total)) draw_budget(frame, panel, data.rounds);
  if (extent.is_cut) draw_cut(frame, extent);
  for (const series of shown) draw_series(frame, series, shown.length);
  draw_end_labels(frame, shown, wide);
  if (shown.length > 0) add_probe(host, frame, panel, shown);
}

const read_out = (panel, point) => (panel.percent ? percent(point.mean) : number(point.mean));
