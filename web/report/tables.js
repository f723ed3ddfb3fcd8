// The table of means and intervals: a row a policy, sorted by any column.

// Columns that at least one policy has.
function columns_of(data, policies) {
  const columns = [
    {key: "reward", title: "Reward", of: (policy) => policy.reward},
    {key: "regret", title: "Regret", of: (policy) => policy.regret},
    {key: "regret_long_term", title: "Regret, long term", of: (policy) => policy.regret_long_term},
  ];
  data.costs.forEach((cost, i) => {
    const budget = data.budgets[i], has_budget = is_number(budget);
    const named = data.costs.length > 1 || has_budget ? ` ${cost}` : "";
    if (has_budget) {
      columns.push({key: `spend_${i}`, title: `Spend${named}`, of: (policy) => policy.spend?.[i],
                    extra: (f) => `${percent(f.mean / budget)} of B`, mark: (f) => over_mark(f, budget)},
                   {key: `excess_${i}`, title: `Excess${named}`, of: (policy) => policy.excess?.[i]});
    } else {
      columns.push({key: `ccv_${i}`, title: `CCV${named}`, of: (policy) => policy.ccv?.[i]},
                   {key: `ccv_max_${i}`, title: `Largest CCV${named}`, of: (policy) => policy.ccv_max?.[i]});
    }
  });
  columns.push({key: "reward_at_stop", title: "Reward at a hard stop", of: (policy) => policy.reward_at_stop},
               {key: "explored", title: "Explored", of: (policy) => policy.explored, scale: 100, unit: " %"},
               cpu_column(policies));
  return columns.filter((column) => policies.some((policy) => has_mean(column.of(policy))));
}

// Milliseconds where all are short.
function cpu_column(policies) {
  const longest = d3.max(policies, (policy) => policy.cpu_seconds?.mean);
  const short = is_number(longest) && longest < 1;
  return {key: "cpu_seconds", title: short ? "CPU ms" : "CPU seconds", of: (policy) => policy.cpu_seconds,
          scale: short ? 1000 : 1};
}

// Over a budget is who is clearly over: even the lower end of the interval. Said in words, not by
// colour alone.
const is_over = (f, budget) => (is_number(f.low) ? f.low : f.mean) > budget * (1 + 1e-12);
const over_mark = (f, budget) => (is_over(f, budget) ?
    el("span", {class: "over", title: "the whole interval is above the budget"}, " over") : null);

// A policy chosen after the fact among several settings says so.
const grid_words = (grid) => `best of ${grid.tried} settings, in hindsight`;

function figure_row(policy, columns, benchmarks_differ) {
  return el("tr", {"data-row": policy.index},
            el("th", {scope: "row"}, policy_name(policy),
               policy.grid?.best ? el("span", {class: "extra"}, grid_words(policy.grid)) : null,
               benchmarks_differ ? el("span", {class: "extra"}, `benchmark: ${policy.benchmark}`) : null),
            columns.map((column) => {
              const f = column.of(policy);
              return figure_cell(f, {quantity: column.key, scale: column.scale, unit: column.unit,
                                     extra: has_mean(f) ? column.extra?.(f) : null,
                                     mark: has_mean(f) ? column.mark?.(f) : null});
            }));
}

function figures_table(data, policies) {
  const columns = columns_of(data, policies);
  const differ = new Set(policies.map((policy) => policy.benchmark)).size > 1;
  const rows = new Map(policies.map((policy) => [policy, figure_row(policy, columns, differ)]));
  const body = el("tbody", {}, [...rows.values()]);
  const heads = columns.map((column) => el("th", {scope: "col", "aria-sort": "none"},
      el("button", {type: "button", class: "sort"}, column.title)));
  const given = el("th", {scope: "col", "aria-sort": "ascending"},
                   el("button", {type: "button", class: "sort"}, "Policy"));
  const sort_by = (head, value) => {
    const down = head.getAttribute("aria-sort") === "descending" || head === given;
    for (const other of [given, ...heads]) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "ascending" : "descending");
    const sign = down ? 1 : -1;
    const order = [...policies].sort((a, b) => {
      const [one, two] = [value(a), value(b)];  // what does not exist stands last
      if (!is_number(one) || !is_number(two)) return Number(is_number(two)) - Number(is_number(one));
      return sign * (one - two) || a.index - b.index;
    });
    body.append(...order.map((policy) => rows.get(policy)));
  };
  given.firstChild.addEventListener("click", () => sort_by(given, (policy) => policy.index));
  heads.forEach((head, i) => head.firstChild.addEventListener("click", () =>
      sort_by(head, (policy) => columns[i].of(policy)?.mean)));
  return el("table", {class: "figures", id: "figures_table"},
            el("thead", {}, el("tr", {}, given, heads)), body);
}

function references_table(data) {
  const references = data.references;
  if (references.length === 0) return null;
  return el("table", {class: "figures", id: "references_table"},
            el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Reference"), el("th", {scope: "col"}, "Reward"),
               data.costs.map((cost) => el("th", {scope: "col"}, `Total ${cost}`)))),
            el("tbody", {}, references.map((reference) => el("tr", {},
               el("th", {scope: "row"}, reference.name), figure_cell(reference.reward, {quantity: "reward"}),
               data.costs.map((_, i) => figure_cell(reference.spend?.[i], {quantity: `cost_${i}`}))))));
}
