// Numbers and times of the live page, in words.

// Amounts: two decimals unless whole, more where they are small, at most millionths.
function money(x) {
  if (!is_number(x)) return kNone;
  if (x === 0 || Math.abs(x) < 5e-7) return "0";
  if (Math.abs(x) >= 1e10) return number(x);
  return dressed(x.toFixed(Math.min(6, Math.max(2, 2 - magnitude(x)))).replace(/(\.\d\d\d*?)0+$/, "$1").replace(/\.00$/, ""));
}

const amount = (x, cost) => `${money(x)} ${cost}`;

function milliseconds(x) {
  if (!is_number(x)) return kNone;
  return (x >= 100 ? dressed(x.toFixed(0)) : x.toFixed(x >= 10 ? 1 : x >= 0.1 || x === 0 ? 2 : 3)) + " ms";
}

function per_second(x) {
  if (!is_number(x)) return kNone;
  return (x >= 100 ? count(x) : dressed(x.toFixed(1))) + " / s";
}

// "3 d 4 h", "12 min", "8 s": two units at most, rounded down.
function duration(seconds) {
  if (!is_number(seconds)) return kNone;
  const s = Math.max(0, Math.floor(seconds));
  const two = (a, a_name, b, b_name) => `${a} ${a_name}` + (b > 0 ? ` ${b} ${b_name}` : "");
  if (s >= 86400) return two(Math.floor(s / 86400), "d", Math.floor(s % 86400 / 3600), "h");
  if (s >= 3600) return two(Math.floor(s / 3600), "h", Math.floor(s % 3600 / 60), "min");
  return s >= 60 ? two(Math.floor(s / 60), "min", s < 600 ? s % 60 : 0, "s") : `${s} s`;
}

// A UTC second on the clock of the reader, "14:03:05"; with the day where it is not today.
function clock(seconds) {
  if (!is_number(seconds)) return kNone;
  const at = new Date(1000 * seconds), pad = (n) => String(n).padStart(2, "0");
  if (Number.isNaN(at.getTime())) return kNone;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(pad).join(":");
  const is_today = at.toDateString() === new Date().toDateString();
  return is_today ? time : `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${time}`;
}

function iso_time(seconds) {
  const at = new Date(1000 * seconds);
  return is_number(seconds) && !Number.isNaN(at.getTime()) ? at.toISOString() : null;
}

const probability = (p) => (is_number(p) ? number(p, 3) : kNone);

// Amounts by cost, {dollars: 0.1, seconds: 3}: "0.10 dollars, 3 seconds".
const amounts = (by_cost) =>
    Object.entries(by_cost ?? {}).map(([cost, x]) => amount(x, cost)).join(", ") || kNone;

// What a mode of the service means; "online" needs no words.
const kModes = {
  shadow: "answers the baseline; the policy only says what it would do",
  logging: "answers the baseline and records what comes of it",
};
