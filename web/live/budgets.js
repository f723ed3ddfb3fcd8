// A card per budget: a bar from nothing to the limit, with marks for the plan and the projected end,
// and the same in words.

const share_of = (x, limit) => (is_number(x) && limit > 0 ? x / limit : 0);

// The verdict and the words of the projected end ask the same, so that they never disagree. Half a percent
// is what single bills move the projection by.
const heads_over = ({limit, projected}) => is_number(projected) && projected > 1.005 * limit;

function budget_verdict(budget) {
  const {limit, spent} = budget;
  if (!is_number(limit) || !is_number(spent)) return ["warn", "not known"];
  if (spent > limit) return ["bad", "over the limit"];
  if (heads_over(budget)) return ["warn", "heading over"];
  return ["good", "within the limit"];
}

// "per day", "per 500 rounds", "in any 1 h", "for the whole run". A tick of the service is a second.
function per_text(per) {
  if (!per || per === "run") return "for the whole run";
  const text = String(per).replace(/^(last )?(\d+) ticks$/, (_, last, n) => (last ?? "") + duration(Number(n)));
  return text.startsWith("last ") ? `in any ${text.slice(5)}` : `per ${text}`;
}

function kind_text(budget) {
  const per = per_text(budget.per);
  return [budget.kind, `${amount(budget.limit, budget.cost)} ${per}`, budget.scope ? `for each ${budget.scope}` : null]
      .filter(Boolean).join(" · ");
}

function plan_text(budget) {
  if (!is_number(budget.plan)) return "none";
  const more = budget.spent - budget.plan;
  if (Math.abs(more) < 0.005 * budget.limit) return `${money(budget.plan)}; spent as planned`;
  return `${money(budget.plan)}; spent ${money(Math.abs(more))} ${more > 0 ? "more" : "less"} than planned`;
}

function projected_text(budget) {
  if (!is_number(budget.projected)) return "not known yet";
  return money(budget.projected) +
      (heads_over(budget) ? `; ${money(budget.projected - budget.limit)} over the limit` :
       budget.projected > budget.limit ? "; about the limit" :
       `; ${percent(share_of(budget.projected, budget.limit))} of the limit`);
}

function window_text(budget) {
  const parts = [];
  if (is_number(budget.window) && / rounds$/.test(budget.per)) parts.push(`number ${count(budget.window + 1)}`);
  if (is_number(budget.ends_in)) parts.push(`ends in ${duration(budget.ends_in)}, at ${clock(budget.last + 1)}`);
  if (budget.rounds_left > 0) parts.push(`about ${count(budget.rounds_left)} decisions to come`);
  if (budget.past) parts.push("longer than planned");
  if (budget.passed_holds > 0) parts.push(`${count(budget.passed_holds)} bills above the quantile held`);
  if (budget.over_holds > 0) parts.push(`${count(budget.over_holds)} bills above what was held`);
  return parts.join("; ") || "no end";
}

// The lines of a card: field, title, the number behind it, and its words.
const kBudgetLines = [
  ["spent", "Spent", (b) => b.spent, (b) => `${money(b.spent)} (${percent(share_of(b.spent, b.limit))})`],
  ["held", "Held", (b) => b.held, (b) => money(b.held)],
  ["left", "Left", (b) => b.left, (b) => money(b.left)],
  ["plan", "▾ Plan until now", (b) => b.plan, plan_text],
  ["projected", "▴ Projected end", (b) => b.projected, projected_text],
  ["window", "Window", (b) => b.window, window_text],
];

const bar_of = () => el("div", {class: "bar_box", "aria-hidden": "true"},
    el("div", {class: "track"}, el("div", {class: "spent"}), el("div", {class: "held"}), el("div", {class: "limit"})),
    el("div", {class: "mark plan"}, "▾"), el("div", {class: "mark projected"}, "▴"));

// The bar reaches past the limit if something does, but never so far that the rest is small.
function set_bar(bar, budget) {
  const {limit, spent = 0, held = 0, plan, projected} = budget;
  const largest = Math.max(...[spent + held, plan, projected].map((x) => share_of(x, limit)));
  const end = largest > 1 ? Math.min(1.5, 1.04 * largest) : 1;
  const at = (x) => `${100 * Math.min(1, Math.max(0, share_of(x, limit) / end))}%`;
  const part = (name) => bar.querySelector(`.${name}`);
  part("spent").style.width = at(spent);
  part("held").style.left = at(spent);
  part("held").style.width = `calc(${at(spent + held)} - ${at(spent)})`;
  part("limit").style.left = at(limit);
  part("limit").hidden = end === 1;
  for (const [name, x] of [["plan", plan], ["projected", projected]]) {
    part(name).hidden = !is_number(x);
    part(name).style.left = at(x);
  }
}

function budget_card(budget) {
  return el("article", {class: "card budget", "data-budget": budget.name},
      el("div", {class: "card_head"}, el("h3", {}, budget.name), verdict()), el("p", {class: "extra kind"}), bar_of(),
      el("dl", {class: "lines"}, kBudgetLines.map(([name, title]) => el("div", {}, el("dt", {}, title),
                                                                         el("dd", {"data-field": name}, kNone)))));
}

function update_budget(card, budget) {
  set_verdict(card.querySelector(".verdict"), ...budget_verdict(budget));
  set_text(card.querySelector(".kind"), kind_text(budget));
  set_bar(card.querySelector(".bar_box"), budget);
  for (const [name, , raw, text] of kBudgetLines) set_number(field_of(card, name), raw(budget), text(budget));
}

function budgets_part() {
  const cards = el("div", {class: "cards"}), kept = new Map();
  const root = section("budgets", "Budgets", "Spend in the open window of each budget. The plan spends evenly; the projected " +
                       "end is what this window will have spent at the present pace.", null, cards);
  return {root, update(live) {
    const budgets = array_of(live.budgets);
    root.hidden = budgets.length === 0;
    set_children(cards, kept, budgets, (budget) => budget.name, budget_card, update_budget);
  }};
}

// The budget that is closest to its limit, at the end of its window if that is known.
function tightest(budgets) {
  const tight = (b) => Math.max(share_of(b.projected, b.limit), share_of((b.spent ?? 0) + (b.held ?? 0), b.limit));
  return array_of(budgets).reduce((best, b) => (best === null || tight(b) > tight(best) ? b : best), null);
}
