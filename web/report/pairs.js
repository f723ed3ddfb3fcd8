// Paired differences: on every seed two policies meet the same world and noise, so the difference of
// their totals has a narrower interval than either total. A small plot a row shows where 0 lies.

const flipped = (f) => (has_mean(f) ? {mean: -f.mean, low: is_number(f.high) ? -f.high : null,
                                       high: is_number(f.low) ? -f.low : null} : f);

const flip = (pair) => ({a: pair.b, b: pair.a, reward: flipped(pair.reward), regret: flipped(pair.regret),
                         ccv: pair.ccv?.map(flipped)});

const is_clear = (f) => has_interval(f) && (f.low > 0 || f.high < 0);

function pair_cell(f, quantity) {
  const clear = is_clear(f);
  const mark = has_interval(f) ? el("span", {class: "sign", "aria-label": clear ? "clear" : "not clear"},
                                    clear ? (f.mean > 0 ? " ▲" : " ▼") : " ○") : null;
  return figure_cell(f, {quantity, mark, class: clear ? "clear" : "unclear"});
}

// The interval of one difference on the scale of all of them.
function interval_plot(f, extent) {
  const x = d3.scaleLinear().domain(extent).range([4, 136]);
  if (!has_mean(f)) return null;
  return svg_el("svg", {class: "interval_plot", viewBox: "0 0 140 20", width: 140, height: 20, "aria-hidden": "true"},
                svg_el("line", {class: "zero_line", x1: x(0), x2: x(0), y1: 0, y2: 20}),
                has_interval(f) ? svg_el("line", {class: "range", x1: x(f.low), x2: x(f.high), y1: 10, y2: 10}) : null,
                svg_el("circle", {class: is_clear(f) ? "dot" : "dot open", cx: x(f.mean), cy: 10, r: 3.5}));
}

function pair_row(pair, policies, data, extent) {
  const [a, b] = [policies[pair.a], policies[pair.b]];
  return el("tr", {"data-a": pair.a, "data-b": pair.b},
            el("th", {scope: "row", class: "pair"}, policy_name(a), el("span", {class: "less"}, " less "), policy_name(b)),
            pair_cell(pair.reward, "reward"), el("td", {class: "small_plot"}, interval_plot(pair.reward, extent)),
            pair_cell(pair.regret, "regret"),
            data.costs.map((_, i) => pair_cell(pair.ccv?.[i], `ccv_${i}`)));
}

const kManyPairs = 15;  // above that the page opens with the first policy against the others

function pairs_part(data, policies) {
  const pairs = data.pairs.filter((pair) => policies[pair.a] && policies[pair.b]);
  if (pairs.length === 0) return null;
  const size = Math.max(...pairs.flatMap((pair) => (has_mean(pair.reward) ? ends(pair.reward) : [0])).map(Math.abs)) || 1;
  const body = el("tbody", {});
  const fill = (chosen) => {
    const of_chosen = pairs.filter((pair) => chosen === "all" || pair.a === chosen || pair.b === chosen)
        .map((pair) => (pair.b === chosen ? flip(pair) : pair));
    body.replaceChildren(...of_chosen.map((pair) => pair_row(pair, policies, data, [-size, size])));
  };
  // Some results pair only the first policy with each other one: then there is nothing to choose.
  const eligible = policies.filter((policy) => pairs.filter((pair) => pair.a === policy.index || pair.b === policy.index).length > 1);
  const choice = el("select", {id: "pairs_of"}, el("option", {value: "all"}, `all ${pairs.length} pairs`),
                    eligible.map((policy) => el("option", {value: policy.index}, `${cut(policy.label, 40)} against the others`)));
  const chosen = () => (choice.value === "all" ? "all" : Number(choice.value));
  choice.value = pairs.length > kManyPairs && eligible.length > 1 ? String(eligible[0].index) : "all";
  choice.addEventListener("change", () => fill(chosen()));
  addEventListener("beforeprint", () => fill("all"));
  addEventListener("afterprint", () => fill(chosen()));
  fill(chosen());
  const head = (text) => el("th", {scope: "col"}, text);
  const table = el("table", {class: "figures pairs", id: "pairs_table"}, el("thead", {}, el("tr", {},
      head("Pair"), head("Reward"), el("th", {scope: "col"}, el("span", {class: "spoken"}, "plot of the reward's interval"),
                                       el("span", {"aria-hidden": "true"}, "− 0 +")),
      head("Regret"), data.costs.map((cost) => head(data.costs.length > 1 ? `CCV ${cost}` : "CCV")))), body);
  return section("pairs", "Paired differences",
                 "First policy less second, seed by seed on the same world and noise, with the 95 % interval of the " +
                 "mean. ▲ ▼ clear: the interval leaves out 0. ○ not clear.", null,
                 eligible.length > 1 ? el("p", {class: "choice"}, el("label", {for: "pairs_of"}, "Show "), choice) : null,
                 scroller("Paired differences", table));
}
