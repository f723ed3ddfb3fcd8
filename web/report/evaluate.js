// What policies would have earned and spent on a log: the values with their intervals, differences to the first
// policy, and all estimators.

const figure_of = (value) => (value ? {mean: value.value, low: value.low, high: value.high} : null);

function best_heads(policy) {
  return policy.estimates.find((each) => each.estimator === policy.recommended).heads;
}

function evaluate_facts(data) {
  const pairs = [
    ["Rows", count(data.rows) + (data.first ? `, the first ${count(data.first)} for training` : "")],
    ["Units", data.units > 0 ? count(data.units) : null],
    ["Actions", data.actions.length <= 6 ? data.actions.join(", ") : count(data.actions.length)],
    ["Log", `taken as made by a policy that ${data.adaptive ? "learned" : "did not learn"}` +
            (data.estimated_propensities ? ", propensities estimated" : "")],
    ["Limit", data.limits.length ? data.limits.map(limit_words).join(", ") : null],
  ];
  return el("dl", {class: "facts"}, pairs.filter(([, value]) => value !== null)
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

// A tile per policy: what it earns beside the first one.
function difference_tiles(data) {
  const [reward, ...costs] = data.heads, first = data.policies[0];
  const tiles = data.policies.filter((policy) => policy.difference).slice(0, 4).map((policy) => {
    const {heads} = policy.difference;
    return el("div", {class: "tile", "data-policy": policy.policy, "data-value": heads[reward].value},
        el("h3", {}, `${cut(policy.policy, 32)} beside ${cut(first.policy, 32)}`),
        el("p", {class: "value strong"}, figure_phrase(figure_of(heads[reward]))),
        el("p", {class: "extra"}, ["more reward per round", ...costs.map((cost) =>
            `${figure_phrase(figure_of(heads[cost]))} more ${cost}`)].join("; ")));
  });
  return tiles.length ? el("div", {class: "tiles"}, tiles) : null;
}

const kLineHeight = 34;

// A line per policy: the value and its interval.
function draw_forest(host, width, data, head) {
  const lines = data.policies.map((policy, index) => ({policy, index, f: figure_of(best_heads(policy)[head])}))
      .filter((line) => has_mean(line.f));
  const margin = {left: 12, right: 16, top: 8, bottom: 40}, height = margin.top + margin.bottom + 2 * kLineHeight * lines.length / 1.6;
  const [low, high] = padded(d3.extent(lines.flatMap(({f}) => ends(f))), 0.06);
  const frame = make_frame(host, {width, height, margin, x: {domain: [low, high], label: `${head} per round`},
                                  y: {domain: [0, lines.length], ticks: [], nice: false}, label: `${head} of every policy`});
  const step = (height - margin.top - margin.bottom) / lines.length;
  lines.forEach(({policy, index, f}, k) => {
    const y = margin.top + step * (k + 0.72), stroke = colour(index);
    if (has_interval(f)) {
      frame.box.append("line").attr("class", "whisker").attr("stroke", stroke).attr("x1", frame.x(f.low)).attr("x2", frame.x(f.high))
          .attr("y1", y).attr("y2", y);
    }
    frame.box.append("path").attr("d", marker_path(index)).attr("fill", stroke).attr("transform", `translate(${frame.x(f.mean)},${y})`)
        .attr("data-policy", policy.policy).attr("data-x", f.mean);
    frame.box.append("text").attr("class", "rule_label").attr("x", margin.left + 2).attr("y", y - 10)
        .text(`${letter(index)} ${cut(policy.policy, 48)}`);
  });
}

function values_table(data) {
  const head = (text) => el("th", {scope: "col"}, text);
  return el("table", {class: "figures", id: "values_table"},
      el("thead", {}, el("tr", {}, ["Policy", "Estimator", ...data.heads, "Effective size", "Largest weight"].map(head))),
      el("tbody", {}, data.policies.map((policy, index) => el("tr", {"data-row": index},
          el("th", {scope: "row"}, badge(index), " ", cut(policy.policy, 60)), el("td", {}, policy.recommended),
          data.heads.map((name, h) => figure_cell(figure_of(best_heads(policy)[name]), {quantity: `head_${h}`})),
          el("td", {class: "figure"}, count(policy.overlap.effective_size)),
          el("td", {class: "figure"}, number(policy.overlap.largest_weight))))));
}

function differences_table(data) {
  const less = data.policies.filter((policy) => policy.difference);
  if (less.length === 0) return null;
  const head = (text) => el("th", {scope: "col"}, text);
  return el("table", {class: "figures", id: "differences_table"},
      el("thead", {}, el("tr", {}, [`Minus ${cut(data.policies[0].policy, 32)}`, "Rows", ...data.heads].map(head))),
      el("tbody", {}, less.map((policy) => el("tr", {"data-policy": policy.policy},
          el("th", {scope: "row"}, cut(policy.policy, 60)), el("td", {class: "figure"}, count(policy.difference.rows)),
          data.heads.map((name, h) => figure_cell(figure_of(policy.difference.heads[name]), {quantity: `head_${h}`}))))));
}

function estimators_table(data) {
  const head = (text) => el("th", {scope: "col"}, text);
  const rows = data.policies.flatMap((policy) => policy.estimates.map((each) => el("tr", {},
      el("th", {scope: "row"}, cut(policy.policy, 60)), el("td", {}, each.estimator),
      data.heads.map((name, h) => figure_cell(figure_of(each.heads[name]), {quantity: `head_${h}`})))));
  return el("table", {class: "figures", id: "estimators_table"},
      el("thead", {}, el("tr", {}, ["Policy", "Estimator", ...data.heads].map(head))), el("tbody", {}, rows));
}

function draw_evaluate(data) {
  const title = data.title || "What would these policies have earned?";
  document.title = title;
  document.getElementById("top").append(el("p", {class: "eyebrow"}, "rein evaluate"), el("h1", {}, title), evaluate_facts(data));
  const warned = [...data.warnings, ...data.policies.flatMap((policy) => policy.warnings.map((line) => `${policy.policy}: ${line}`))];
  const differences = differences_table(data);
  const parts = [
    el("section", {class: "answer", "aria-label": "Answer"}, difference_tiles(data),
       warned.length === 0 ? null : el("div", {class: "problem", "data-warnings": "all"}, el("h3", {}, "Read this first"),
           el("ul", {}, warned.map((line) => el("li", {}, line))))),
    section("values", "Every policy", `Per round. Intervals hold in 95 % of logs, if ${data.units > 0 ? "units" : "rows"} are ` +
            "independent, and if the log could play what the policy plays in every context. No log can show that.", null,
            el("div", {class: "charts"}, data.heads.map((name, h) => chart(
                {id: `head_${h}`, class: data.heads.length === 1 ? "wide" : "", title: h ? name : "Reward"},
                (host, width) => draw_forest(host, width, data, name)))),
            scroller("Values of every policy", values_table(data))),
    differences ? section("differences", "Beside the first policy", "Paired by row, so that what both have in common cancels.", null,
                          scroller("Differences to the first policy", differences)) : null,
    section("estimators", "All estimators", "Several roads to the same value. docs/evaluate.md says which to trust.", null,
            scroller("Estimators of every policy", estimators_table(data))),
    section("again", data.command ? "Run it again" : "The numbers", "The same log and options give the same numbers.", null,
            data.command ? command_box(data.command) : null, el("p", {class: "actions"}, save_button(data))),
  ];
  document.getElementById("content").append(...parts.filter((part) => part !== null));
  document.getElementById("bottom").append(el("p", {}, `rein ${data.rein ?? ""}. docs/evaluate.md says what each number promises. Charts: D3.`));
}
