// Tables of a what-if answer: every number of the charts, also for screen readers.

const kMostShares = 12;  // columns of shares; of more actions the largest and the sum of the others

// One row per budget.
function budgets_table(curve, at) {
  const head = (text, extra) => el("th", {scope: "col"}, text, extra ? el("span", {class: "extra"}, extra) : null);
  const [reward, ...costs] = curve.heads;
  const shares = curve.actions.length > kMostShares ? share_bands(curve) :
      curve.actions.map((name) => ({name, of: (point) => point.shares[name]}));
  const wrong = curve.points.some((point) => point.sensitivity);
  const heads = [head(`Budget: ${curve.cost}`), head("Reward", "all budgets together"), head("Reward", "this budget alone"),
                 head("Best fixed mix"), head("Price"), ...costs.map((cost) => head(cost)),
                 ...(wrong ? curve.heads.map((name, h) => head(h ? name : "Reward", wrong_words(curve))) : []), head("Effective size"), ...shares.map(({name}) => head(`Share of ${cut(name, 24)}`))];
  const plain = (value, quantity, text = number(value)) => el("td", {class: "figure", "data-quantity": quantity, "data-mean": value}, text);
  const rows = curve.points.map((point, k) => {
    const name = el("th", {scope: "row", "data-budget": point.budget}, number(point.budget));
    if (!point.possible) {
      return el("tr", {"data-row": k, class: "impossible"}, name, el("td", {colspan: heads.length - 1}, "cannot be met"));
    }
    const mix = curve.fixed_mix[k];
    return el("tr", {"data-row": k}, name,
              figure_cell(joint(point.values[reward]), {quantity: "reward"}),
              figure_cell(alone(point.values[reward]), {quantity: "reward_alone"}),
              figure_cell(mix.possible ? {mean: mix.values[reward].value} : null, {quantity: "fixed_mix"}),
              plain(point.price, "price"),
              costs.map((cost, i) => figure_cell(joint(point.values[cost]), {quantity: `cost_${i}`})),
              wrong ? curve.heads.map((name, h) => figure_cell(if_wrong(point, name), {quantity: `wrong_${h}`})) : null,
              plain(point.effective_size, "effective_size", count(point.effective_size)),
              shares.map(({of}, a) => plain(of(point), `share_${a}`, percent(of(point)))));
  });
  return el("table", {class: "figures", id: `budgets_table_${at}`}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows));
}

// Rewards over two budgets: a row per budget of the second cost.
function grid_table(grid, reward) {
  return el("table", {class: "figures", id: "grid_table"},
            el("thead", {}, el("tr", {}, el("th", {scope: "col"}, `${grid.other} \\ ${grid.cost}`),
               grid.budgets.map((budget) => el("th", {scope: "col"}, number(budget))))),
            el("tbody", {}, grid.rows.map((row, i) => el("tr", {"data-row": i}, el("th", {scope: "row"}, number(row.limit)),
               row.points.map((point, k) => (point.possible ? figure_cell(alone(point.values[reward]), {quantity: `cell_${k}`}) :
                   el("td", {class: "figure", "data-quantity": `cell_${k}`, "aria-label": "cannot be met"}, kNone)))))));
}
