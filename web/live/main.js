// Starts the page: the address says which one, the stream brings what it shows.

const kMostLinks = 8;  // in the navigation; with more models, the page of all of them is the list

function model_of_address() {
  const found = /^\/models\/([^/]+)\/?$/.exec(location.pathname);
  try {
    return found ? decodeURIComponent(found[1]) : null;
  } catch {  // not a name that the service could have
    return found[1];
  }
}

async function draw_links(model) {
  const nav = document.getElementById("models");
  const mark = (is_here) => (is_here ? "page" : null);
  let names = [];
  try {
    names = array_of((await get_json("/v1/models")).models).map((one) => String(one.name)).sort();
  } catch { /* the stream says what is wrong */ }
  if (names.length > kMostLinks) names = names.filter((name) => name === model);
  nav.replaceChildren(el("a", {class: "home", href: "/", "aria-current": mark(model === null)}, "rein"),
                      ...names.map((name) => model_link(name, {"aria-current": mark(name === model)})));
}

function start() {
  const model = model_of_address(), content = document.getElementById("content");
  const page = model === null ? all_page() : model_page(model);
  const line = connection_line(document.getElementById("connection"));
  const problem = el("p", {class: "problem", role: "alert", hidden: true});
  let latest = null, is_asked = false;
  content.replaceChildren(problem, ...page.parts);
  draw_forget();
  document.title = model === null ? "All models – rein" : `${model} – rein`;

  // Drawn with the next frame: a hidden page draws nothing, a slow one skips what it missed.
  function draw() {
    is_asked = false;
    if (latest === null || line.is_paused()) return;
    try {
      page.update(latest);
      line.showing(page.at(latest));
      document.title = page.title(latest);
      problem.hidden = true;
      document.documentElement.dataset.ready = "yes";
    } catch (error) {
      problem.hidden = false;
      set_text(problem, `An update could not be shown: ${error.message}`);
    }
  }
  const ask = () => {
    if (is_asked) return;
    is_asked = true;
    requestAnimationFrame(draw);
  };
  line.on_resume = ask;
  follow(page.path, {...line, opened() { line.opened(); draw_links(model); }}, (data) => {
    latest = data;
    ask();
  });
}

start();
