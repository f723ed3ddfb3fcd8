// The token of the service: asked for when it is needed, kept until the tab is closed, never part of
// an address.

const kTokenKey = "rein_token";

// Storage may be forbidden by the browser; then the token lasts as long as the page.
let token_in_memory = "";

function stored_token() {
  try {
    return sessionStorage.getItem(kTokenKey) ?? token_in_memory;
  } catch {
    return token_in_memory;
  }
}

function store_token(token) {
  token_in_memory = token;
  try {
    if (token) sessionStorage.setItem(kTokenKey, token);
    else sessionStorage.removeItem(kTokenKey);
  } catch { /* see above */ }
  draw_forget();
}

// Shows the form and waits for it.
function ask_token(message) {
  const tried = stored_token() !== "";
  store_token("");
  const input = el("input", {id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true,
                             "aria-describedby": "token_note"});
  const form = el("form", {class: "token card", "aria-labelledby": "token_title"},
      el("h2", {id: "token_title"}, "This service needs a token"),
      el("p", {id: "token_note", class: "note", role: tried ? "alert" : null},
         tried ? `The service did not accept this token: ${message}` :
         "It is the token that the service was started with. It stays in this tab until you close it."),
      el("div", {class: "line"}, el("label", {for: "token"}, "Token"), input,
         el("button", {type: "submit", class: "quiet"}, "Connect")));
  document.getElementById("content").prepend(form);
  input.focus();
  return new Promise((done) => form.addEventListener("submit", (event) => {
    event.preventDefault();
    // A header holds no line breaks and no spaces at its ends.
    store_token(input.value.trim());
    form.remove();
    document.getElementById("content").focus();
    done();
  }));
}

function draw_forget() {
  const host = document.getElementById("bottom");
  const forget = () => {
    store_token("");
    location.reload();
  };
  host.replaceChildren(el("p", {}, "Charts: D3. Times are on your clock. "),
      stored_token() === "" ? "" : el("button", {type: "button", class: "quiet", onclick: forget}, "Forget the token"));
}
