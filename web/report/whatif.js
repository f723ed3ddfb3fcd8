// What another budget would have earned: the answer, then the curves of every budget, then the grid.

const whatif_curves = (data) => (data.kind === "whatif" ? [data] : data.curves);

function whatif_facts(data, curves) {
  const [first] = curves;
  const range = (curve) => {
    const [low, high] = d3.extent(curve.points, (point) => point.budget);
    return `${curve.cost} ${low === high ? number(low) : `${number(low)} to ${number(high)}`} per round`;
  };
  const pairs = [
    ["Rows", count(first.rows) + (first.missing ? ` (${count(first.missing)} lack an outcome)` : "")],
    ["Budget", curves.map(range).join("; ")],
    ["Limit", first.limits.length ? first.limits.map(limit_words).join(", ") : null],
    ["Actions", first.actions.length <= 6 ? first.actions.join(", ") : count(first.actions.length)],
    ["Log", `taken as made by a policy that ${first.adaptive ? "learned" : "did not learn"}` +
            (first.estimated_propensities ? ", propensities estimated" : "")],
  ];
  return el("dl", {class: "facts"}, pairs.filter(([, value]) => value !== null)
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

// "94.1 %" with its interval, from the share of a smaller budget.
function share_tile(title, share, extra) {
  const f = {mean: share.share, low: share.low, high: share.high};
  const texts = figure_texts(f, 100, 1);
  return el("div", {class: "tile", "data-share": share.share, "data-low": share.low, "data-high": share.high},
            el("h3", {}, title), el("p", {class: "value strong"}, `${texts.mean} % of the reward`),
            el("p", {class: "extra"},
               (texts.low === null ? "no interval" : `95 % interval ${texts.low} to ${texts.high} %`) + `; ${extra}`));
}

// What more money adds to the cheapest choice, and how much of that is there for half of it.
function cheapest_tile(curve) {
  const {action, spend, share, last, half_of_gain: half} = curve.cheapest;
  const gain = {mean: last.value, low: last.low, high: last.high};
  const who = action === null ? "the cheapest choice of every row" : `${cut(action, 24)} for everybody`;
  const texts = half ? figure_texts({mean: half.share, low: half.low, high: half.high}, 100, 1) : null;
  const spends = Math.abs(spend) < 1e-4 * Math.abs(last.spend) ? 0 : spend;  // but for the error of the regressions
  return el("div", {class: "tile", "data-gain": last.value, "data-half": half?.share},
            el("h3", {}, `Beside ${who}`),
            el("p", {class: "value strong"}, texts ? `${texts.mean} % of the gain` : figure_phrase(gain)),
            el("p", {class: "extra"}, (texts ? `at half of the money, 95 % interval ${texts.low ?? kNone} to ${texts.high ?? kNone} %. ` : "") +
               `The whole adds ${figure_phrase(gain)} reward per round; ${who}, ${curve.cost} ${number(spends)}, has ` +
               `${percent(share.share)} of the reward already`));
}

function answer_tiles(curve) {
  const tiles = [], half = curve.half_of_last, logged = curve.half_of_logged, same = curve.at_logged;
  const per_round = (share) => `${curve.cost} ${number(share.budget)} per round instead of ${number(share.of)}`;
  const last = curve.points[curve.points.length - 1];
  if (half) tiles.push(share_tile(last.binding ? "At half the budget" : "At half the spend", half, per_round(half)));
  if (curve.cheapest) tiles.push(cheapest_tile(curve));
  const [reward] = curve.heads, earned = curve.logged.values[reward];
  if (same?.possible) {
    const value = alone(same.values[reward]);
    tiles.push(el("div", {class: "tile", "data-value": value.mean}, el("h3", {}, `At the ${curve.cost} of the log`),
                  el("p", {class: "value strong"}, `${figure_phrase(value)}`),
                  el("p", {class: "extra"}, `reward per round instead of ${figure_phrase(alone(earned))}; ` +
                     `${curve.cost} ${number(curve.logged.values[curve.cost].value)}`)));
  }
  if (logged) {
    tiles.push(share_tile(`At half the ${curve.cost} of the log`, logged, `${per_round(logged)}, both by priced policies`));
  }
  return tiles.length ? el("div", {class: "tiles"}, tiles) : null;
}

function answer_part(curves) {
  return curves.map((curve, at) => el("section", {class: "answer", "aria-label": `Answer for ${curve.cost}`},
      answer_tiles(curve),
      el("div", {class: "sentences", "data-verdict": at}, curve.verdict.map((line) => el("p", {}, line))),
      curve.warnings.length === 0 ? null : el("div", {class: "problem", "data-warnings": at}, el("h3", {}, "Read this first"),
          el("ul", {}, curve.warnings.map((line) => el("li", {}, line))))));
}

function whatif_key(curve) {
  const item = (shape, text) => el("li", {}, shape, text);
  const diamond = svg_el("svg", {viewBox: "0 0 34 14", width: 34, height: 14, "aria-hidden": "true"},
      svg_el("path", {class: "hollow", d: d3.symbol().type(d3.symbolDiamond).size(70)(), transform: "translate(17,7)"}));
  const dotted = svg_el("svg", {viewBox: "0 0 34 14", width: 34, height: 14, "aria-hidden": "true"},
      svg_el("path", {class: "rule sensitivity", d: "M0,7H34"}));
  const mixed = curve.fixed_mix.some((point) => point.possible);
  return el("ul", {class: "key"}, item(swatch(0), "priced policies, with their joint band"),
            curve.points.some((point) => point.sensitivity) ? item(dotted, wrong_words(curve)) : null,
            mixed ? item(swatch(1), "best fixed mix of actions") : null, item(diamond, "the log, with its intervals"));
}

function curve_part(curve, at, several) {
  const [reward, ...costs] = curve.heads;
  const limits = curve.limits.length ? `, ${curve.limits.map(limit_words).join(", ")}` : "";
  const row = (name, of) => (point) => [[name, of(point)]];
  const charts = [
    chart({id: `reward_${at}`, class: "wide", title: `Reward against ${curve.cost}`,
           note: "Reward per round of the best priced policy that keeps the budget. Up and to the left is better."},
          (host, width) => draw_head(host, width, curve, reward, true)),
    chart({id: `price_${at}`, title: "Price",
           note: `Reward that the last unit of ${curve.cost} earns. 0: more budget earns nothing.`},
          (host, width) => draw_plain(host, width, curve, (point) => point.price, {id: "price", title: "Price", series: 2,
              axis: "reward per unit", rows: row("price", (point) => number(point.price))})),
    chart({id: `shares_${at}`, title: "Shares of actions", note: "How often the priced policy plays each action."},
          (host, width) => draw_shares(host, width, curve)),
    ...costs.map((cost, i) => chart({id: `cost_${at}_${i}`, title: cost, note: cost === curve.cost ?
        "What is spent. The dotted line is the whole budget." : "What the priced policy pays of it at each budget."},
        (host, width) => draw_head(host, width, curve, cost))),
    chart({id: `size_${at}`, title: "Effective sample size",
           note: `How many rows carry the value. Below ${kSmallestSize} no band is given.`},
          (host, width) => draw_plain(host, width, curve, (point) => point.effective_size, {id: "size", series: 3,
              title: "Effective sample size", axis: "rows", level: kSmallestSize, level_words: `${kSmallestSize}`,
              rows: row("effective size", (point) => count(point.effective_size))})),
  ];
  charts[2].append(shares_key(curve));
  return section(`curve_${at}`, several ? `Another budget of ${curve.cost}` : "Over the budgets",
                 `Bands hold at all budgets together in 95 % of logs${limits}, if ` +
                     `${curve.units > 0 ? "units" : "rows"} are independent, and if the log could play every ` +
                     "action in every context. No log can show that." +
                     (several ? " The other budgets are left free here." : ""),
                 "Point at a chart, or use the arrow keys on it, to read values.",
                 whatif_key(curve), el("div", {class: "charts"}, charts),
                 el("h3", {class: "table_title"}, "The same as a table"),
                 scroller(`Budgets of ${curve.cost}`, budgets_table(curve, at)));
}

function grid_part(grid, reward) {
  if (!grid) return null;
  const map = chart({id: "grid", class: "wide", title: `Reward against ${grid.cost} and ${grid.other}`},
                    (host, width) => draw_heat(host, width, grid, reward));
  return section("grid", "Both budgets at once",
                 `Reward per round where ${grid.cost} and ${grid.other} both keep a budget. Hatched: cannot be met. ` +
                 "Lines join equal rewards. Intervals hold for one cell.", "Point at a cell, or use the arrow keys.",
                 el("div", {class: "charts"}, map),
                 el("h3", {class: "table_title"}, "The same as a table"),
                 scroller("Rewards over both budgets", grid_table(grid, reward)));
}

function draw_whatif(data) {
  const curves = whatif_curves(data), title = data.title || "What would another budget have earned?";
  document.title = title;
  document.getElementById("top").append(el("p", {class: "eyebrow"}, "rein whatif"), el("h1", {}, title),
                                        whatif_facts(data, curves));
  const parts = [...answer_part(curves), ...curves.map((curve, at) => curve_part(curve, at, curves.length > 1)),
                 grid_part(data.grid, curves[0].heads[0]), segments_part(data.segments, curves[0].total),
                 section("again", data.command ? "Run it again" : "The numbers",
                         "The same log and options give the same numbers, whatever the number of threads.", null,
                         data.command ? command_box(data.command) : null,
                         el("p", {class: "actions"}, save_button(data)))];
  document.getElementById("content").append(...parts.filter((part) => part !== null));
  document.getElementById("bottom").append(el("p", {}, `rein ${data.rein ?? ""}. Values are doubly robust means over the log; ` +
      "docs/whatif.md says what the bands promise. Charts: D3."));
}
