// Elements. Text always goes in as text, never as HTML: specs and names are the user's own.

function set_up(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const el = (tag, attributes, ...children) =>
    set_up(document.createElement(tag), attributes, children);
const svg_el = (tag, attributes, ...children) =>
    set_up(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// `hint` is of use only on a screen: paper leaves it out.
function section(id, title, note, hint, ...children) {
  return el("section", {id, "aria-labelledby": id + "_title"},
            el("div", {class: "head"}, el("h2", {id: id + "_title"}, title),
               el("p", {class: "note"}, note, hint ? el("span", {class: "hint"}, " " + hint) : null)), ...children);
}

// A wide table scrolls inside its own box, which the keyboard can reach.
const scroller = (label, table) =>
    el("div", {class: "scroller", tabindex: 0, role: "region", "aria-label": label}, table);

// The cell of a figure: the mean, its interval below. `data-*` keep the numbers as they came.
function figure_cell(f, options = {}) {
  const texts = figure_texts(f, options.scale ?? 1, options.decimals);
  const attributes = {class: "figure " + (options.class ?? ""), "data-quantity": options.quantity};
  if (texts === null) return el("td", {...attributes, "aria-label": "does not exist"}, kNone);
  return el("td", {...attributes, "data-mean": f.mean, "data-low": f.low, "data-high": f.high},
            el("span", {class: "mean"}, texts.mean + (options.unit ?? ""), options.mark ?? null),
            texts.low === null ? null : el("span", {class: "interval"}, `${texts.low} to ${texts.high}`),
            options.extra ? el("span", {class: "extra"}, options.extra) : null);
}

function copy_button(text) {
  const button = el("button", {type: "button", class: "quiet copy"}, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {  // files opened from disk may not write to the clipboard: select it for the user
      const code = button.parentElement.querySelector("code");
      if (code) getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

const command_box = (text) => el("div", {class: "command"}, el("code", {}, text), copy_button(text));
