// The points of a what-if curve, as charts and tables need them.

// {mean, low, high} of a value: the joint band, which the charts draw, or the interval of one budget.
const joint = (value) => (value ? {mean: value.value, low: value.band_low, high: value.band_high} : null);
const alone = (value) => (value ? {mean: value.value, low: value.low, high: value.high} : null);

// The range if propensities are wrong (docs/whatif.md#logs-without-propensities), or null.
const if_wrong = (point, head) => (point.sensitivity ? {mean: point.sensitivity[head].value, ...point.sensitivity[head]} : null);
const wrong_words = (curve) => `odds of propensities wrong by up to ${number(curve.lambda)}`;

const possible_points = (points) => points.filter((point) => point.possible);

// "94.1 (91.2 to 96.3)": both intervals in words, the joint one first.
function both_phrase(value) {
  if (!value) return kNone;
  if (!has_interval(joint(value))) return `${number(value.value)}, no interval`;
  return figure_phrase(joint(value));
}

const limit_words = (limit) => `${limit.head} at ${limit.kind === "at_least" ? "least" : "most"} ${number(limit.amount)}`;

// Budgets of the axis: from the first that was asked for to the last, and where the log is.
function budget_domain(curve) {
  const logged = curve.logged.values[curve.cost];
  return d3.extent([...curve.points.map((point) => point.budget), logged?.value].filter(is_number));
}

// The largest shares first. Actions beyond the seventh are added up as "others".
function share_bands(curve) {
  const points = possible_points(curve.points);
  const most = (name) => d3.max(points, (point) => point.shares[name]) ?? 0;
  const played = curve.actions.map((name, index) => ({name, index, most: most(name)})).filter((action) => action.most > 0.0005);
  const ranked = [...played].sort((a, b) => b.most - a.most || a.index - b.index);
  const kept = ranked.slice(0, ranked.length > kColours ? kColours - 1 : kColours).sort((a, b) => a.index - b.index);
  const bands = kept.map(({name}, index) => ({name, index, of: (point) => point.shares[name]}));
  const rest = ranked.slice(bands.length).map((action) => action.name);
  if (rest.length) {
    bands.push({name: `${rest.length} others`, index: bands.length, of: (point) => d3.sum(rest, (name) => point.shares[name])});
  }
  return bands;
}
