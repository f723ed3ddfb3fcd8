// The page of all models: a row per model, with its status, its tightest budget, and how busy it is.

const model_link = (name, attributes) => el("a", {...attributes, href: `/models/${encodeURIComponent(name)}`}, name);

const kFigures = ["Decisions", "Per second", "Reward", "Open", "Latency p99"];

function model_row(live) {
  return el("tr", {role: "row", "data-model": live.model},
      el("th", {role: "rowheader", scope: "row"}, model_link(String(live.model)), el("span", {class: "extra mode"})),
      cell("Status", {class: "how"}, verdict(), el("ul", {class: "extra plain_list", hidden: true})),
      cell("Tightest budget", {class: "tight"}, el("span", {"data-field": "budget"}), bar_of()),
      kFigures.map((name) => cell(name, {}, field("span", name.toLowerCase().replace(" ", "_")))));
}

function update_model(row, live) {
  const status = String(live.status ?? "ok"), budget = tightest(live.budgets), put = (name, x, text) =>
      set_number(field_of(row, name), x, text);
  set_verdict(row.querySelector(".verdict"), status_class(status), status);
  set_list(row.querySelector(".how ul"), [status === "ok" ? "" : status === "elsewhere" ? `on node ${live.owner || "none"}` : advice_of(live), ...array_of(live.alarms).map(String)].filter(Boolean));
  set_text(row.querySelector(".mode"), [live.policy, live.mode].filter(Boolean).map((text) => cut(String(text), 40)).join(" · "));
  put("budget", budget?.spent, budget === null ? "no budget" :
      `${budget.name}: ${money(budget.spent)} of ${amount(budget.limit, budget.cost)}`);
  row.querySelector(".bar_box").hidden = budget === null;
  if (budget !== null) set_bar(row.querySelector(".bar_box"), budget);
  put("decisions", live.counts?.decided, count(live.counts?.decided));
  put("per_second", live.rate?.decide, per_second(live.rate?.decide));
  put("reward", live.reward?.mean, number(live.reward?.mean));
  put("open", live.counts?.open, count(live.counts?.open));
  put("latency_p99", live.latency?.decide?.p99, live.latency?.decide?.count === 0 ? kNone : milliseconds(live.latency?.decide?.p99));
}

function all_page() {
  const body = el("tbody", {role: "rowgroup"}), kept = new Map();
  const heads = ["Model", "Status", "Tightest budget", ...kFigures];
  const table = el("table", {role: "table", class: "stacking models", hidden: true},
      el("caption", {class: "spoken"}, "All models of this service"),
      el("thead", {role: "rowgroup"}, el("tr", {role: "row"}, heads.map((name) => el("th", {role: "columnheader", scope: "col"}, name)))),
      body);
  const empty = el("p", {class: "note", hidden: true}, "There is no model yet. Create one with ", el("code", {}, "PUT /v1/models/NAME"),
                   " or in the configuration.");
  const troubles = el("p", {class: "note", role: "status", id: "troubles"});
  return {
    path: "/v1/events",
    parts: [el("div", {class: "summary"}, el("h1", {}, "All models"), troubles), empty, table],
    at: (data) => Math.max(...array_of(data.models).map((live) => live.at ?? 0), 0) || Date.now() / 1000,
    title: () => "All models – rein",
    update(data) {
      const models = array_of(data.models).filter((live) => live?.model !== undefined)
          .sort((a, b) => (String(a.model) < String(b.model) ? -1 : 1));
      empty.hidden = models.length > 0;
      table.hidden = models.length === 0;
      const ill = models.filter((live) => !["ok", "elsewhere"].includes(live.status ?? "ok")).map((live) => `${live.model} (${live.status})`);
      set_text(troubles, models.length === 0 ? "" : ill.length === 0 ? "Every model is ok." :
               `${ill.length} of ${models.length} need a look: ${ill.join(", ")}.`);
      set_children(body, kept, models, (live) => live.model, model_row, update_model);
    },
  };
}
