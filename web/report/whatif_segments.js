// Whom the policy of one budget serves: groups in words, what they get, and what that is worth.

function gets_words(actions) {
  const most = Object.entries(actions).sort((a, b) => b[1] - a[1]).slice(0, 3);
  return most.filter(([, share], k) => k === 0 || share >= 0.005).map(([name, share]) => `${cut(name, 24)} ${percent(share)}`).join(", ");
}

function segments_table(found, total) {
  const [reward] = found.heads, head = (text, extra) =>
      el("th", {scope: "col"}, text, extra ? el("span", {class: "extra"}, extra) : null);
  const figure = (value) => ({mean: value.value, low: value.low, high: value.high});
  const heads = [head("Who"), head("Rows", "that are valued"), head("Share"), head("Gets"),
                 head("Gain", `reward more than ${cut(found.cheapest, 24)}`),
                 ...(total > 0 ? [head("Gain in all", `in ${count(total)} rows`)] : []),
                 ...found.heads.map((name) => head(name === reward ? "Reward" : name))];
  const row = (group, at) => el("tr", {"data-row": at}, el("th", {scope: "row"}, group.words),
      el("td", {class: "figure"}, count(group.rows)),
      el("td", {class: "figure", "data-quantity": "share", "data-mean": group.share}, percent(group.share)),
      el("td", {"data-gets": group.action}, gets_words(group.actions)),
      figure_cell(figure(group.gain[reward]), {quantity: "gain"}),
      total > 0 ? figure_cell(figure(group.gain[reward]), {quantity: "gain_total", scale: group.share * total}) : null,
      found.heads.map((name, h) => figure_cell(figure(group.values[name]), {quantity: `head_${h}`})));
  return el("table", {class: "figures", id: "segments_table"}, el("thead", {}, el("tr", {}, heads)),
            el("tbody", {}, found.segments.map(row), row(found.all, "all")));
}

function segments_part(found, total) {
  if (!found) return null;
  return section("segments", `Whom, at ${found.cost} ${number(found.budget)} per round`,
                 `Groups in words, those with the largest gain first. They, the regressions and the price come from ` +
                 `${count(found.grown)} rows, all numbers from ${count(found.valued)} others. Each interval holds alone, in ` +
                 "95 % of logs.", null,
                 scroller("Groups of rows", segments_table(found, total)),
                 found.warnings.length === 0 ? null : el("div", {class: "problem", "data-warnings": "segments"},
                     el("ul", {}, found.warnings.map((line) => el("li", {}, line)))));
}
