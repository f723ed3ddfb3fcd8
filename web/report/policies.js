// What a policy is called and how it is drawn. Colour never stands alone: every policy has a letter,
// a colour, a dash and a marker, and no two of the first 35 share both colour and dash.

const kMarkers = () => [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond,
                        d3.symbolCross, d3.symbolStar, d3.symbolWye];

const marker_path = (i, area = 42) => {
  const markers = kMarkers();
  return d3.symbol().type(markers[(i + Math.floor(i / kColours)) % markers.length]).size(area)();
};

// "ccb(a=1,b=f(x,y))" -> {name: "ccb", keys: Map {a: "1", b: "f(x,y)"}}.
function split_spec(spec) {
  const open = spec.indexOf("(");
  const keys = new Map();
  if (open < 0) return {name: spec, keys};
  let depth = 0, quoted = false, start = open + 1;
  const take = (end) => {
    const part = spec.slice(start, end), equals = part.indexOf("=");
    if (equals > 0) keys.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
    start = end + 1;
  };
  for (let i = open; i < spec.length; ++i) {
    const c = spec[i];
    if (c === '"' && spec[i - 1] !== "\\") quoted = !quoted;
    if (quoted) continue;
    if (c === "(" || c === "[") ++depth;
    if (c === ")" || c === "]") { if (--depth === 0) take(i); }
    if (c === "," && depth === 1) take(i);
  }
  return {name: spec.slice(0, open), keys};
}

// The name alone where it is the only one of its name; otherwise with the keys in which it differs.
function short_names(specs) {
  const parts = specs.map(split_spec);
  return parts.map(({name, keys}) => {
    const same = parts.filter((other) => other.name === name);
    if (same.length === 1) return name;
    const differs = [...keys].filter(([key, value]) => same.some((other) => other.keys.get(key) !== value));
    return [name, ...differs.map(([key, value]) => `${key}=${value}`)].join(" ");
  });
}

// One object a policy: the data, and what to draw it with.
function named_policies(data) {
  const names = short_names(data.policies.map((policy) => policy.spec));
  return data.policies.map((policy, index) => ({...policy, index, letter: letter(index), name: names[index],
                                                label: `${letter(index)} ${names[index]}`}));
}

const badge = (index) =>
    el("span", {class: "badge", style: `--of: ${colour(index)}`}, letter(index));

const policy_name = (policy) => el("span", {class: "policy", title: policy.spec}, badge(policy.index), " ",
                                   el("span", {class: "name"}, cut(policy.name, 40)));
