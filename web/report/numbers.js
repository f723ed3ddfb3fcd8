// Numbers for people: no more digits than the interval resolves, thousands apart, a true minus sign.

const kNone = "–";  // stands for a figure that does not exist

const is_number = (x) => typeof x === "number" && Number.isFinite(x);
const has_mean = (f) => f !== null && f !== undefined && is_number(f.mean);
const has_interval = (f) => has_mean(f) && is_number(f.low) && is_number(f.high);

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

// The texts of a figure {mean, low, high}: two digits of the interval's half width decide.
function figure_texts(f, scale = 1, most = 8) {
  if (!has_mean(f)) return null;
  const half = has_interval(f) ? scale * (f.high - f.low) / 2 : 0;
  if (!(half > 0)) return {mean: number(scale * f.mean), low: null, high: null};
  const size = Math.max(Math.abs(f.mean), Math.abs(f.low), Math.abs(f.high)) * scale;
  if (size >= 1e10 || half < 1e-6) {
    return {mean: number(scale * f.mean), low: number(scale * f.low), high: number(scale * f.high)};
  }
  const decimals = Math.min(most, decimals_for(half, 2));
  const text = (x) => dressed((scale * x).toFixed(decimals));
  return {mean: text(f.mean), low: text(f.low), high: text(f.high)};
}

// In a sentence: "5 312 (5 268 to 5 356)".
function figure_phrase(f, scale = 1, most = 8) {
  const texts = figure_texts(f, scale, most);
  if (texts === null) return kNone;
  return texts.low === null ? texts.mean : `${texts.mean} (${texts.low} to ${texts.high})`;
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
