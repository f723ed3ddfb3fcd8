// The head of the page (what ran, what came out) and its end (how to run it again).

function facts(data) {
  const seeds = data.seeds ?? {};
  const last = is_number(seeds.first) ? seeds.first + seeds.count - 1 : null;
  const pairs = [
    ["World", data.world ? el("code", {}, data.world) : null],
    ["Rounds", is_number(data.rounds) && data.rounds > 0 ? count(data.rounds) : null],
    ["Seeds", seeds.count ? (seeds.count === 1 ? `one (${seeds.first}): no intervals` :
                             `${seeds.count} (${seeds.first} to ${last})` + (data.policies.length > 1 ? ", the same for every policy" : "")) : null],
    ["Budget", data.budgets.some(is_number) ?
        data.costs.map((cost, i) => `${number(data.budgets[i])} ${cost}`).join(", ") : null],
    ["Profile", data.verify?.profile ?? null],
  ];
  return el("dl", {class: "facts"}, pairs.filter(([, value]) => value !== null)
      .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

const kept_budgets = (data, policy) => data.budgets.every((budget, i) => !is_number(budget) ||
    (has_mean(policy.spend?.[i]) && !is_over(policy.spend[i], budget)));

// Whether the first of two is clearly ahead, by their paired difference.
function clearly_apart(data, one, two) {
  const pair = data.pairs.find((p) => (p.a === one && p.b === two) || (p.a === two && p.b === one));
  return pair ? is_clear(pair.reward) : null;
}

function tile(title, policy, value, extra) {
  return el("div", {class: "tile"}, el("h3", {}, title), policy ? el("p", {class: "who"}, policy_name(policy)) : null,
            el("p", {class: "value"}, value), extra ? el("p", {class: "extra"}, extra) : null);
}

// What came out, said with care: a lead inside the noise is not called one.
function findings(data, policies) {
  const budgeted = data.budgets.some(is_number);
  const kept = budgeted ? policies.filter((policy) => kept_budgets(data, policy)) : policies;
  const by = (of) => kept.filter((policy) => has_mean(of(policy))).sort((a, b) => of(b).mean - of(a).mean);
  const tiles = [];
  if (budgeted) {
    tiles.push(tile("Kept the budget", null, `${kept.length} of ${policies.length}`, "policies, their spend not clearly above it"));
  }
  const [best, second] = by((policy) => policy.reward);
  if (best) {
    const apart = second ? clearly_apart(data, best.index, second.index) : null;
    tiles.push(tile(budgeted ? "Most reward within budget" : "Most reward", best, figure_phrase(best.reward),
                    second === undefined || apart === null ? null :
                    apart ? `clearly ahead of ${cut(second.label, 28)}` : `not clearly ahead of ${cut(second.label, 28)}`));
  }
  if (!budgeted && data.costs.length > 0) {
    const worst = (policy) => policy.ccv?.every(has_mean) ?
        policy.ccv.reduce((a, b) => (b.mean > a.mean ? b : a)) : null;
    const least = by(worst).reverse()[0];
    if (least) tiles.push(tile("Least violation", least, figure_phrase(worst(least)), "CCV, of its largest cost"));
  }
  const regrets = by((policy) => policy.regret);
  if (regrets.length) {
    const least = regrets[regrets.length - 1];
    tiles.push(tile(budgeted ? "Least regret within budget" : "Least regret", least, figure_phrase(least.regret),
                    `benchmark: ${least.benchmark}`));
  }
  return tiles.length && policies.length > 1 ? el("div", {class: "tiles"}, tiles) : null;
}

function draw_top(host, data, policies) {
  document.title = `${data.title || "rein " + data.kind}`;
  const rows = (data.verify?.rows ?? []).filter((row) => row.promised !== false);
  const passed = rows.filter((row) => row.pass).length;
  host.append(el("p", {class: "eyebrow"}, `rein ${data.kind}`), el("h1", {}, data.title || `rein ${data.kind}`),
              facts(data));
  if (rows.length) {
    host.append(el("div", {class: "tiles"}, tile("Rows that pass", null, `${passed} of ${rows.length}`,
        passed === rows.length ? "no exponent and no value above what is proved" :
        "failing: " + rows.filter((row) => !row.pass).map((row) => `(${row.part}) ${quantity_name(row)}`).join(", "))));
  }
  if (policies.length) host.append(findings(data, policies) ?? "");
}

function save_button(data) {
  const save = () => {
    const link = el("a", {download: `rein_${data.kind}.json`,
                          href: URL.createObjectURL(new Blob([JSON.stringify(data)], {type: "application/json"}))});
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return el("button", {type: "button", class: "quiet", onclick: save}, "Save the numbers (JSON)");
}

function reproduce_part(data, policies) {
  const specs = policies.length === 0 ? null : el("ol", {class: "specs", id: "specs"},
      policies.map((policy) => el("li", {}, badge(policy.index), " ", el("code", {}, policy.spec))));
  return section("again", "Run it again",
                 "The same command gives the same numbers, whatever the machine's number of cores; only CPU seconds differ.", null,
                 command_box(data.command), specs ? el("h3", {}, "Policies, as they ran") : null, specs,
                 el("p", {class: "actions"}, save_button(data)));
}

const draw_bottom = (host, data) => host.append(el("p", {}, `rein ${data.rein}. Means over seeds with 95 % intervals ` +
    "of the mean by Student's t. Charts: D3."));
