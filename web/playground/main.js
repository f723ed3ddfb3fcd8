// The page: three sliders, a world, charts that grow while the policies play.

const kRounds = 10000, kPoints = 200, kFrame = 24;  // milliseconds of work per frame
const kPolicies = [["ccb", "ccb"], ["squarecb", "SquareCB"], ["pacer", "pacer"]];
const kWorlds = {
  linear: ["four actions; better ones cost more", (p) => `linear(k=4,d=4,costs=positive,rate=${p.budget},noise=gaussian,sd=${p.difficulty})`],
  heavy: ["six actions; costs differ by 500", (p) => `heavy(k=6,d=4,rate=${p.budget},noise=gaussian,sd=${p.difficulty})`],
};
// name, title, least, most, step, first
const kSliders = [["budget", "Budget per round", 0.05, 0.5, 0.01, 0.15], ["difficulty", "Difficulty: noise of outcomes", 0.05, 0.6, 0.05, 0.2],
                  ["delay", "Delay of outcomes, in rounds", 0, 1000, 10, 0]];

const play_state = {program: null, chosen: {}, points: [], rounds: 0, is_playing: false};

function slider([name, title, min, max, step, value], changed) {
  const shown = el("output", {id: `${name}_value`}, String(value));
  const input = el("input", {type: "range", id: name, min, max, step, value, "aria-label": title});
  play_state.chosen[name] = value;
  input.addEventListener("input", () => {
    play_state.chosen[name] = Number(input.value);
    set_text(shown, input.value);
    changed();
  });
  return el("label", {}, `${title}: `, shown, input);
}

const world_spec = () => kWorlds[play_state.chosen.world][1](play_state.chosen);

// Lines of the charts: what each is of a point {x, of: [[reward, spent, price]]}.
function lines_of(value) {
  return kPolicies.map(([, name], i) => ({name, points: play_state.points.map((p, n) => ({x: p.x, y: value(p, i, n)}))
      .filter((p) => is_number(p.y))}));
}

// Mean over the last twentieth of the rounds that were played.
function recent(p, i, n, which) {
  const before = play_state.points[Math.max(0, n - Math.max(1, Math.round(play_state.points.length / 20)))];
  return p.x > before.x ? (p.of[i][which] - before.of[i][which]) / (p.x - before.x) : NaN;
}

function playground_charts() {
  return [
    live_chart({id: "reward", title: "Reward per round", note: "Mean over recent rounds."},
               () => ({lines: lines_of((p, i, n) => recent(p, i, n, 0))})),
    live_chart({id: "spend", title: "Spend against budget", note: "In shares of the budget of all rounds; even: as much in every round."},
               () => ({lines: [...lines_of((p, i) => p.of[i][1] / (play_state.chosen.budget * kRounds)),
                               {name: "even", points: play_state.points.map((p) => ({x: p.x, y: p.x / kRounds}))}]})),
    live_chart({id: "price", title: "Price", note: "Reward given up for one unit of cost. SquareCB has none: 0."},
               () => ({lines: lines_of((p, i) => p.of[i][2])})),
  ];
}

function sum_table() {
  const last = play_state.points[play_state.points.length - 1];
  return el("table", {}, el("caption", {class: "spoken"}, "Totals so far"),
      el("thead", {}, el("tr", {}, ["Policy", "Reward", "Spent", "of the budget so far"].map((name) => el("th", {scope: "col"}, name)))),
      el("tbody", {}, kPolicies.map(([spec, name], i) => {
        const [reward, spent] = last.of[i], due = play_state.chosen.budget * last.x;
        return el("tr", {"data-policy": spec}, el("th", {scope: "row"}, name), el("td", {}, number(reward, 4)), el("td", {}, number(spent, 4)),
                  el("td", {}, due > 0 ? percent(spent / due) : kNone));
      })));
}

function playground_page(content) {
  const problem = el("p", {class: "problem", role: "alert", hidden: true});
  const play = el("button", {type: "button", id: "play"}, "Play"), again = el("button", {type: "button", id: "again"}, "Begin anew");
  const seed = el("button", {type: "button", id: "seed"}, "Another seed"), shown = el("span", {role: "status", id: "rounds"});
  const grid = el("div", {class: "charts"}), sum = el("div", {class: "sum"});
  const charts = playground_charts();
  const world = el("select", {id: "world", "aria-label": "World"}, Object.entries(kWorlds).map(([name, [about]]) => el("option", {value: name}, `${name}: ${about}`)));
  Object.assign(play_state.chosen, {world: "linear", seed: 1});
  grid.append(...charts.map((chart) => chart.figure));

  function draw() {
    set_text(shown, `${count(play_state.rounds)} of ${count(kRounds)} rounds, seed ${play_state.chosen.seed}`);
    set_text(play, play_state.is_playing ? "Pause" : "Play");
    sum.replaceChildren(sum_table());
    for (const chart of charts) chart.draw(null);
  }
  function begin() {
    try {
      play_state.program.begin(world_spec(), kPolicies.map(([spec]) => spec), play_state.chosen.seed, kRounds, play_state.chosen.delay);
      problem.hidden = true;
    } catch (error) {
      problem.hidden = false;
      return set_text(problem, error.message);
    }
    play_state.rounds = 0;
    play_state.points = [{x: 0, of: kPolicies.map(() => [0, 0, NaN])}];
    draw();
  }
  function frame() {
    if (!play_state.is_playing) return;
    const end = performance.now() + kFrame;
    while (performance.now() < end && play_state.rounds < kRounds) {
      play_state.rounds += kRounds / kPoints;
      play_state.points.push({x: play_state.rounds, of: play_state.program.step(kRounds / kPoints)});
    }
    if (play_state.rounds >= kRounds) play_state.is_playing = false;
    draw();
    requestAnimationFrame(frame);
  }
  play.addEventListener("click", () => {
    if (play_state.rounds >= kRounds) begin();
    play_state.is_playing = !play_state.is_playing;
    draw();
    requestAnimationFrame(frame);
  });
  again.addEventListener("click", begin);
  seed.addEventListener("click", () => { play_state.chosen.seed += 1; begin(); });
  world.addEventListener("change", () => { play_state.chosen.world = world.value; begin(); });
  content.replaceChildren(problem, el("div", {class: "controls"}, el("label", {}, "World: ", world), kSliders.map((each) => slider(each, begin))),
                          el("div", {class: "buttons"}, play, again, seed, shown), sum, grid);
  begin();
}

async function start_playground() {
  const content = document.getElementById("content");
  try {
    play_state.program = await load_program(window.reinProgram);
    playground_page(content);
    document.documentElement.dataset.ready = "yes";
    document.documentElement.dataset.milliseconds = Math.round(performance.now());
  } catch (error) {
    content.replaceChildren(el("p", {class: "problem", role: "alert"}, `The playground cannot run here: ${error.message}`));
  }
}

// For the test: the numbers after each tenth of a play, as bits.
window.reinBits = (world, specs, seed, rounds, delay) => {
  play_state.program.begin(world, specs, seed, rounds, delay);
  return Array.from({length: 10}, () => play_state.program.step(rounds / 10).flat().map(bits_of).join(" "));
};

start_playground();
