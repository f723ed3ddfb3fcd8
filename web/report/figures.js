// Figures {mean, low, high}: no more digits than the interval resolves.

const has_mean = (f) => f !== null && f !== undefined && is_number(f.mean);
const has_interval = (f) => has_mean(f) && is_number(f.low) && is_number(f.high);

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
