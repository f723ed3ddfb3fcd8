// The probe: point at a chart, or move along it with the arrow keys, and read every policy's value at
// that round. It is a slider, so that a screen reader speaks what it shows.

function add_probe(host, frame, panel, shown) {
  const {x, width, height, margin, svg} = frame;
  const rounds = shown[0].points.map((point) => point.round);
  const rule = svg.append("line").attr("class", "probe_line").attr("y1", margin.top)
      .attr("y2", height - margin.bottom).attr("visibility", "hidden");
  const box = el("div", {class: "read_out", hidden: true});
  const part = (value, whole) => `${100 * value / whole}%`;
  const probe = el("div", {
    class: "probe", tabindex: 0, role: "slider", "aria-label": `${panel.title}: round`,
    "aria-valuemin": rounds[0], "aria-valuemax": rounds[rounds.length - 1],
    style: `left:${part(margin.left, width)};right:${part(margin.right, width)};` +
           `top:${part(margin.top, height)};bottom:${part(margin.bottom, height)}`,
  });
  const narrow = width < 480;
  let at = rounds.length - 1;
  const hide = () => { box.hidden = true; rule.attr("visibility", "hidden"); };
  const show = (index) => {
    at = Math.min(rounds.length - 1, Math.max(0, index));
    const lines = lines_at(shown, rounds[at], panel);
    rule.attr("x1", x(rounds[at])).attr("x2", x(rounds[at])).attr("visibility", "visible");
    box.replaceChildren(el("p", {}, `round ${count(rounds[at])}`), el("table", {}, el("tbody", {}, lines.map(
        (line) => el("tr", {}, el("td", {}, badge(line.policy.index), narrow ? null : " " + cut(line.policy.name, 22)),
                     el("td", {class: "value"}, line.text))))));
    box.hidden = false;
    const left = x(rounds[at]) > (margin.left + width - margin.right) / 2;
    box.style.left = left ? "auto" : part(x(rounds[at]) + 10, width);
    box.style.right = left ? part(width - x(rounds[at]) + 10, width) : "auto";
    probe.setAttribute("aria-valuenow", rounds[at]);
    probe.setAttribute("aria-valuetext", `round ${count(rounds[at])}: ` +
                       lines.map((line) => `${line.policy.label} ${line.text}`).join(", "));
  };
  probe.addEventListener("pointermove", (event) => {
    const {left, width: span} = probe.getBoundingClientRect();
    show(d3.bisectCenter(rounds, x.invert(margin.left + (event.clientX - left) / span *
                                          (width - margin.left - margin.right))));
  });
  probe.addEventListener("pointerleave", hide);
  probe.addEventListener("blur", hide);
  probe.addEventListener("focus", () => { if (probe.matches(":focus-visible")) show(at); });
  probe.addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8,
                  Home: -rounds.length, End: rounds.length}[event.key];
    if (event.key === "Escape") hide();
    if (step === undefined) return;
    event.preventDefault();
    show(at + step);
  });
  probe.setAttribute("aria-valuenow", rounds[at]);
  host.append(probe, box);
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
