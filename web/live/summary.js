// The head of a model: its name, how it goes, and what rings. The status is announced when it changes.

const kBad = ["over", "infeasible"];
const status_class = (status) => (status === "ok" ? "good" : kBad.includes(status) ? "bad" : "warn");
const kMarks = {good: "✓", warn: "△", bad: "!"};  // meaning never by colour alone

function verdict() {
  return el("span", {class: "verdict"}, el("span", {class: "mark", "aria-hidden": "true"}), el("span", {class: "word"}));
}

function set_verdict(node, kind, word) {
  set_attribute(node, "class", `verdict ${kind}`);
  set_text(node.firstChild, kMarks[kind] ?? "");
  set_text(node.lastChild, word);
}

function summary_part(model) {
  const facts = ["Policy", "Mode", "Learned", "Expired", "Late", "Cancelled"];
  const root = el("div", {class: "summary"},
      el("h1", {}, model),
      el("div", {class: "status", role: "status", id: "status"}, verdict(),
         el("p", {class: "advice", "data-field": "advice"}), el("ul", {class: "alarms", "aria-label": "Alarms", hidden: true})),
      el("dl", {class: "facts"}, facts.map((name) => el("div", {}, el("dt", {}, name),
          el("dd", {}, field(name === "Policy" ? "code" : "span", name.toLowerCase()))))));
  return {root, update(live) {
    const status = String(live.status ?? "ok"), counts = live.counts ?? {};
    set_verdict(root.querySelector(".verdict"), status_class(status), status);
    set_text(field_of(root, "advice"), advice_of(live));
    set_list(root.querySelector(".alarms"), array_of(live.alarms).map(String));
    set_text(field_of(root, "policy"), String(live.policy ?? kNone));
    const mode = String(live.mode ?? kNone);
    set_text(field_of(root, "mode"), kModes[mode] ? `${mode}: ${kModes[mode]}` : mode);
    for (const name of ["learned", "expired", "late", "cancelled"]) {
      set_number(field_of(root, name), counts[name], count(counts[name]));
    }
  }};
}

const advice_of = (live) => String(live.advice || (live.status === "ok" ? "Nothing to do." : ""));
