// The page, from top to bottom. What the data does not have is not shown.

function compare_parts(data, policies) {
  const panels = curve_panels(data, policies);
  const planes = data.costs.map((cost, i) => chart({
    id: `plane_${i}`, class: data.costs.length === 1 ? "wide" : "",
    title: data.costs.length === 1 ? `Reward against ${cost}` : cost,
  }, (host, width) => draw_plane(host, width, data, policies, i)));
  return [
    planes.length === 0 ? null :
        section("plane", "Reward against violation", "A point a policy, with 95 % intervals both ways; up and to the left " +
                "is better." + (data.references.length ? " Diamonds are references, not policies." : ""), null, el("div", {class: "charts"}, planes)),
    panels.length === 0 ? null :
        section("curves", "Over the rounds", "Means over seeds; bands are 95 % intervals.",
                "Point at a chart, or use the arrow keys on it, to read values. The legend hides and shows policies.",
                el("div", {class: "charts"}, panels.map((panel) => chart(
                    {id: panel.id, title: panel.title, note: panel.note},
                    (host, width) => draw_curves(host, width, panel, data, policies))))),
    section("figures", "Figures", "Means over seeds with 95 % intervals.", "Press a heading to sort.",
            scroller("Figures of every policy", figures_table(data, policies)),
            data.references.length ? scroller("References", references_table(data)) : null),
    budgets_part(policies),
    pairs_part(data, policies),
  ];
}

function draw_page(data) {
  if (data.kind?.startsWith("whatif")) {
    draw_whatif(data);
    document.documentElement.dataset.ready = "yes";
    return;
  }
  if (data.kind === "evaluate") {
    draw_evaluate(data);
    document.documentElement.dataset.ready = "yes";
    return;
  }
  for (const list of ["costs", "budgets", "policies", "references", "pairs"]) data[list] = data[list] ?? [];
  const policies = named_policies(data);
  const content = document.getElementById("content");
  draw_top(document.getElementById("top"), data, policies);
  if (policies.length > 1) draw_legend(document.getElementById("legend"), policies);
  const parts = [...(data.verify ? verify_parts(data) : []), ...(policies.length ? compare_parts(data, policies) : []),
                 reproduce_part(data, policies)];
  content.append(...parts.filter((part) => part !== null));
  draw_bottom(document.getElementById("bottom"), data);
  document.documentElement.dataset.ready = "yes";
}

try {
  draw_page(JSON.parse(document.getElementById("data").textContent));
} catch (error) {
  document.getElementById("content").prepend(
      el("p", {class: "problem", role: "alert"}, `This report could not be drawn: ${error.message}`));
  throw error;
}
