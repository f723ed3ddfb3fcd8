// A budget as text: day(amount=5,cost=dollars,hard=1,per="24 ticks").
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/spec_reader.h"
#include "rein/budget.h"

namespace rein {
namespace {

constexpr const char* kPer =
    "run, day, week, month, \"500 rounds\", \"3600 ticks\" or \"last 3600 ticks\"";

// The length in "500 rounds", or 0.
std::int64_t length_of(std::string_view text, std::string_view unit) {
  std::int64_t length = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), length);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  return code == std::errc() && rest == unit ? length : 0;
}

bool read_window(std::string_view per, const std::string& zone, Window& out) {
  if (per == "run") out = Window::run();
  if (per == "day") out = Window::day(zone);
  if (per == "week") out = Window::week(zone);
  if (per == "month") out = Window::month(zone);
  if (per == "run" || out.calendar()) return true;
  if (const std::int64_t rounds = length_of(per, " rounds"); rounds > 0) {
    out = Window::rounds(rounds);
    return true;
  }
  const bool rolling = per.starts_with("last ");
  const std::int64_t ticks = length_of(rolling ? per.substr(5) : per, " ticks");
  if (ticks <= 0) return false;
  out = rolling ? Window::rolling(ticks) : Window::ticks(ticks);
  return true;
}

// ["acme=25", "beta=15"]: a key, and its amount after the last =.
std::vector<KeyAmount> read_amounts(SpecReader& read) {
  std::vector<KeyAmount> amounts;
  const SpecValue* value = read.value("amounts");
  if (value == nullptr) return amounts;
  constexpr std::string_view kAccepted = "a list of \"KEY=AMOUNT\", as [\"acme=25\", \"beta=15\"]";
  const auto* list = std::get_if<SpecValue::List>(&value->is);
  if (list == nullptr) {
    read.wrong("amounts", *value, kAccepted);
    return amounts;
  }
  for (const SpecValue& each : *list) {
    const auto* text = std::get_if<SpecValue::Quoted>(&each.is);
    const std::size_t split = text != nullptr ? text->text.rfind('=') : std::string::npos;
    double amount = 0.0;
    const char* end = text != nullptr ? text->text.data() + text->text.size() : nullptr;
    if (split == std::string::npos ||
        std::from_chars(text->text.data() + split + 1, end, amount).ptr != end) {
      read.wrong("amounts", each, kAccepted);
      return amounts;
    }
    amounts.push_back({text->text.substr(0, split), amount});
  }
  return amounts;
}

// Whether a name can stand before the parenthesis.
bool is_word(const std::string& name) {
  const auto inside = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
         std::ranges::all_of(name, inside);
}

}  // namespace

std::string per_of(const Window& window) {
  switch (window.kind) {
    case Window::Kind::kRun:
      return "run";
    case Window::Kind::kRounds:
      return fmt::format("{} rounds", window.length);
    case Window::Kind::kTicks:
      return fmt::format("{} ticks", window.length);
    case Window::Kind::kRolling:
      return fmt::format("last {} ticks", window.length);
    case Window::Kind::kDay:
      return "day";
    case Window::Kind::kWeek:
      return "week";
    case Window::Kind::kMonth:
      return "month";
  }
  return "";
}

std::string hold_of(const Budget& budget) {
  return budget.hold_quantile == 0.0 ? "largest" : fmt::format("quantile({})", budget.hold_quantile);
}

Result<double> parse_hold(std::string_view text) {
  if (text == "largest") return 0.0;
  constexpr std::string_view kBegin = "quantile(";
  double quantile = 0.0;
  if (text.starts_with(kBegin)) {
    const char* end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data() + kBegin.size(), end, quantile);
    const bool closed = code == std::errc() && std::string_view(rest, end) == ")";
    if (closed && quantile >= kLeastQuantile && quantile <= kMostQuantile) return quantile;
  }
  return Error{fmt::format("found hold=\"{}\"; accepted: largest, or quantile(0.999) with a number from {} to {}",
                           text, kLeastQuantile, kMostQuantile)};
}

Result<Budget> parse_budget(std::string_view text) {
  auto parsed = parse_spec(text, "budget");
  if (!parsed) return parsed.failure();
  const Spec& spec = parsed.value();
  SpecReader read(spec, "budget");
  Budget budget;
  budget.name = read.text("name", spec.name);
  budget.cost = read.text("cost", "");
  const auto amount = read.number("amount", {.low = 0.0});
  budget.amount = amount.value_or(0.0);
  const std::string kind = read.word("kind", "", {"steer", "hard"});
  const bool hard = read.flag("hard", false);
  if (hard && kind == "steer") {
    read.refuse("found kind=steer and hard=1; accepted: one of the two");
  }
  budget.kind = hard || kind == "hard" ? BudgetKind::kHard : BudgetKind::kSteer;
  const std::string hold = read.text("hold", "largest");
  if (auto quantile = parse_hold(hold); quantile) {
    budget.hold_quantile = quantile.value();
  } else {
    read.refuse(quantile.error());
  }
  const std::string per = read.text("per", "run");
  if (!read_window(per, read.text("zone", "UTC"), budget.window)) {
    read.refuse(fmt::format("found per=\"{}\"; accepted: {}", per, kPer));
  }
  budget.carry = read.flag("carry", false);
  budget.scope = read.text("scope", "");
  budget.rounds = read.integer("rounds", 0, 0, std::int64_t{1} << 53);
  budget.amounts = read_amounts(read);
  budget.keep = static_cast<int>(read.integer("keep", 0, 0, kMaxKeptWindows));
  budget.named = read.flag("named", false);
  if (auto done = read.finish(); !done) return done.failure();
  if (!amount || budget.cost.empty()) {
    return Error{
        fmt::format("budget: found {}; accepted: amount=NUMBER and cost=NAME, as in "
                    "{}(amount=5,cost=dollars,per=\"100 rounds\")",
                    spec.str(), spec.name)};
  }
  return budget;
}

std::string to_text(const Budget& budget) {
  const auto quoted = [](const std::string& text) { return SpecValue{SpecValue::Quoted{text}}; };
  const bool word = is_word(budget.name);
  Spec spec(word ? budget.name : "budget");
  if (!word) spec.set("name", quoted(budget.name));
  spec.set("cost", quoted(budget.cost));
  spec.set("amount", SpecValue{budget.amount});
  if (budget.kind == BudgetKind::kHard) spec.set("hard", SpecValue{1.0});
  if (budget.hold_quantile != 0.0) spec.set("hold", quoted(hold_of(budget)));
  if (budget.window.kind != Window::Kind::kRun) spec.set("per", quoted(per_of(budget.window)));
  if (budget.window.calendar()) spec.set("zone", quoted(budget.window.zone));
  if (budget.carry) spec.set("carry", SpecValue{1.0});
  if (!budget.scope.empty()) spec.set("scope", quoted(budget.scope));
  if (budget.rounds > 0) spec.set("rounds", SpecValue{static_cast<double>(budget.rounds)});
  SpecValue::List amounts;
  for (const KeyAmount& own : budget.amounts) {
    amounts.push_back(quoted(fmt::format("{}={}", own.key, own.amount)));
  }
  if (!amounts.empty()) spec.set("amounts", SpecValue{std::move(amounts)});
  if (budget.keep > 0) spec.set("keep", SpecValue{static_cast<double>(budget.keep)});
  if (budget.named) spec.set("named", SpecValue{1.0});
  return spec.str();
}

}  // namespace rein
