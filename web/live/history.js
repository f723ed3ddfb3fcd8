// From the history, which has totals at up to 257 decisions, to what the charts show. Rates are means
// over the last `span` points, because one point alone is mostly noise.

const span_of = (points) => Math.max(1, Math.round(points.length / 32));

// The points of a live object, from the beginning on.
function points_of(live) {
  const points = array_of(live.history).filter((point) => is_number(point?.decided));
  if (points.length === 0 || points[0].decided === 0) return points;
  return [{decided: 0, learned: 0, at: null, reward: 0, spent: [], allowed: [], prices: [], plays: []}, ...points];
}

// Differences of a total over differences of a count: [{x, y}].
function rates(points, total, n) {
  const span = span_of(points), last = points[points.length - 1]?.at, out = [];
  for (let i = 1; i < points.length; ++i) {
    const one = points[Math.max(0, i - span)], two = points[i], more = n(two) - n(one);
    if (more > 0 && is_in_range(two, last)) out.push({x: x_of(two), y: (total(two) - total(one)) / more});
  }
  return out;
}

const reward_rates = (points) => rates(points, (p) => p.reward ?? 0, (p) => p.rewarded ?? p.learned ?? 0);

// Totals or levels that stand in the points: `of` returns null where there is none.
const levels = (points, of) => points.filter((p) => is_in_range(p, points[points.length - 1].at))
    .map((p) => ({x: x_of(p), y: of(p)})).filter((p) => is_number(p.y));

const kMostActions = 6;  // with a colour each; the others are shown together

// Shares of actions between points: {names, index, shares: [{x, of: [per name]}]}.
function action_shares(live, points) {
  const last = points[points.length - 1];
  const names = array_of(live.known_actions || live.actions).map(String);
  for (let a = names.length; a < array_of(last?.plays).length; ++a) names.push(`action ${a}`);  // no longer offered
  const plays = (point, a) => point?.plays?.[a] ?? 0;
  if (!last || array_of(last.plays).length === 0) return {names: [], shares: []};
  const by_plays = names.map((_, a) => a).sort((a, b) => plays(last, b) - plays(last, a));
  const own = new Set(names.length > kMostActions + 1 ? by_plays.slice(0, kMostActions) : by_plays);
  const groups = names.map((name, a) => [name, [a]]).filter(([, [a]]) => own.has(a));
  const others = names.map((_, a) => a).filter((a) => !own.has(a));
  if (others.length) groups.push([`${others.length} others`, others]);
  const span = span_of(points), shares = [];
  for (let i = 1; i < points.length; ++i) {
    const one = points[Math.max(0, i - span)], two = points[i];
    const of = groups.map(([, list]) => list.reduce((sum, a) => sum + plays(two, a) - plays(one, a), 0));
    const all = of.reduce((a, b) => a + b, 0);
    if (all > 0 && is_in_range(two, last.at)) shares.push({x: x_of(two), of: of.map((n) => n / all)});
  }
  return {names: groups.map(([name]) => name), shares};
}
