// The windows of budgets that have closed: what each had, and what it spent. A card is opened by hand, asks the
// service once, and again when another window has closed. Budgets with a scope have theirs with their keys.

const kWindowColumns = ["Window", "Spent", "Of", "Share"];

function window_row(window, cost) {
  const time = (at) => (is_number(at) ? clock(at) : "not known");
  return el("tr", {"data-window": window.window},
      el("th", {scope: "row"}, is_number(window.first) ? `${time(window.first)} to ${time(window.last)}` : `number ${count(window.window + 1)}`),
      el("td", {}, amount(window.spent, cost)), el("td", {}, money(window.limit)), el("td", {}, percent(share_of(window.spent, window.limit))));
}

function windows_card(budget, model) {
  const host = el("div", {}), card = el("details", {class: "card numbers", "data-windows": budget.name},
                                        el("summary", {}, `${budget.name}: closed windows`), host);
  let present = budget.window, asked = null;
  async function ask() {
    if (!card.open || asked === present) return;
    asked = present;
    try {
      const query = new URLSearchParams({budget: budget.name});
      const found = await get_json(`/v1/models/${encodeURIComponent(model)}/windows?${query}`);
      const closed = array_of(found.windows).filter((window) => !window.open).sort((a, b) => b.window - a.window);
      host.replaceChildren(closed.length === 0 ? el("p", {class: "empty"}, "No window has closed yet.") :
          scroller(`${budget.name}: closed windows`, el("table", {class: "plain"},
              el("caption", {}, "Newest first."),
              el("thead", {}, el("tr", {}, kWindowColumns.map((name) => el("th", {scope: "col"}, name)))),
              el("tbody", {}, closed.map((window) => window_row(window, budget.cost))))));
    } catch (error) {
      asked = null;
      host.replaceChildren(el("p", {class: "empty"}, error.message));
    }
  }
  card.addEventListener("toggle", ask);
  card.update = (latest) => {
    present = latest.window;
    ask();
  };
  return card;
}

function windows_part(model) {
  const cards = el("div", {class: "cards"}), kept = new Map();
  const root = section("windows", "Closed windows", "What the windows before the open one spent.", null, cards);
  return {root, update(live) {
    const budgets = array_of(live.budgets).filter((budget) => !budget.scope && budget.per !== "run");
    root.hidden = budgets.length === 0;
    set_children(cards, kept, budgets, (budget) => budget.name, (budget) => windows_card(budget, model),
                 (card, budget) => card.update(budget));
  }};
}
