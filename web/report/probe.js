// The probe: point at a chart, or move along it with the arrow keys, and read every value at that
// place. It is a slider, so that a screen reader speaks what it shows.

// `options`: label, places (what the arrow keys walk along), shown(place) -> {head, rows: [[cell, text]],
// spoken}.
function add_slider(host, frame, options) {
  const {x, width, height, margin, svg} = frame;
  const {places} = options;
  const rule = svg.append("line").attr("class", "probe_line").attr("y1", margin.top)
      .attr("y2", height - margin.bottom).attr("visibility", "hidden");
  const box = el("div", {class: "read_out", hidden: true});
  const part = (value, whole) => `${100 * value / whole}%`;
  const probe = el("div", {
    class: "probe", tabindex: 0, role: "slider", "aria-label": options.label,
    "aria-valuemin": places[0], "aria-valuemax": places[places.length - 1],
    style: `left:${part(margin.left, width)};right:${part(margin.right, width)};` +
           `top:${part(margin.top, height)};bottom:${part(margin.bottom, height)}`,
  });
  let at = places.length - 1;
  const hide = () => { box.hidden = true; rule.attr("visibility", "hidden"); };
  const show = (index) => {
    at = Math.min(places.length - 1, Math.max(0, index));
    const {head, rows, spoken} = options.shown(places[at], at);
    rule.attr("x1", x(places[at])).attr("x2", x(places[at])).attr("visibility", "visible");
    box.replaceChildren(el("p", {}, head), el("table", {}, el("tbody", {}, rows.map(
        ([cell, text]) => el("tr", {}, el("td", {}, cell), el("td", {class: "value"}, text))))));
    box.hidden = false;
    const left = x(places[at]) > (margin.left + width - margin.right) / 2;
    box.style.left = left ? "auto" : part(x(places[at]) + 10, width);
    box.style.right = left ? part(width - x(places[at]) + 10, width) : "auto";
    probe.setAttribute("aria-valuenow", places[at]);
    probe.setAttribute("aria-valuetext", spoken);
  };
  probe.addEventListener("pointermove", (event) => {
    const {left, width: span} = probe.getBoundingClientRect();
    show(d3.bisectCenter(places, x.invert(margin.left + (event.clientX - left) / span *
                                          (width - margin.left - margin.right))));
  });
  probe.addEventListener("pointerleave", hide);
  probe.addEventListener("blur", hide);
  probe.addEventListener("focus", () => { if (probe.matches(":focus-visible")) show(at); });
  probe.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8,
                  Home: -places.length, End: places.length}[event.key];
    if (event.key === "Escape") hide();
    if (step === undefined) return;
    event.preventDefault();
    show(at + step);
  });
  probe.setAttribute("aria-valuenow", places[at]);
  host.append(probe, box);
}

// The values of all policies at a round.
function add_probe(host, frame, panel, shown) {
  const narrow = frame.width < 480;
  add_slider(host, frame, {
    label: `${panel.title}: round`, places: shown[0].points.map((point) => point.round),
    shown: (round) => {
      const lines = lines_at(shown, round, panel);
      return {
        head: `round ${count(round)}`,
        rows: lines.map((line) => [el("span", {}, badge(line.policy.index), narrow ? null : " " + cut(line.policy.name, 22)),
                                   line.text]),
        spoken: `round ${count(round)}: ` + lines.map((line) => `${line.policy.label} ${line.text}`).join(", "),
      };
    },
  });
}

// Every policy's value at a round, largest first.
function lines_at(shown, round, panel) {
  return shown.map(({policy, points}) => {
    const point = points[d3.bisectCenter(points.map((p) => p.round), round)];
    const texts = figure_texts(point, panel.percent ? 100 : 1);
    const half = texts.low === null ? "" : " ± " + number((panel.percent ? 100 : 1) * (point.high - point.low) / 2, 2);
    return {policy, mean: point.mean, text: texts.mean + half + (panel.percent ? " %" : "")};
  }).sort((a, b) => b.mean - a.mean);
}
