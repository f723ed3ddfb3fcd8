// What `rein verify` measured: for every part of the theorem the growth exponent beside the one that is
// proved, and the measured values below their bounds.

const kQuantities = {regret: "regret", ccv: "CCV", ccv_average: "CCV, average over time",
                     queue_rms: "queue, root mean square", premise: "premise c"};
const quantity_name = (row) => kQuantities[row.quantity] ?? row.quantity;

const is_beside = (row) => row.promised === false;  // a policy of which the theorem says nothing

const verdict = (row) => is_beside(row) ? el("span", {class: "extra"}, "beside") : el("span", {class: row.pass ? "verdict pass" : "verdict fail"},
                            row.pass ? "✓ pass" : "✗ fail");

// The largest share of its bound that a measured value reached; null without bounds.
function bound_share(row) {
  const shares = row.horizons.map((_, i) => (has_mean(row.measured[i]) && is_number(row.bounds?.[i]) ?
      row.measured[i].mean / row.bounds[i] : null)).filter((share) => share !== null);
  return shares.length ? Math.max(...shares) : null;
}

// A bound above T says nothing: no more than T can be lost in T rounds.
function vacuous_words(row) {
  const all = row.horizons.filter((_, i) => is_number(row.bounds?.[i])).length;
  const vacuous = row.horizons.filter((horizon, i) => is_number(row.bounds?.[i]) && row.bounds[i] > horizon).length;
  if (vacuous === 0) return null;
  return el("span", {class: "extra"}, vacuous === all ? "bound vacuous" : `bound vacuous at ${vacuous} of ${all} T`);
}

function verify_row(row, index) {
  const share = bound_share(row);
  return el("tr", {"data-row": index, class: row.pass ? "" : "failed"},
            el("th", {scope: "row"}, el("span", {class: "part"}, `(${row.part})`), " ", quantity_name(row),
               el("span", {class: "extra"}, row.setting)),
            el("td", {"data-pass": String(row.pass)}, verdict(row)),
            has_mean(row.exponent) ? figure_cell(row.exponent, {quantity: "exponent", decimals: 3}) :
                el("td", {class: "figure", "data-quantity": "exponent"}, "not positive"),
            el("td", {class: "figure", "data-theorem": row.theorem}, is_number(row.theorem) ? number(row.theorem, 3) : kNone,
               row.rate ? el("span", {class: "extra"}, row.rate) : null),
            el("td", {class: "figure", "data-share": share}, share === null ? kNone : share < 0 ? "below 0" : percent(share),
               vacuous_words(row)),
            el("td", {class: "words"}, el("code", {}, row.world), el("br"), el("code", {}, row.policy),
               row.note ? el("span", {class: "extra"}, row.note) : null));
}

function verify_table(rows) {
  const head = (text) => el("th", {scope: "col"}, text);
  return el("table", {class: "figures verify", id: "verify_table"}, el("thead", {}, el("tr", {},
      head("Part"), head("Verdict"), head("Exponent"), head("Theorem"), head("Most of its bound"),
      head("World and policy"))), el("tbody", {}, rows.map(verify_row)));
}

// Measured values that a log axis can show.
const positive_points = (row) => row.horizons.map((horizon, i) => ({horizon, f: row.measured[i], bound: row.bounds?.[i]}))
    .filter((point) => has_mean(point.f) && point.f.mean > 0);

// The least-squares line of logs passes through their centre; its slope is the exponent.
function fit_of(row, points) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x0 = mean(points.map((point) => Math.log(point.horizon)));
  const y0 = mean(points.map((point) => Math.log(point.f.mean)));
  const through = (slope, at_x, at_y) => (horizon) => Math.exp(at_y + slope * (Math.log(horizon) - at_x));
  const fit = has_mean(row.exponent) ? through(row.exponent.mean, x0, y0) : null;
  if (fit === null) return {fit, theorem: null};
  const first = points[0].horizon;
  return {fit, theorem: is_number(row.theorem) ? through(row.theorem, Math.log(first), Math.log(fit(first))) : null};
}

function draw_growth_lines(frame, row, points) {
  const {x, y, box} = frame;
  const {fit, theorem} = fit_of(row, points);
  const span = [points[0].horizon, points[points.length - 1].horizon];
  const line = (name, of, slope) => of && box.append("line").attr("class", `growth ${name}`).attr("data-line", name)
      .attr("data-slope", slope).attr("x1", x(span[0])).attr("x2", x(span[1])).attr("y1", y(of(span[0]))).attr("y2", y(of(span[1])));
  line("theorem", theorem, row.theorem);
  line("fit", fit, row.exponent?.mean);
  const bounded = points.filter((point) => is_number(point.bound) && point.bound > 0);
  box.append("path").attr("class", "growth bound").attr("data-line", "bound").attr("data-points", bounded.length)
      .attr("d", d3.line().x((point) => x(point.horizon)).y((point) => y(point.bound))(bounded));
  box.selectAll(".bound_mark").data(bounded).enter().append("path").attr("class", "bound_mark")
      .attr("d", (point) => `M${x(point.horizon) - 5},${y(point.bound)}h10`);
}

// Policies beside the theorem's own, on the same world: points and a fitted slope in a colour of their own.
function draw_beside(frame, row, index) {
  const points = positive_points(row);
  const {fit} = fit_of(row, points), stroke = colour(index);
  const span = [points[0].horizon, points[points.length - 1].horizon];
  if (fit) {
    frame.box.append("line").attr("class", "whisker").attr("data-line", "beside").attr("data-policy", row.policy)
        .attr("data-slope", row.exponent?.mean).attr("stroke", stroke).attr("x1", frame.x(span[0])).attr("x2", frame.x(span[1]))
        .attr("y1", frame.y(fit(span[0]))).attr("y2", frame.y(fit(span[1])));
  }
  for (const point of points) {
    frame.box.append("path").attr("d", marker_path(index, 30)).attr("fill", stroke).attr("data-policy", row.policy)
        .attr("transform", `translate(${frame.x(point.horizon)},${frame.y(point.f.mean)})`);
  }
}

function draw_growth(host, width, row, beside = []) {
  const points = positive_points(row);
  const {theorem} = fit_of(row, points);
  const last = points[points.length - 1].horizon;
  const values = points.flatMap((point) => [...ends(point.f), point.bound]).concat(theorem ? theorem(last) : [])
      .concat(beside.flatMap((other) => positive_points(other).map((point) => point.f.mean)))
      .filter((value) => is_number(value) && value > 0);
  const [low, high] = d3.extent(values);
  const frame = make_frame(host, {
    width, height: 230, margin: {top: 12, right: 14, bottom: 36, left: 48},
    x: {log: true, nice: false, domain: padded_log(d3.extent(points, (point) => point.horizon), 1.15), label: "rounds T",
        tick: power_tick,
        ticks: points.filter((_, i) => (points.length - 1 - i) % Math.ceil(points.length / (width / 60)) === 0)
            .map((point) => point.horizon)},
    y: {log: true, nice: false, domain: padded_log([low, high], 1.4)},
    label: `${quantity_name(row)} against T on log axes. ` + points.map((point) =>
        `T ${point.horizon}: ${number(point.f.mean)}`).join("; ") + ".",
  });
  draw_growth_lines(frame, row, points);
  beside.forEach((other, k) => draw_beside(frame, other, k + 1));
  for (const point of points) {
    const x = frame.x(point.horizon);
    if (has_interval(point.f) && point.f.low > 0) {
      frame.box.append("line").attr("class", "whisker").attr("stroke", "var(--series-0)").attr("x1", x).attr("x2", x)
          .attr("y1", frame.y(point.f.low)).attr("y2", frame.y(point.f.high));
    }
    frame.box.append("circle").attr("class", "measured").attr("cx", x).attr("cy", frame.y(point.f.mean)).attr("r", 4)
        .attr("data-horizon", point.horizon).attr("data-value", point.f.mean);
  }
}

// 2^14 as people write it; other numbers as on any axis.
function power_tick(x) {
  const power = Math.log2(x);
  return Number.isInteger(power) && power > 9 ? "2" + [...String(power)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]).join("") : tick(x);
}

const padded_log = ([low, high], factor) => [low / factor, high * factor];

function growth_key() {
  const item = (name, text) => el("li", {}, svg_el("svg", {viewBox: "0 0 34 12", width: 34, height: 12, "aria-hidden": "true"},
      name === "measured" ? svg_el("circle", {class: "measured", cx: 17, cy: 6, r: 4}) :
                            svg_el("line", {class: `growth ${name}`, x1: 1, x2: 33, y1: 6, y2: 6})), text);
  return el("ul", {class: "key"}, item("measured", "measured mean, 95 % interval"), item("fit", "fitted slope"),
            item("theorem", "slope of the theorem"), item("bound", "explicit bound"));
}

function verify_parts(data) {
  const rows = data.verify.rows, of_theorem = rows.filter((row) => !is_beside(row));
  const passed = of_theorem.filter((row) => row.pass).length;
  const left = data.verify.left_out ?? [];
  const drawn = rows.map((row, index) => ({row, index})).filter(({row}) => positive_points(row).length > 1);
  const same = (a, b) => a.part === b.part && a.world === b.world && a.quantity === b.quantity;
  // A chart per row of the theorem, with the others of its world; where it has none, the first of the others.
  const leads = drawn.filter(({row}, k) => !is_beside(row) || !drawn.some((each, j) => same(each.row, row) && (!is_beside(each.row) || j < k)));
  const others = (row) => drawn.map((each) => each.row).filter((each) => is_beside(each) && each !== row && same(each, row));
  const beside_key = (row) => el("ul", {class: "key"}, others(row).map((other, k) => el("li", {}, swatch(k + 1), `${cut(other.policy, 32)}: ` +
      (has_mean(other.exponent) ? figure_phrase(other.exponent, 1, 3) : "not positive everywhere"))));
  const charts = leads.map(({row, index}) => chart({
    id: `growth_${index}`, class: "small", title: `(${row.part}) ${quantity_name(row)}, ${row.setting}`,
    note: `${row.world}. ` + (has_mean(row.exponent) ? `Exponent ${figure_phrase(row.exponent, 1, 3)}` : "Not positive everywhere") +
          (is_number(row.theorem) ? `, theorem ${number(row.theorem, 3)}.` : ".") + (row.pass ? "" : " Fails.") + (is_beside(row) ? ` ${cut(row.policy, 32)}, of which nothing is promised.` : ""),
  }, (host, width) => draw_growth(host, width, row, others(row))));
  leads.forEach(({row}, k) => others(row).length && charts[k].append(beside_key(row)));
  const left_out = rows.length - drawn.length;
  return [
    section("verdicts", "Part by part",
            `${passed} of ${of_theorem.length} rows pass. A row fails if the lower end of the exponent's interval is above the ` +
            "theorem's exponent, or a measured mean above its bound." +
            (of_theorem.length < rows.length ? " Rows beside it are of other policies on the same worlds; nothing is promised of them." : ""), null,
            scroller("Verdicts", verify_table(rows)),
            left.length === 0 ? null : el("ul", {"data-left-out": left.length}, left.map((line) => el("li", {}, `Left out: ${line}`)))),
    section("growth", "Growth", "Both axes are logarithmic: a power of T is a straight line and its exponent the slope. " +
            "The theorem's slope starts where the fit starts; below it is better." +
            (left_out ? ` ${left_out === 1 ? "One row has" : `${left_out} rows have`} fewer than two positive means and no chart.` : ""), null,
            growth_key(), el("div", {class: "charts three"}, charts)),
  ];
}
