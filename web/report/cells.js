// Cells and boxes of the report.

// The cell of a figure: the mean, its interval below. `data-*` keep the numbers as they came.
function figure_cell(f, options = {}) {
  const texts = figure_texts(f, options.scale ?? 1, options.decimals);
  const attributes = {class: "figure " + (options.class ?? ""), "data-quantity": options.quantity};
  if (texts === null) return el("td", {...attributes, "aria-label": "does not exist"}, kNone);
  return el("td", {...attributes, "data-mean": f.mean, "data-low": f.low, "data-high": f.high},
            el("span", {class: "mean"}, texts.mean + (options.unit ?? ""), options.mark ?? null),
            texts.low === null ? null : el("span", {class: "interval"}, `${texts.low} to ${texts.high}`),
            options.extra ? el("span", {class: "extra"}, options.extra) : null);
}

function copy_button(text) {
  const button = el("button", {type: "button", class: "quiet copy"}, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {  // files opened from disk may not write to the clipboard: select it for the user
      const code = button.parentElement.querySelector("code");
      if (code) getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

const command_box = (text) => el("div", {class: "command"}, el("code", {}, text), copy_button(text));
