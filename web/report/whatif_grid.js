// The reward over two budgets: a heat map with contours. The arrow keys walk over its cells.

function draw_heat(host, width, grid, reward) {
  const values = grid.rows.map((row) => row.points.map((point) => (point.possible ? point.values[reward].value : null)));
  const [low, high] = d3.extent(values.flat().filter(is_number));
  const columns = grid.budgets.length, rows = grid.limits.length;
  const margin = {top: 18, right: 12, bottom: 40, left: 58};
  const cell_width = (width - margin.left - margin.right) / columns;
  const cell_height = Math.max(22, Math.min(46, cell_width * 0.7));
  const height = margin.top + margin.bottom + rows * cell_height;
  const svg = d3.select(host).append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("aria-hidden", "true");
  const frame = {svg, width, height, margin, box: svg.append("g")};
  const left = (k) => margin.left + k * cell_width, top = (i) => margin.top + (rows - 1 - i) * cell_height;
  const none = hatched(frame);
  const strength = (value) => (high > low ? 0.08 + 0.72 * (value - low) / (high - low) : 0.4);
  values.forEach((line, i) => line.forEach((value, k) => {
    const possible = is_number(value);
    const cell = frame.box.append("rect").attr("class", "heat").attr("x", left(k)).attr("y", top(i))
        .attr("width", cell_width).attr("height", cell_height)
        .attr("data-row", i).attr("data-column", k).attr("data-value", possible ? value : null)
        .attr("fill", possible ? "var(--series-0)" : none);
    if (possible) cell.attr("fill-opacity", strength(value));
    else cell.attr("data-mark", "impossible");
    if (possible && cell_width > 44) {
      frame.box.append("text").attr("class", "heat_value").attr("x", left(k) + cell_width / 2).attr("y", top(i) + cell_height / 2)
          .attr("dy", "0.34em").attr("text-anchor", "middle").text(number(value, 3));
    }
  }));
  draw_contours(frame, values, (k) => left(k) + cell_width / 2, (i) => top(i) + cell_height / 2);
  draw_heat_axes(frame, grid, left, top, cell_width, cell_height);
  add_heat_cursor(host, frame, {grid, reward, left, top, cell_width, cell_height});
}

// Columns and rows are fractions between cell centres.
function draw_contours(frame, values, x, y) {
  for (const level of contour_levels(values)) {
    const segments = contour_segments(values, level);
    if (!segments.length) continue;
    const path = segments.map(([a, b]) => `M${x(a[0])},${y(a[1])}L${x(b[0])},${y(b[1])}`).join("");
    frame.box.append("path").attr("class", "contour").attr("data-level", level).attr("d", path);
    const last = segments.reduce((a, b) => (b[0][0] > a[0][0] ? b : a))[0];
    frame.box.append("text").attr("class", "contour_label").attr("x", x(last[0]) + 3).attr("y", y(last[1]) - 3).text(tick(level));
  }
}

function draw_heat_axes(frame, grid, left, top, cell_width, cell_height) {
  const {svg, width, height, margin} = frame;
  const every = Math.max(1, Math.ceil(44 / cell_width));
  grid.budgets.forEach((budget, k) => {
    if (k % every !== 0) return;
    svg.append("text").attr("x", left(k) + cell_width / 2).attr("y", height - margin.bottom + 16)
        .attr("text-anchor", "middle").text(tick(Number(budget.toPrecision(3))));
  });
  grid.limits.forEach((limit, i) => svg.append("text").attr("x", margin.left - 7).attr("y", top(i) + cell_height / 2)
      .attr("dy", "0.34em").attr("text-anchor", "end").text(tick(Number(limit.toPrecision(3)))));
  svg.append("text").attr("class", "axis_label").attr("x", width - margin.right).attr("y", height - 4).attr("text-anchor", "end")
      .text(`budget: ${grid.cost} per round`);
  svg.append("text").attr("class", "axis_label").attr("x", 2).attr("y", 10).text(`budget: ${grid.other} per round`);
}

function cell_rows(grid, reward, point) {
  if (!point.possible) return [["reward", "cannot be met"]];
  const value = point.values[reward], texts = figure_texts(alone(value));
  return [["reward", number(value.value)], ["95 %, this cell alone", texts.low === null ? "none" : `${texts.low} to ${texts.high}`],
          [`price of ${grid.cost}`, number(point.price)], [`price of ${grid.other}`, number(point.held_price)],
          ["effective size", count(point.effective_size)]];
}

function add_heat_cursor(host, frame, {grid, reward, left, top, cell_width, cell_height}) {
  const {width, height, margin, svg} = frame, columns = grid.budgets.length, rows = grid.limits.length;
  const mark = svg.append("rect").attr("class", "heat_cursor").attr("width", cell_width).attr("height", cell_height)
      .attr("visibility", "hidden");
  const box = el("div", {class: "read_out", hidden: true});
  const spoken = el("p", {class: "spoken", "aria-live": "polite"});
  const part = (value, whole) => `${100 * value / whole}%`;
  const probe = el("div", {
    class: "probe", tabindex: 0, role: "application", "aria-roledescription": "heat map",
    "aria-label": `Reward over budgets of ${grid.cost} and ${grid.other}. The arrow keys walk over its cells; the table ` +
                  "below has the same numbers.",
    style: `left:${part(margin.left, width)};right:${part(margin.right, width)};` +
           `top:${part(margin.top, height)};bottom:${part(margin.bottom, height)}`,
  });
  let i = rows - 1, k = columns - 1;
  const hide = () => { box.hidden = true; mark.attr("visibility", "hidden"); };
  const show = (row, column, speak) => {
    [i, k] = [Math.min(rows - 1, Math.max(0, row)), Math.min(columns - 1, Math.max(0, column))];
    const head = `${grid.cost} ${number(grid.budgets[k])}, ${grid.other} ${number(grid.limits[i])}`;
    const lines = cell_rows(grid, reward, grid.rows[i].points[k]);
    box.replaceChildren(el("p", {}, head), el("table", {}, el("tbody", {}, lines.map(([name, text]) =>
        el("tr", {}, el("td", {}, name), el("td", {class: "value"}, text))))));
    if (speak) spoken.textContent = `${head}: ` + lines.map((line) => line.join(" ")).join(", ");
    mark.attr("x", left(k)).attr("y", top(i)).attr("visibility", "visible");
    box.hidden = false;
    const to_left = left(k) > width / 2;
    box.style.left = to_left ? "auto" : part(left(k) + cell_width + 6, width);
    box.style.right = to_left ? part(width - left(k) + 6, width) : "auto";
  };
  probe.addEventListener("pointermove", (event) => {
    const rect = probe.getBoundingClientRect();
    show(rows - 1 - Math.floor((event.clientY - rect.top) / rect.height * rows),
         Math.floor((event.clientX - rect.left) / rect.width * columns));
  });
  probe.addEventListener("pointerleave", hide);
  probe.addEventListener("blur", hide);
  probe.addEventListener("focus", () => { if (probe.matches(":focus-visible")) show(i, k, true); });
  probe.addEventListener("keydown", (event) => {
    const step = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0], Home: [0, -columns],
                  End: [0, columns]}[event.key];
    if (event.key === "Escape") hide();
    if (step === undefined) return;
    event.preventDefault();
    show(i + step[0], k + step[1], true);
  });
  host.append(probe, box, spoken);
}
