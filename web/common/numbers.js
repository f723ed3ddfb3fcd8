// Numbers for people: no more digits than are of use, thousands apart, a true minus sign.

const kNone = "–";  // stands for a figure that does not exist

const is_number = (x) => typeof x === "number" && Number.isFinite(x);

// "-12345.6" becomes "−12 345.6", with a thin space that does not break.
function dressed(text) {
  const [, sign, whole, rest] = /^(-?)(\d+)(.*)$/.exec(text);
  const apart = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return (sign && /[1-9]/.test(whole + rest) ? "\u2212" : "") + apart + rest.replace("e-", "e\u2212").replace("e+", "e");
}

const magnitude = (x) => Math.floor(Math.log10(Math.abs(x)));
const decimals_for = (x, digits) => Math.min(8, Math.max(0, digits - 1 - magnitude(x)));

// One number by itself: four digits that count.
function number(x, digits = 4) {
  if (!is_number(x)) return kNone;
  if (x === 0) return "0";
  if (Math.abs(x) >= 1e10 || Math.abs(x) < 1e-4) return dressed(x.toExponential(digits - 2));
  const text = x.toFixed(decimals_for(x, digits));
  return dressed(text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

// On an axis: short.
function tick(x) {
  const size = Math.abs(x);
  if (size >= 1e15 || (size > 0 && size < 1e-3)) return dressed(x.toExponential(0));
  if (size >= 10000) return d3.format(".3~s")(x).replace("-", "\u2212").replace("G", "B");
  return String(Number(x.toPrecision(4))).replace("-", "\u2212");
}

const percent_tick = (x) => tick(Number((100 * x).toPrecision(4))) + " %";
const percent = (x) => (is_number(x) ? number(100 * x, 3) + " %" : kNone);
const count = (n) => (is_number(n) ? dressed(String(Math.round(n))) : kNone);

const cut = (text, most) => (text.length <= most ? text : text.slice(0, most - 1) + "…");
