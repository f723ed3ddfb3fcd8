// Fields: elements whose text changes while the rest stays, so that focus, selection and a screen
// reader's place are kept. Nothing is touched that did not change.

function set_text(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function set_attribute(node, name, value) {
  if (value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

// A text that shows a number. `data-value` keeps the number as it came.
function set_number(node, x, text) {
  set_attribute(node, "data-value", is_number(x) ? x : null);
  set_text(node, text);
}

const field = (tag, name, attributes) => el(tag, {...attributes, "data-field": name}, kNone);

const field_of = (root, name) => root.querySelector(`[data-field="${name}"]`);

// Children of `host` for the items, by key and in their order: kept, made or removed, then updated.
// `kept` is a Map from key to element, which belongs to this host.
function set_children(host, kept, items, key_of, make, update) {
  const wanted = new Set(items.map(key_of));
  for (const [key, node] of kept) {
    if (!wanted.has(key)) {
      node.remove();
      kept.delete(key);
    }
  }
  const known = new Set(kept.values());  // a caption or a head may come before them
  let next = [...host.children].find((child) => known.has(child)) ?? null;
  for (const item of items) {
    const key = key_of(item);
    let node = kept.get(key);
    if (!node) {
      node = make(item);
      kept.set(key, node);
    }
    if (node === next) next = next.nextElementSibling;
    else host.insertBefore(node, next);
    update(node, item);
  }
}

// Shows a list only if there is something in it.
function set_list(list, texts) {
  const key = JSON.stringify(texts);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren(...texts.map((text) => el("li", {}, text)));
  list.hidden = texts.length === 0;
}

const array_of = (x) => (Array.isArray(x) ? x : []);
