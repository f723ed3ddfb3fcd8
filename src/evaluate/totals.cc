#include "rein/totals.h"

#include "base/math.h"

namespace rein {
namespace {

struct Collector {
  std::vector<TotalNumbers> found;

  void operator()(const Total& total, double x) { found.push_back({total, false, {x}}); }
  void operator()(const Total& total, const std::optional<double>& x) {
    (*this)(total, x.value_or(kNan));
  }
  // Counts and rounds; a negative one stands for "never".
  void operator()(const Total& total, std::int64_t n) {
    (*this)(total, n < 0 ? kNan : static_cast<double>(n));
  }
  void operator()(const Total& total, const Costs& costs) {
    found.push_back({total, true, {costs.begin(), costs.end()}});
  }
};

}  // namespace

std::vector<TotalNumbers> numbers_of(const Totals& totals) {
  Collector collector;
  each_total(totals, collector);
  return std::move(collector.found);
}

}  // namespace rein
