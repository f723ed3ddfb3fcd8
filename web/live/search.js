// A search in the last thousand decisions: by action, tenant, state, reason or id. The answer stays as it is until the
// words change; outcomes that come later are seen by searching again.

function found_row(decision, costs) {
  const scopes = Object.entries(decision.scopes ?? {}).map(([name, key]) => `${name}=${key}`).join(", ");
  return el("tr", {"data-found": decision.id},
      el("th", {scope: "row"}, clock(decision.at)), el("td", {}, String(decision.action)),
      el("td", {}, probability(decision.probability)), el("td", {}, String(decision.reason)),
      el("td", {}, `${kStates[decision.state] ?? decision.state} ${outcome_text(decision, costs)}`.trim()), el("td", {}, scopes),
      el("td", {}, el("code", {}, String(decision.id))));
}

function search_part(model) {
  const words = el("input", {type: "search", id: "search", "aria-label": "Search the last 1000 decisions", autocomplete: "off", placeholder: "large tenant=acme"});
  const sum = el("p", {class: "note", role: "status", hidden: true}), host = el("div", {});
  const root = el("div", {class: "search"}, el("div", {class: "ask"}, el("label", {}, "Search the last 1000 ", words)), sum, host);
  let costs = [], asked = "";
  async function ask() {
    const mine = asked = words.value.trim();
    sum.hidden = mine === "";
    if (mine === "") return host.replaceChildren();
    try {
      const query = new URLSearchParams({search: mine, most: 100});
      const found = await get_json(`/v1/models/${encodeURIComponent(model)}/decisions?${query}`);
      if (mine !== asked) return;
      const rows = array_of(found.decisions);
      set_text(sum, `${count(found.found)} of ${count(found.searched)} decisions have these words` +
               (found.found > rows.length ? `; the newest ${count(rows.length)} are shown.` : "."));
      const heads = ["Time", "Action", "p", "Why", "Outcome", "Scopes", "Id"];
      host.replaceChildren(...(rows.length === 0 ? [] : [scroller("Decisions that were found", el("table", {class: "plain found"},
          el("caption", {class: "spoken"}, "Decisions that were found, newest first"),
          el("thead", {}, el("tr", {}, heads.map((name) => el("th", {scope: "col"}, name)))),
          el("tbody", {}, rows.map((decision) => found_row(decision, costs)))))]));
    } catch (error) {
      if (mine === asked) set_text(sum, error.message);
    }
  }
  words.addEventListener("input", ask);
  return {root, update(live) { costs = array_of(live.costs).map(String); }};
}
