// Who spends the money of budgets with a scope: a table per budget, of the keys that spent most. A search and
// the window before are asked of the service; without them the table follows the stream.

const kKeyColumns = [["key", "", (k) => k.key], ["spent", "Spent", (k) => k.spent], ["held", "Held", (k) => k.held],
                     ["left", "Left", (k) => k.left], ["limit", "Of", (k) => k.limit]];

function key_row(key) {
  return el("tr", {role: "row", "data-key": key.key},
      el("th", {role: "rowheader", scope: "row"}, el("span", {"data-field": "key"})),
      kKeyColumns.slice(1).map(([name, title]) => cell(title, {}, el("span", {"data-field": name}))));
}

function update_key(row, key) {
  set_text(field_of(row, "key"), String(key.key) + (key.own_amount ? " (own amount)" : ""));
  for (const [name, , raw] of kKeyColumns.slice(1)) set_number(field_of(row, name), raw(key), money(raw(key)));
}

function keys_card(page, model) {
  const table = el("table", {role: "table", class: "stacking keys"},
      el("caption", {class: "spoken"}, `Keys of ${page.budget}, those that spent most first`),
      el("thead", {role: "rowgroup"}, el("tr", {role: "row"}, kKeyColumns.map(([, title]) =>
          el("th", {role: "columnheader", scope: "col"}, title || String(page.scope))))),
      el("tbody", {role: "rowgroup"}));
  const search = el("input", {type: "search", "aria-label": `Search ${page.scope} of ${page.budget}`, autocomplete: "off"});
  const before = el("input", {type: "checkbox", "aria-label": `The window before, of ${page.budget}`});
  const card = el("article", {class: "card", "data-keys": page.budget},
      el("h3", {}, String(page.budget)), el("p", {class: "extra sum"}),
      el("div", {class: "ask"}, el("label", {}, `Search ${page.scope} `, search),
         el("label", {}, before, " the window before")), table);
  const kept = new Map();
  let asked = null, latest = page;
  const show = (found) => {
    const more = found.count - array_of(found.keys).length;
    set_text(card.querySelector(".sum"), `${count(found.count)} ${found.scope}: ${money(found.spent)} spent, ` +
             `${money(found.held)} held${more > 0 ? `; ${count(more)} more are not shown` : ""}`);
    set_children(table.tBodies[0], kept, array_of(found.keys), (key) => String(key.key), key_row, update_key);
  };
  async function ask() {
    asked = search.value || before.checked ? `${search.value} ${before.checked}` : null;
    const mine = asked;
    if (mine === null) return show(latest);
    const query = new URLSearchParams({budget: page.budget, search: search.value, ago: before.checked ? 1 : 0});
    try {
      const found = await get_json(`/v1/models/${encodeURIComponent(model)}/keys?${query}`);
      if (mine === asked) show(found);
    } catch (error) {
      set_text(card.querySelector(".sum"), error.message);
    }
  }
  search.addEventListener("input", ask);
  before.addEventListener("change", ask);
  card.update = (found) => {
    latest = found;
    if (asked === null) show(found);
  };
  return card;
}

function keys_part(model) {
  const cards = el("div", {class: "cards"}), kept = new Map();
  const root = section("keys", "Who spends", "The keys of each budget with a scope that spent most in the open window.",
                       null, cards);
  return {root, update(live) {
    const pages = array_of(live.keys);
    root.hidden = pages.length === 0;
    set_children(cards, kept, pages, (page) => page.budget, (page) => keys_card(page, model),
                 (card, page) => card.update(page));
  }};
}
