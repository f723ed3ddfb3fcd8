// The legend: a button a policy, which hides and shows it in every chart. Pointing at one, or
// reaching it with the keyboard, fades the others.

const kHidden = new Set();  // indices of hidden policies

const is_shown = (policy) => !kHidden.has(policy.index);

function swatch(index) {
  return svg_el("svg", {class: "swatch", viewBox: "0 0 34 14", width: 34, height: 14, "aria-hidden": "true"},
                svg_el("line", {x1: 1, x2: 33, y1: 7, y2: 7, stroke: colour(index), "stroke-width": 2,
                                "stroke-dasharray": dash(index)}),
                svg_el("path", {d: marker_path(index, 44), transform: "translate(17,7)", fill: colour(index),
                                class: "marker"}));
}

function focus_policy(index) {
  for (const node of document.querySelectorAll("[data-of]")) {
    node.classList.toggle("faded", index !== null && Number(node.dataset.of) !== index);
  }
}

function draw_legend(host, policies) {
  const buttons = policies.map((policy) => {
    const button = el("button", {type: "button", class: "entry", "aria-pressed": "true", title: policy.spec,
                                 "data-toggle": policy.index},
                      swatch(policy.index), el("b", {}, policy.letter), " ", cut(policy.name, 34));
    button.addEventListener("click", () => set_shown(policy, kHidden.has(policy.index)));
    for (const event of ["pointerenter", "focus"]) {
      button.addEventListener(event, () => focus_policy(kHidden.has(policy.index) ? null : policy.index));
    }
    for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => focus_policy(null));
    return button;
  });
  const all = el("button", {type: "button", class: "quiet all"}, "Show all");
  const set_shown = (policy, shown) => {
    if (shown) kHidden.delete(policy.index);
    else kHidden.add(policy.index);
    refresh();
  };
  const refresh = () => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(!kHidden.has(i))));
    all.disabled = kHidden.size === 0;
    redraw_all();
  };
  all.addEventListener("click", () => { kHidden.clear(); refresh(); });
  all.disabled = true;
  host.append(el("div", {class: "strip", role: "group", "aria-label": "Policies shown in the charts"},
                 ...buttons, all));
  host.hidden = false;
}
