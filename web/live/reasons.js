// Why an action was played: its estimated reward less what its estimated costs count at their prices.

// One object per action of a decision: {name, reward, costs, priced, score}.
function scored_actions(decision, costs) {
  const estimates = array_of(decision.estimates);
  return array_of(decision.actions).map((name, a) => {
    const reward = estimates[0]?.[a], of = costs.map((_, c) => estimates[1 + c]?.[a]);
    const priced = costs.map((_, c) => (is_number(of[c]) ? of[c] * (decision.price?.[c] ?? 0) : null));
    const score = is_number(reward) ? priced.reduce((sum, x) => sum - (x ?? 0), reward) : null;
    return {name: String(name), reward, costs: of, priced, score};
  });
}

// "0.82 − 0.30 × 1.10 dollars = 0.49": the estimates behind one action.
function score_text(action, decision, costs) {
  if (!is_number(action?.reward)) return "no estimates";
  const term = (cost, c) => `− ${number(decision.price[c], 3)} × ${number(action.costs[c], 3)} ${cost}`;
  const terms = costs.map((cost, c) => (action.priced[c] ? term(cost, c) : null)).filter(Boolean);
  const reward = number(action.reward, 3);
  return terms.length === 0 ? `estimated reward ${reward}` : `${reward} ${terms.join(" ")} = ${number(action.score, 3)}`;
}

const named_action = (actions, name) => actions.find((action) => action.name === String(name));

// "explored: 0.86 − 0.31 × 0.61 dollars = 0.671; small has 0.704".
function reason_text(decision, costs) {
  const actions = scored_actions(decision, costs), played = named_action(actions, decision.action);
  const best = decision.best === null ? undefined : named_action(actions, decision.best);
  return (decision.reason ? `${decision.reason}: ` : "") + score_text(played, decision, costs) +
         (is_number(best?.score) && best !== played ? `; ${best.name} has ${number(best.score, 3)}` : "");
}

function outcome_text(decision, costs) {
  const parts = is_number(decision.reward) ? [`reward ${number(decision.reward)}`] : [];
  costs.forEach((cost, c) => {
    if (is_number(decision.costs?.[c])) parts.push(amount(decision.costs[c], cost));
  });
  return parts.join(", ");
}

// All estimates of a decision, one row per action.
function estimates_table(decision, costs) {
  const actions = scored_actions(decision, costs), scopes = Object.entries(decision.scopes ?? {});
  const marks = (name) => [name === String(decision.action) ? "played" : null,
                           decision.best !== null && name === String(decision.best) ? "best score" : null].filter(Boolean).join(", ");
  const played = named_action(actions, decision.action);
  const head = ["Action", "Score", "Reward", ...costs.flatMap((cost) => [cost, `${cost} × price`])];
  return [
    el("p", {}, `${decision.action}: ${score_text(played, decision, costs)}; played with probability ` +
                `${probability(decision.probability)}.`),
    scopes.length === 0 ? null : el("p", {}, `For ${scopes.map(([name, key]) => `${name} ${key}`).join(", ")}.`),
    el("p", {}, "Id ", el("code", {}, String(decision.id)), costs.length === 0 ? null :
       `; prices: ${costs.map((cost, c) => `${number(decision.price?.[c], 3)} per unit of ${cost}`).join(", ")}.`),
    actions.length === 0 ? null : scroller(`Estimates of decision ${decision.id}`, el("table", {class: "plain"},
        el("caption", {}, "Estimates when it was decided. Score: reward less priced costs."),
        el("thead", {}, el("tr", {}, head.map((name) => el("th", {scope: "col"}, name)))),
        el("tbody", {}, actions.map((action) => el("tr", {},
            el("th", {scope: "row"}, action.name, el("span", {class: "extra"}, marks(action.name))),
            el("td", {}, number(action.score, 3)), el("td", {}, number(action.reward, 3)),
            costs.flatMap((_, c) => [el("td", {}, number(action.costs[c], 3)), el("td", {}, number(action.priced[c], 3))])))))),
  ];
}
