#include "evaluate/play_line.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/math.h"

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Writer {
 public:
  explicit Writer(JsonWriter& json) : json_(json) {}
  template <class T>
  void operator()(std::string_view key, const T& value) {
    json_.key(key);
    put(value);
  }
  template <class T>
  void operator()(const Total& total, const T& value) {
    (*this)(total.name, value);
  }

 private:
  void put(double x) {
    if (std::isinf(x)) {
      json_.value(std::string_view(x > 0.0 ? "inf" : "-inf"));
    } else {
      json_.value(x);  // null for NaN
    }
  }
  void put(std::int64_t n) { json_.value(n); }
  void put(const std::optional<double>& x) { x ? put(*x) : put(kNan); }
  void put(const Costs& costs) { put_all(costs); }
  template <class T>
  void put(const std::vector<T>& values) {
    put_all(values);
  }
  template <class Range>
  void put_all(const Range& range) {
    json_.begin_array();
    for (const auto& x : range) put(x);
    json_.end_array();
  }
  JsonWriter& json_;
};

using Element = simdjson::dom::element;

// Reads the fields of an object and remembers the first that is missing or of the wrong type.
class Reader {
 public:
  Reader(Element from, std::string& wrong) : from_(from), wrong_(wrong) {}
  template <class T>
  void operator()(std::string_view key, T& value) {
    Element element;
    if (from_[key].get(element) != simdjson::SUCCESS || !get(element, value)) {
      if (wrong_.empty()) wrong_ = key;
    }
  }
  template <class T>
  void operator()(const Total& total, T& value) {
    if (total.is_late && from_[total.name].error() == simdjson::NO_SUCH_FIELD) {
      if constexpr (std::is_same_v<T, double>) value = kNan;
      return;
    }
    (*this)(total.name, value);
  }

 private:
  static bool get(Element element, double& x) {
    x = kNan;
    std::string_view text;
    if (element.get(text) == simdjson::SUCCESS) {
      x = text == "-inf" ? -kInfinity : kInfinity;
      return text == "inf" || text == "-inf";
    }
    return element.is_null() || element.get(x) == simdjson::SUCCESS;
  }
  static bool get(Element element, std::int64_t& n) { return element.get(n) == simdjson::SUCCESS; }
  static bool get(Element element, std::optional<double>& x) {
    x.reset();
    return element.is_null() || get(element, x.emplace());
  }
  static bool get(Element element, Costs& costs) {
    std::vector<double> values;
    if (!get(element, values) || values.size() > static_cast<std::size_t>(kMaxCosts)) return false;
    costs = Costs(std::span<const double>(values));
    return true;
  }
  template <class T>
  static bool get(Element element, std::vector<T>& values) {
    simdjson::dom::array array;
    if (element.get(array) != simdjson::SUCCESS) return false;
    values.clear();
    for (Element item : array) {
      if (!get(item, values.emplace_back())) return false;
    }
    return true;
  }
  Element from_;
  std::string& wrong_;
};

// Whether all lines of a curve have the same number of points.
bool is_even(const Curve& curve) {
  const std::size_t points = curve.rounds.size();
  bool even = curve.reward.size() == points && curve.regret.size() == points &&
              curve.explored.size() == points && curve.ccv.size() == curve.price.size();
  for (const auto* lines : {&curve.ccv, &curve.price}) {
    for (const auto& line : *lines) even = even && line.size() == points;
  }
  return even;
}

bool read_status(std::string_view text, Status& status) {
  for (int s = 0; s <= static_cast<int>(Status::kCrowded); ++s) {
    status = static_cast<Status>(s);
    if (name_of(status) == text) return true;
  }
  return false;
}

}  // namespace

std::string write_play_line(const std::string& policy, const PlayResult& result) {
  JsonWriter json;
  json.begin_object();
  json.key("policy").value(policy);
  json.key("seed").value(static_cast<std::int64_t>(result.totals.seed));
  json.key("no_bound").value(static_cast<std::int64_t>(result.totals.no_bound));
  json.key("no_certificate").value(static_cast<std::int64_t>(result.totals.no_certificate));
  json.key("status").value(name_of(result.totals.status));
  json.key("totals").begin_object();
  each_total(result.totals, Writer(json));
  json.end_object();
  json.key("budgets").begin_array();
  for (const BudgetTotals& budget : result.totals.budgets) {
    json.begin_object();
    each_field(budget, Writer(json));
    json.end_object();
  }
  json.end_array();
  json.key("curve").begin_object();
  each_line(result.curve, Writer(json));
  json.end_object();
  json.end_object();
  return json.str();
}

Result<PlayLine> read_play_line(std::string_view line) {
  simdjson::dom::parser parser;
  Element root, totals, curve;
  simdjson::dom::array budgets;
  std::string_view policy, status;
  std::int64_t seed = 0, no_bound = 0;
  auto no_certificate = static_cast<std::int64_t>(NoCertificate::kNotAsked);
  if (parser.parse(line.data(), line.size()).get(root) != simdjson::SUCCESS) {
    return Error{"it is not JSON"};
  }
  if (root["policy"].get(policy) != simdjson::SUCCESS ||
      root["seed"].get(seed) != simdjson::SUCCESS ||
      root["no_bound"].get(no_bound) != simdjson::SUCCESS ||
      root["status"].get(status) != simdjson::SUCCESS ||
      root["totals"].get(totals) != simdjson::SUCCESS ||
      root["budgets"].get(budgets) != simdjson::SUCCESS ||
      root["curve"].get(curve) != simdjson::SUCCESS) {
    return Error{"it lacks one of policy, seed, no_bound, status, totals, budgets, curve"};
  }
  PlayLine found{.policy = std::string(policy)};
  Totals& t = found.result.totals;
  t.seed = static_cast<std::uint64_t>(seed);
  std::string wrong;
  if (no_bound < 0 || no_bound > static_cast<std::int64_t>(NoBound::kLive)) wrong = "no_bound";
  t.no_bound = static_cast<NoBound>(no_bound);
  const auto given = root["no_certificate"].get(no_certificate);  // older plays have none
  if ((given != simdjson::SUCCESS && given != simdjson::NO_SUCH_FIELD) || no_certificate < 0 ||
      no_certificate > static_cast<std::int64_t>(NoCertificate::kLive)) {
    wrong = "no_certificate";
  }
  t.no_certificate = static_cast<NoCertificate>(no_certificate);
  if (!read_status(status, t.status)) wrong = "status";
  each_total(t, Reader(totals, wrong));
  for (Element each : budgets) each_field(t.budgets.emplace_back(), Reader(each, wrong));
  each_line(found.result.curve, Reader(curve, wrong));
  if (!wrong.empty()) return Error{fmt::format("\"{}\" is missing or of the wrong type", wrong)};
  for (const TotalNumbers& each : numbers_of(t)) {
    const bool bound = each.total.name.starts_with("bound_");  // empty if there is none
    if (!each.per_cost || (bound && each.numbers.empty())) continue;
    if (each.numbers.size() != static_cast<std::size_t>(t.ccv.size())) {
      return Error{"its costs do not match"};
    }
  }
  if (!is_even(found.result.curve)) return Error{"its curves do not match"};
  return found;
}

}  // namespace rein
