// The page of one model, from top to bottom. What the data does not have is not shown.

function charts_of(costs) {
  const named = (cost) => (costs.length > 1 ? `: ${cost}` : "");
  const charts = [live_chart({id: "reward", title: "Reward per decision",
                              note: "Mean of the rewards that came between points of the history."},
                             (live) => ({lines: [{name: "reward", points: reward_rates(points_of(live))}]}))];
  costs.forEach((cost, c) => {
    charts.push(
        live_chart({id: `spend_${c}`, title: `Spend against plan${named(cost)}`,
                    note: `Sum of ${cost} so far, and what the windows of the budgets planned by then (dashed).`},
                   (live) => ({lines: [{name: "spent", points: levels(points_of(live), (p) => p.spent?.[c])},
                                       {name: "allowed", points: levels(points_of(live), (p) => p.allowed?.[c])}]})),
        live_chart({id: `price_${c}`, title: `Price${named(cost)}`, note: `Reward given up for one unit of ${cost}.`},
                   (live) => ({lines: [{name: "price", points: levels(points_of(live), (p) => p.prices?.[c])}]})));
  });
  charts.push(live_chart({id: "shares", title: "Shares of actions", note: "Of the decisions between points of the history."},
                         (live) => ({stack: action_shares(live, points_of(live))})));
  return charts;
}

function charts_part() {
  const grid = el("div", {class: "charts"});
  let charts = [], made_for = null, latest = null;
  const root = section("history", "Over time", "At up to 257 decisions, evenly apart since the model began.", null,
                       axis_controls(() => latest && charts.forEach((chart) => chart.draw(latest))), grid);
  return {root, update(live) {
    latest = live;
    const costs = array_of(live.costs).map(String), points = array_of(live.history);
    if (made_for !== JSON.stringify(costs)) {
      made_for = JSON.stringify(costs);
      kCharts.length = 0;
      charts = charts_of(costs);
      grid.replaceChildren(...charts.map((chart) => chart.figure));
    }
    const key = JSON.stringify([points.length, points[points.length - 1], live.actions]);
    for (const chart of charts) chart.update(live, key);
  }};
}

function model_page(model) {
  const parts = [summary_part(model), tiles_part(), budgets_part(), keys_part(model), windows_part(model), charts_part(),
                 decisions_part(model)];
  return {
    path: `/v1/models/${encodeURIComponent(model)}/events`,
    parts: parts.map((part) => part.root),
    at: (live) => live.at,
    title: (live) => `${model}: ${live.status ?? ""} – rein`,
    update(live) {
      for (const part of parts) part.update(live);
    },
  };
}
