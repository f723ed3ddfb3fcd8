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
