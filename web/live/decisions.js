// The last decisions. A row opens to all estimates behind it. While a row is open or the keyboard is in
// the table, the list is held: rows do not move, and only their outcomes change.

const kStates = {open: "open", settled: "settled", expired: "expired", cancelled: "cancelled"};

// Explicit roles: on a phone the style sheet lays rows out as blocks, and some browsers would then no
// longer call them rows.
const cell = (name, attributes, ...children) => el("td", {role: "cell", "data-label": name, ...attributes}, ...children);

function decision_rows(decision) {
  const id = `decision_${++decisions_made}`;
  const toggle = el("button", {type: "button", class: "toggle", "aria-expanded": "false", "aria-controls": id});
  const row = el("tr", {role: "row", "data-id": decision.id},
      el("th", {role: "rowheader", scope: "row"}, toggle),
      cell("Action", {}, el("b", {}), " ", el("span", {class: "extra chance"})), cell("Why", {class: "why"}),
      cell("Outcome", {class: "outcome"}, el("span", {class: "extra state"}), " ", el("span", {class: "came"})));
  const detail = el("tr", {role: "row", id, class: "detail", hidden: true}, el("td", {role: "cell", colspan: 4}));
  return el("tbody", {role: "rowgroup"}, row, detail);
}
let decisions_made = 0;

function update_rows(body, decision, costs) {
  const [row, detail] = body.rows, part = (name) => row.querySelector(name);
  set_text(part(".toggle"), clock(decision.at));
  set_attribute(part(".toggle"), "aria-label", `Decision at ${clock(decision.at)}, ${decision.action}: all estimates`);
  set_text(part("b"), String(decision.action));
  set_text(part(".chance"), `p ${probability(decision.probability)}`);
  set_text(part(".why"), reason_text(decision, costs));
  set_attribute(part(".outcome"), "data-state", decision.state);
  set_text(part(".state"), kStates[decision.state] ?? String(decision.state ?? kNone));
  set_text(part(".came"), outcome_text(decision, costs));
  body.show = () => detail.cells[0].replaceChildren(...estimates_table(decision, costs).filter(Boolean));
}

function decisions_part(model) {
  const table = el("table", {role: "table", class: "stacking decisions"},
      el("caption", {class: "spoken"}, "The last decisions, newest first"),
      el("thead", {role: "rowgroup"}, el("tr", {role: "row"}, ["Time", "Action", "Why", "Outcome"].map((name) =>
          el("th", {role: "columnheader", scope: "col"}, name)))));
  const newest = el("button", {type: "button", class: "quiet", hidden: true, id: "newest"},
                    "The list is held. Show the newest decisions");
  const empty = el("p", {class: "note", id: "none"}, "No decision yet.");
  const search = search_part(model);
  const root = section("decisions", "Last decisions", "Estimated reward less priced costs decides. Open a row for the " +
                       "estimates of all actions; the list then waits.", null, search.root, empty, newest, table);
  const kept = new Map();
  let live = null, released = false;
  const is_open = () => table.querySelector("[aria-expanded=true]") !== null;
  const has_keyboard = () => table.contains(document.activeElement) && document.activeElement.matches(":focus-visible");
  const is_held = () => !released && (is_open() || has_keyboard());

  const close = (toggle) => {
    toggle.setAttribute("aria-expanded", "false");
    document.getElementById(toggle.getAttribute("aria-controls")).hidden = true;
  };
  table.addEventListener("click", (event) => {
    const toggle = event.target.closest(".toggle");
    if (!toggle) return;
    if (toggle.getAttribute("aria-expanded") === "true") return close(toggle);
    const body = toggle.closest("tbody");
    body.show();
    toggle.setAttribute("aria-expanded", "true");
    body.rows[1].hidden = false;
  });
  newest.addEventListener("click", () => {
    table.querySelectorAll("[aria-expanded=true]").forEach(close);
    released = true;
    draw();
    released = false;
    table.querySelector(".toggle")?.focus({preventScroll: true});
    draw();
  });

  function draw() {
    const latest = array_of(live?.latest).filter((decision) => decision?.id), costs = array_of(live?.costs).map(String);
    const held = is_held();
    const shown = held ? latest.filter((decision) => kept.has(decision.id)) : latest;
    if (held) shown.forEach((decision) => update_rows(kept.get(decision.id), decision, costs));
    else set_children(table, kept, shown, (decision) => decision.id, decision_rows, (body, d) => update_rows(body, d, costs));
    newest.hidden = !held || latest.every((decision) => kept.has(decision.id));
    empty.hidden = kept.size > 0;
    table.hidden = kept.size === 0;
    set_attribute(table, "data-held", held ? "yes" : null);
  }
  return {root, update(data) { live = data; search.update(data); draw(); }};
}
