#include "evaluate/result_line.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/math.h"

namespace rein {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Visits every field once with its name, for both the writer and the reader.
template <class Of, class Visit>
void each_bound(Of& bounds, Visit&& visit) {
  visit("regret", bounds.regret);
  visit("ccv", bounds.ccv);
  visit("ccv_average", bounds.ccv_average);
  visit("ccv_share", bounds.ccv_share);
  visit("queue_rms", bounds.queue_rms);
}

template <class Of, class Visit>
void each_total(Of& totals, Visit&& visit) {
  visit("reward", totals.reward);
  visit("regret", totals.regret);
  visit("regret_average", totals.regret_average);
  visit("regret_long_term", totals.regret_long_term);
  visit("regret_stationary", totals.regret_stationary);
  visit("ccv", totals.ccv);
  visit("ccv_max", totals.ccv_max);
  visit("ccv_average", totals.ccv_average);
  visit("ccv_positive", totals.ccv_positive);
  visit("ccv_share", totals.ccv_share);
  visit("spend", totals.spend);
  visit("excess", totals.excess);
  visit("queue_rms", totals.queue_rms);
  visit("reward_at_stop", totals.reward_at_stop);
  visit("explored", totals.explored);
  visit("oracle_error", totals.oracle_error);
  visit("u", totals.u);
  visit("u_bound", totals.u_bound);
  visit("misspecified", totals.misspecified);
  visit("over_norm", totals.over_norm);
  visit("no_bound", totals.no_bound);
  visit("bounds", totals.bounds);
  visit("premise", totals.premise);
  visit("bounds_with_premise", totals.bounds_with_premise);
  visit("alarm_round", totals.alarm_round);
  visit("status", totals.status);
  visit("effective_size", totals.effective_size);
  visit("infeasible_rounds", totals.infeasible_rounds);
  visit("cpu_seconds", totals.cpu_seconds);
}

template <class Of, class Visit>
void each_curve(Of& curve, Visit&& visit) {
  visit("rounds", curve.rounds);
  visit("reward", curve.reward);
  visit("regret", curve.regret);
  visit("explored", curve.explored);
  visit("ccv", curve.ccv);
  visit("price", curve.price);
}

class Writer {
 public:
  explicit Writer(JsonWriter& json) : json_(json) {}
  template <class T>
  void operator()(const char* key, const T& value) {
    json_.key(key);
    put(value);
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
  void put(NoBound reason) { json_.value(static_cast<std::int64_t>(reason)); }
  void put(Status status) { json_.value(name_of(status)); }
  void put(const std::optional<double>& x) { x ? put(*x) : put(kNan); }
  void put(const Costs& costs) { put_all(costs); }
  template <class T>
  void put(const std::vector<T>& values) {
    put_all(values);
  }
  void put(const Bounds& bounds) {
    json_.begin_object();
    each_bound(bounds, *this);
    json_.end_object();
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
  void operator()(const char* key, T& value) {
    Element element;
    if (from_[key].get(element) != simdjson::SUCCESS || !get(element, value)) {
      if (wrong_.empty()) wrong_ = key;
    }
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
  static bool get(Element element, NoBound& reason) {
    std::int64_t n = 0;
    if (!get(element, n) || n < 0 || n > static_cast<std::int64_t>(NoBound::kConstants)) {
      return false;
    }
    reason = static_cast<NoBound>(n);
    return true;
  }
  static bool get(Element element, Status& status) {
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) return false;
    for (int s = 0; s <= static_cast<int>(Status::kChanged); ++s) {
      status = static_cast<Status>(s);
      if (name_of(status) == text) return true;
    }
    return false;
  }
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
  bool get(Element element, Bounds& bounds) {
    each_bound(bounds, Reader(element, wrong_));
    return wrong_.empty();
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

}  // namespace

std::string write_result_line(const std::string& policy, const Finished& finished) {
  JsonWriter json;
  json.begin_object();
  json.key("policy").value(policy);
  json.key("seed").value(static_cast<std::int64_t>(finished.totals.seed));
  json.key("totals").begin_object();
  each_total(finished.totals, Writer(json));
  json.end_object();
  json.key("curve").begin_object();
  each_curve(finished.curve, Writer(json));
  json.end_object();
  json.end_object();
  return json.str();
}

Result<ResultLine> read_result_line(std::string_view line) {
  simdjson::dom::parser parser;
  Element root, totals, curve;
  std::string_view policy;
  std::int64_t seed = 0;
  if (parser.parse(line.data(), line.size()).get(root) != simdjson::SUCCESS) {
    return Error{"it is not JSON"};
  }
  if (root["policy"].get(policy) != simdjson::SUCCESS ||
      root["seed"].get(seed) != simdjson::SUCCESS ||
      root["totals"].get(totals) != simdjson::SUCCESS ||
      root["curve"].get(curve) != simdjson::SUCCESS) {
    return Error{"it lacks one of policy, seed, totals, curve"};
  }
  ResultLine result{.policy = std::string(policy)};
  result.finished.totals.seed = static_cast<std::uint64_t>(seed);
  std::string wrong;
  each_total(result.finished.totals, Reader(totals, wrong));
  each_curve(result.finished.curve, Reader(curve, wrong));
  if (!wrong.empty()) return Error{fmt::format("\"{}\" is missing or of the wrong type", wrong)};
  const Totals& t = result.finished.totals;
  const int costs = t.ccv.size();
  for (const Costs* each : {&t.ccv_max, &t.ccv_average, &t.ccv_positive, &t.ccv_share, &t.queue_rms,
                            &t.spend, &t.excess}) {
    if (each->size() != costs) return Error{"its costs do not match"};
  }
  if (!is_even(result.finished.curve)) return Error{"its curves do not match"};
  return result;
}

}  // namespace rein
