// The charts of a what-if curve: reward, costs, price, shares of actions, effective size.

const kSmallestSize = 200;  // below it no band is given (docs/whatif.md)

function hatched(frame) {
  const id = `hatched_${++frames}`;
  const hatch = frame.svg.append("defs").append("pattern").attr("id", id).attr("width", 6).attr("height", 6)
      .attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)");
  hatch.append("line").attr("y2", 6).attr("class", "hatch");
  return `url(#${id})`;
}

// Budgets that no policy of the curve can keep.
function draw_impossible(frame, curve) {
  if (curve.points.every((point) => point.possible) || !is_number(curve.least)) return;
  const {x, box, margin, height} = frame;
  const right = Math.max(x.range()[0], Math.min(x(curve.least), x.range()[1]));
  box.append("rect").attr("x", margin.left).attr("y", margin.top).attr("width", right - margin.left)
      .attr("height", height - margin.top - margin.bottom).attr("fill", hatched(frame)).attr("data-mark", "impossible");
  if (right - margin.left > 80) {
    box.append("text").attr("class", "rule_label").attr("x", right - 6).attr("y", margin.top + 12)
        .attr("text-anchor", "end").text("cannot be met");
  }
}

function draw_level(frame, value, words, name) {
  const {y, box, width, margin} = frame;
  box.append("line").attr("class", "rule pace").attr("data-line", name).attr("data-value", value)
      .attr("x1", margin.left).attr("x2", width - margin.right).attr("y1", y(value)).attr("y2", y(value));
  box.append("text").attr("class", "rule_label").attr("x", margin.left + 6).attr("y", y(value) - 5).text(words);
}

// A line through the points of a list, with its band. `of(point)` is {mean, low, high}. A point of the
// priced policies without a band is hollow.
function draw_budget_line(frame, points, of, index, name) {
  const {x, y, box} = frame;
  const group = box.append("g").attr("class", "series");
  const banded = (point) => has_interval(of(point));
  const solid = (point) => name !== "priced" || banded(point);
  group.append("path").attr("class", "band").attr("fill", colour(index)).attr("opacity", 0.18).attr("data-band", name)
      .attr("d", d3.area().defined(banded).x((p) => x(p.budget)).y0((p) => y(of(p).low)).y1((p) => y(of(p).high))(points));
  group.append("path").attr("class", "line").attr("stroke", colour(index)).attr("stroke-dasharray", dash(index))
      .attr("data-line", name).attr("d", d3.line().x((p) => x(p.budget)).y((p) => y(of(p).mean))(points));
  group.selectAll(".marker").data(points).enter().append("path").attr("class", (p) => (solid(p) ? "marker" : "hollow"))
      .attr("fill", (p) => (solid(p) ? colour(index) : null)).attr("d", marker_path(index, points.length > 30 ? 16 : 30))
      .attr("data-x", (p) => p.budget).attr("data-y", (p) => of(p).mean)
      .attr("transform", (p) => `translate(${x(p.budget)},${y(of(p).mean)})`);
}

// The ends of the sensitivity bands: two dotted lines around the curve.
function draw_sensitivity(frame, points, head) {
  const {x, y, box} = frame;
  for (const end of ["low", "high"]) {
    box.append("path").attr("class", "rule sensitivity").attr("data-line", `sensitivity_${end}`)
        .attr("d", d3.line().defined((p) => p.sensitivity).x((p) => x(p.budget)).y((p) => y(if_wrong(p, head)[end]))(points));
  }
}

// What the log did: a diamond with whiskers both ways.
function draw_logged(frame, x_value, y_value) {
  const point = {x: alone(x_value), y: alone(y_value)};
  const group = frame.box.append("g").attr("class", "reference");
  draw_whiskers(group, frame, point, "var(--ink)");
  group.append("path").attr("class", "hollow").attr("d", d3.symbol().type(d3.symbolDiamond).size(80)())
      .attr("data-mark", "logged").attr("data-x", point.x.mean).attr("data-y", point.y.mean)
      .attr("transform", `translate(${frame.x(point.x.mean)},${frame.y(point.y.mean)})`);
}

const chart_height = (width, wide) => (width < 480 ? 250 : wide && width >= 700 ? 380 : 280);

// One head along the budgets. `head` is a name of the curve's heads.
function draw_head(host, width, curve, head, wide) {
  const points = possible_points(curve.points), of = (point) => joint(point.values[head]);
  const is_reward = head === curve.heads[0], is_cost = head === curve.cost;
  const fixed = is_reward ? possible_points(curve.fixed_mix) : [];
  const fixed_of = (point) => ({mean: point.values[head].value});
  const logged = curve.logged.values, limit = curve.limits.find((each) => each.head === head);
  const [low, high] = budget_domain(curve);
  const wrong = points.filter((point) => point.sensitivity);
  const values = [...points.flatMap((point) => ends(of(point))), ...wrong.flatMap((point) => ends(if_wrong(point, head))), ...fixed.map((point) => fixed_of(point).mean),
                  ...ends(alone(logged[head])), ...(limit ? [limit.amount] : [])].filter(is_number);
  const frame = make_frame(host, {
    width, height: chart_height(width, wide), margin: {top: 18, right: 18, bottom: 36, left: 50},
    x: {domain: padded([low, high], 0.02), nice: false, label: `budget: ${curve.cost} per round`},
    y: {domain: padded(d3.extent(values), 0.06), label: `${head} per round`},
  });
  draw_impossible(frame, curve);
  if (limit) draw_level(frame, limit.amount, `limit: ${limit_words(limit)}`, "limit");
  if (is_cost && points.length > 1) {
    const ends_of = [points[0].budget, points[points.length - 1].budget];
    frame.box.append("path").attr("class", "rule pace").attr("data-line", "equal")
        .attr("d", d3.line()(ends_of.map((b) => [frame.x(b), frame.y(b)])));
  }
  if (fixed.length) draw_budget_line(frame, fixed, fixed_of, 1, "fixed_mix");
  draw_budget_line(frame, points, of, 0, "priced");
  if (wrong.length) draw_sensitivity(frame, points, head);
  draw_logged(frame, logged[curve.cost], logged[head]);
  if (points.length) add_budget_probe(host, frame, curve, `${head}`, (point) => head_rows(curve, point, head));
}

function head_rows(curve, point, head) {
  const value = point.values[head], rows = [[`${head}`, number(value.value)]];
  if (has_interval(joint(value))) {
    const ends_in_words = (f) => { const t = figure_texts(f); return t.low === null ? kNone : `${t.low} to ${t.high}`; };
    rows.push(["95 %, all budgets together", ends_in_words(joint(value))],
              ["95 %, this budget alone", ends_in_words(alone(value))]);
  } else {
    rows.push(["95 % interval", is_number(value.error) && value.error === 0 ? "exact" : "none: see the warnings"]);
  }
  if (point.sensitivity) {
    const texts = figure_texts(if_wrong(point, head));
    rows.push([wrong_words(curve), `${texts.low} to ${texts.high}`]);
  }
  if (head === curve.heads[0]) {
    const mix = curve.fixed_mix.find((each) => each.budget === point.budget);
    rows.push(["best fixed mix", mix?.possible ? number(mix.values[head].value) : "none found"],
              ["price", number(point.price)],
              ...curve.limits.map((limit) => [`price of the limit on ${limit.head}`, number(point.held_price)]),
              ["effective size", count(point.effective_size)]);
  }
  return rows;
}

function add_budget_probe(host, frame, curve, title, rows_of) {
  const points = possible_points(curve.points);
  add_slider(host, frame, {
    label: `${title}: budget of ${curve.cost}`, places: points.map((point) => point.budget),
    shown: (budget, at) => {
      const rows = rows_of(points[at]), head = `${curve.cost} ${number(budget)} per round`;
      return {head, rows, spoken: `${head}: ` + rows.map(([name, text]) => `${name.textContent ?? name} ${text}`).join(", ")};
    },
  });
}

// A quantity without a band: the price, the effective size.
function draw_plain(host, width, curve, of, words) {
  const points = possible_points(curve.points);
  const top = d3.max([...points.map(of), words.level ?? 0]);
  const frame = make_frame(host, {
    width, height: chart_height(width), margin: {top: 18, right: 18, bottom: 36, left: 50},
    x: {domain: padded(budget_domain(curve), 0.02), nice: false, label: `budget: ${curve.cost} per round`},
    y: {domain: [0, top * 1.05 || 1], label: words.axis},
  });
  draw_impossible(frame, curve);
  if (words.level) draw_level(frame, words.level, words.level_words, "level");
  draw_budget_line(frame, points, (point) => ({mean: of(point)}), words.series, words.id);
  if (points.length) add_budget_probe(host, frame, curve, words.title, (point) => words.rows(point));
}

// Shares of the actions, one on top of the other. The letter of an action stands where its band is
// thickest.
function draw_shares(host, width, curve) {
  const points = possible_points(curve.points), bands = share_bands(curve);
  const frame = make_frame(host, {
    width, height: chart_height(width), margin: {top: 18, right: 18, bottom: 36, left: 50},
    x: {domain: padded(budget_domain(curve), 0.02), nice: false, label: `budget: ${curve.cost} per round`},
    y: {domain: [0, 1], tick: percent_tick, label: "share of rounds"},
  });
  const {x, y, box} = frame;
  draw_impossible(frame, curve);
  const below = points.map(() => 0);
  for (const band of bands) {
    const layers = points.map((point, i) => ({x: x(point.budget), y0: y(below[i]), y1: y(below[i] += band.of(point)),
                                              share: band.of(point)}));
    const group = box.append("g").attr("class", "series");
    if (layers.length === 1) {  // one budget: a column
      layers.unshift({...layers[0], x: layers[0].x - 8});
      layers.push({...layers[1], x: layers[1].x + 8});
    }
    group.append("path").attr("class", "share").attr("fill", colour(band.index)).attr("data-action", band.name)
        .attr("data-shares", points.map(band.of).join(" "))
        .attr("d", d3.area().x((p) => p.x).y0((p) => p.y0).y1((p) => p.y1)(layers));
    const widest = layers.reduce((a, b) => (b.share > a.share ? b : a));
    if (widest.y0 - widest.y1 > 15) {
      const at = Math.min(Math.max(widest.x, layers[0].x + 12), layers[layers.length - 1].x - 12);
      group.append("text").attr("class", "share_letter").attr("x", at).attr("y", (widest.y0 + widest.y1) / 2)
          .attr("dy", "0.34em").attr("text-anchor", "middle").text(letter(band.index));
    }
  }
  if (points.length) {
    add_budget_probe(host, frame, curve, "Shares of actions", (point) => bands.map((band) => [
      el("span", {}, badge(band.index), " " + cut(band.name, 22)), percent(band.of(point))]));
  }
}

const shares_key = (curve) => el("ul", {class: "key"}, share_bands(curve).map((band) =>
    el("li", {}, badge(band.index), cut(band.name, 40))));
