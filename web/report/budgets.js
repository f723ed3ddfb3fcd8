// What the windows of every budget spent: a row for each budget of each policy.

const budget_words = (budget) => `${number(budget.amount)} ${budget.cost}` +
    (budget.scope ? ` for each ${budget.scope}` : "") + (budget.per === "run" ? " in the run" : ` per ${budget.per}`) +
    (budget.hard ? ", hard" : ", steered");

function budget_row(policy, budget) {
  const share = (f) => (has_mean(f) && budget.amount > 0 ? `${percent(f.mean / budget.amount)} of it` : null);
  const over = has_mean(budget.over) && budget.over.mean > 0 ?
      el("span", {class: "over", title: "some window spent more than its limit"}, " over") : null;
  return el("tr", {"data-policy": policy.index, "data-budget": budget.name},
            el("th", {scope: "row"}, policy_name(policy)),
            el("th", {scope: "row"}, budget.name, el("span", {class: "extra"}, budget_words(budget))),
            figure_cell(budget.windows, {quantity: "windows"}),
            figure_cell(budget.mean, {quantity: "mean", extra: share(budget.mean)}),
            figure_cell(budget.over, {quantity: "over", mark: over, extra: share(budget.over)}),
            figure_cell(budget.under, {quantity: "under", extra: share(budget.under)}));
}

function budgets_part(policies) {
  const rows = policies.flatMap((policy) => (policy.budgets ?? []).map((budget) => budget_row(policy, budget)));
  if (rows.length === 0) return null;
  const heads = ["Policy", "Budget", "Windows", "Mean spend", "Most over", "Most under"];
  return section("budgets", "Budgets", "What the decisions of each window cost, against the limit of that window. Most over and " +
                 "most under are those of the worst window; means over seeds with 95 % intervals.", null,
                 scroller("Budgets of every policy", el("table", {class: "figures", id: "budgets_table"},
                     el("thead", {}, el("tr", {}, heads.map((head) => el("th", {scope: "col"}, head)))),
                     el("tbody", {}, rows))));
}
