// The plane of reward and violation: every policy a point with whiskers (95 % intervals), one plane a
// cost. To the right of the line the budget, or the promise, was broken. Up and left is better.

function plane_points(data, policies, i) {
  const points = policies.filter(is_shown).map((policy) => ({
    policy, y: policy.reward,
    x: is_number(data.budgets[i]) ? policy.spend?.[i] : policy.ccv?.[i],
  }));
  const references = data.references.map((reference) => (
      {reference, y: reference.reward, x: reference.spend?.[i]}));
  return [...points, ...references].filter((point) => has_mean(point.x) && has_mean(point.y));
}

const ends = (f) => (has_interval(f) ? [f.low, f.mean, f.high] : [f.mean]);

function padded([low, high], share) {
  const room = (high - low) * share || Math.abs(low) * 0.1 || 1;
  return [low - room, high + room];
}

// The side beyond the limit, shaded and named.
function draw_limit(frame, limit, words) {
  const {svg, x, box, width, height, margin} = frame;
  const at = x(limit), right = width - margin.right;
  const id = "hatch_" + kCharts.length + "_" + Math.round(at);
  const hatch = svg.append("defs").append("pattern").attr("id", id).attr("width", 6).attr("height", 6)
      .attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)");
  hatch.append("line").attr("y2", 6).attr("class", "hatch");
  if (at < right) {
    box.append("rect").attr("x", at).attr("y", margin.top).attr("width", right - at)
        .attr("height", height - margin.bottom - margin.top).attr("fill", `url(#${id})`);
  }
  box.append("line").attr("class", "rule").attr("data-line", "limit").attr("data-value", limit)
      .attr("x1", at).attr("x2", at).attr("y1", margin.top).attr("y2", height - margin.bottom);
  const room = right - at > 90;
  box.append("text").attr("class", "rule_label").attr("x", at + (room ? 6 : -6)).attr("y", margin.top + 12)
      .attr("text-anchor", room ? "start" : "end").text(room ? words.beyond : words.limit);
}

function draw_whiskers(group, frame, point, stroke) {
  const {x, y} = frame;
  const line = (x1, y1, x2, y2) => group.append("line").attr("class", "whisker").attr("stroke", stroke)
      .attr("x1", x1).attr("y1", y1).attr("x2", x2).attr("y2", y2);
  const cx = x(point.x.mean), cy = y(point.y.mean);
  if (has_interval(point.x)) line(x(point.x.low), cy, x(point.x.high), cy);
  if (has_interval(point.y)) line(cx, y(point.y.low), cx, y(point.y.high));
}

function draw_point(frame, point) {
  const {x, y, box} = frame;
  const at = `translate(${x(point.x.mean)},${y(point.y.mean)})`;
  if (point.reference) {
    const group = box.append("g").attr("class", "reference");
    draw_whiskers(group, frame, point, "var(--ink-soft)");
    group.append("path").attr("class", "hollow").attr("d", d3.symbol().type(d3.symbolDiamond).size(70)())
        .attr("transform", at).attr("data-reference", point.reference.name)
        .attr("data-x", point.x.mean).attr("data-y", point.y.mean);
    return;
  }
  const {index} = point.policy;
  const group = box.append("g").attr("data-of", index);
  draw_whiskers(group, frame, point, colour(index));
  group.append("path").attr("class", "marker point").attr("d", marker_path(index, 80)).attr("fill", colour(index))
      .attr("transform", at).attr("data-policy", index)
      .attr("data-x", point.x.mean).attr("data-y", point.y.mean)
      .append("title").text(`${point.policy.label}: reward ${figure_phrase(point.y)}, cost ${figure_phrase(point.x)}`);
}

// A place for each label beside its point that covers no other label and no other point.
function place_labels(frame, points, wide) {
  const {x, y, width, height, margin} = frame;
  const dots = points.map((point) => ({x: x(point.x.mean), y: y(point.y.mean)}));
  const taken = dots.map((dot) => ({left: dot.x - 6, right: dot.x + 6, top: dot.y - 6, bottom: dot.y + 6}));
  const hits = (box, own) => taken.some((other, i) => i !== own && box.left < other.right &&
      box.right > other.left && box.top < other.bottom && box.bottom > other.top);
  return points.map((point, own) => {
    const text = point.reference ? point.reference.name : wide ? cut(point.policy.label, 28) : point.policy.letter;
    const long = 6.5 * text.length, {x: cx, y: cy} = dots[own];
    const right = Math.max(9, has_interval(point.x) ? x(point.x.high) - cx + 5 : 0);
    const left = -long - Math.max(9, has_interval(point.x) ? cx - x(point.x.low) + 5 : 0);
    const tries = [[right, 0], [left, 0], [8, -12], [8, 12], [-8 - long, -12], [-8 - long, 12], [-long / 2, -17],
                   [-long / 2, 17], [8, -24], [8, 24], [-8 - long, -24], [-8 - long, 24]];
    const boxes = tries.map(([dx, dy]) => ({left: cx + dx, right: cx + dx + long, top: cy + dy - 6, bottom: cy + dy + 6}));
    const inside = boxes.filter((box) => box.left > margin.left && box.right < width - 2 &&
                                         box.top > margin.top - 6 && box.bottom < height - margin.bottom);
    const best = inside.find((box) => !hits(box, own)) ?? inside[0] ?? boxes[0];
    taken.push(best);
    return {point, text, x: best.left, y: best.top + 6};
  });
}

function draw_plane(host, width, data, policies, i) {
  const points = plane_points(data, policies, i);
  const budget = data.budgets[i], cost = data.costs[i];
  const limit = is_number(budget) ? budget : 0;
  const wide = width >= 480;
  const frame = make_frame(host, {
    width, height: width >= 700 ? 400 : wide ? 330 : 290, margin: {top: 24, right: 14, bottom: 36, left: 50},
    x: {domain: padded(d3.extent([limit, ...points.flatMap((point) => ends(point.x))]), 0.06),
        label: is_number(budget) ? `total ${cost}` : `CCV of ${cost}`},
    y: {domain: padded(d3.extent(points.flatMap((point) => ends(point.y))), 0.08), label: "reward"},
    label: `Reward against ${cost}, limit ${number(limit)}. ` + points.map((point) =>
        `${point.reference ? point.reference.name : point.policy.label}: reward ${number(point.y.mean)}, ` +
        `${cost} ${number(point.x.mean)}`).join("; ") + ".",
  });
  draw_limit(frame, limit, is_number(budget) ? {beyond: "over budget →", limit: "budget"} :
                                               {beyond: "promise broken →", limit: "promise"});
  for (const point of points) draw_point(frame, point);
  for (const {point, text, x, y} of place_labels(frame, points, wide)) {
    frame.box.append("text").attr("class", point.reference ? "end_label reference" : "end_label")
        .attr("x", x).attr("y", y).attr("dy", "0.34em").attr("data-of", point.policy ? point.policy.index : null)
        .text(text);
  }
}
