#include "world/log.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/size.h"
#include "base/spec_reader.h"
#include "base/units.h"
#include "world/keys.h"
#include "world/log_estimates.h"
#include "world/noise.h"
#include "world/row_order.h"

namespace rein {
namespace {

struct LogWorldKeys {
  LogEstimatesKeys estimates;
  bool shuffled = true;
  bool repeat = false;
  bool noise = true;
};

class LogWorld final : public World {
 public:
  LogWorld(std::shared_ptr<const LogEstimates> log, Shape shape, const LogWorldKeys& keys,
           std::uint64_t seed)
      : log_(std::move(log)),
        shape_(std::move(shape)),
        ranges_(ranges_of(shape_)),
        file_(keys.estimates.file),
        order_(log_->rows, seed, keys.shuffled, keys.repeat) {
    const auto heads = ranges_.size();
    for (std::size_t i = 0; i < log_->deviation.size(); ++i) {
      const std::size_t head = i / as_size(shape_.actions);
      const Noise::Kind kind = !keys.noise            ? Noise::Kind::kNone
                               : log_->two[head] != 0 ? Noise::Kind::kRademacher
                                                      : Noise::Kind::kGaussian;
      noise_.push_back(Noise(kind, log_->deviation[i], seed));
    }
    ids_.reserve(as_size(shape_.actions));
    check(noise_.size() == heads * as_size(shape_.actions), "there is noise for every head");
  }

  const Shape& shape() const override { return shape_; }
  bool adapts() const override { return false; }
  void observe(int /*action*/, const Outcome& /*outcome*/) override {}

  const Round& next() override {
    row_ = order_.next();
    if (row_ < 0) {
      throw Failure(
          fmt::format("log {}: has no more rows; accepted: repeat=1 to start again", file_));
    }
    ++t_;
    const auto d = as_size(shape_.context);
    round_ = {.actions = shape_.actions,
              .context = std::span(log_->context).subspan(as_size(row_) * d, d)};
    if (log_->offered.empty()) return round_;
    ids_.clear();
    for (int a = 0; a < shape_.actions; ++a) {
      if (log_->offered[as_size(row_ * shape_.actions + a)] != 0) ids_.push_back(a);
    }
    round_.actions = static_cast<int>(ids_.size());
    round_.ids = ids_;
    return round_;
  }

  void outcome(int action, Outcome& out) const override {
    check(row_ >= 0, "an outcome is asked for after next()");
    check(action >= 0 && action < round_.actions, "an outcome is asked of an action of the round");
    const std::int32_t id = round_.id(action);
    out.reward = draw(id, 0);
    out.costs = Costs(static_cast<int>(shape_.costs.size()));
    for (int i = 0; i < out.costs.size(); ++i) out.costs[i] = draw(id, i + 1);
  }

  void means(std::span<double> out) const override {
    check(row_ >= 0, "means are asked for after next()");
    std::size_t to = 0;
    for (int head = 0; head < shape_.heads(); ++head) {
      for (int a = 0; a < round_.actions; ++a) out[to++] = mean(round_.id(a), head);
    }
  }

  bool highest(std::span<double> out) const override {
    check(row_ >= 0, "costs are asked for after next()");
    std::size_t to = 0;
    for (int head = 1; head < shape_.heads(); ++head) {
      for (int a = 0; a < round_.actions; ++a) {
        const std::int32_t id = round_.id(a);
        out[to++] = noise(id, head).highest(mean(id, head), ranges_[as_size(head)]);
      }
    }
    return true;
  }

 private:
  double mean(std::int32_t id, int head) const {
    const std::int64_t cell = row_ * shape_.actions + id;
    return log_->means[as_size(cell * shape_.heads() + head)];
  }
  const Noise& noise(std::int32_t id, int head) const {
    return noise_[as_size(head * shape_.actions + id)];
  }
  double draw(std::int32_t id, int head) const {
    return noise(id, head).draw(t_, id, head, mean(id, head), ranges_[as_size(head)]);
  }

  std::shared_ptr<const LogEstimates> log_;
  Shape shape_;
  std::vector<Range> ranges_;
  std::string file_;
  RowOrder order_;
  std::vector<Noise> noise_;  // head x actions + action
  std::vector<std::int32_t> ids_;
  std::int64_t row_ = -1;
  std::int64_t t_ = -1;
  Round round_;
};

Result<LogWorldKeys> read_keys(SpecReader& read) {
  LogWorldKeys keys;
  LogEstimatesKeys& how = keys.estimates;
  how.file = read.text("file", "");
  how.format = read.text("format", "auto");
  how.folds = static_cast<int>(read.integer("folds", 5, 2, 1000));
  how.least = read.number("least", 50.0, {.low = 0.0, .high = 1e9});
  how.estimate_propensities = read.word("propensities", "log", {"log", "estimate"}) == "estimate";
  how.scaled = read.word("scale", "standard", {"standard", "none"}) == "standard";
  keys.noise = read.word("noise", "log", {"log", "none"}) == "log";
  keys.shuffled = read.word("order", "shuffled", {"shuffled", "file"}) == "shuffled";
  keys.repeat = read.flag("repeat", false);
  for (const char* key : {"budget", "rate"})
    (void)read.value(key);  // read when the costs are known
  if (how.file.empty()) read.refuse("log needs file=\"PATH\", a log of past decisions");
  if (auto done = read.finish(); !done) return done.failure();
  return keys;
}

}  // namespace

Result<std::unique_ptr<World>> make_log_world(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds) {
  SpecReader first(spec, "world spec");
  auto keys = read_keys(first);
  if (!keys) return keys.failure();
  const std::string& file = keys.value().estimates.file;
  auto loaded = load_log_estimates(keys.value().estimates);
  if (!loaded) return loaded.failure();
  const LogEstimates& log = *loaded.value();
  const bool repeat = keys.value().repeat;
  if (rounds > log.rows && !repeat) {
    return Error{
        fmt::format("log {}: has {} rows with all outcomes, and {} rounds are asked for; "
                    "accepted: at most {}, 0 for all of them, or repeat=1",
                    file, log.rows, rounds, log.rows)};
  }
  Shape shape = log.shape;
  shape.rounds = rounds == 0 ? log.rows : rounds;
  SpecReader read(spec, "world spec");
  (void)read_keys(read);  // all keys are asked for again
  for (const char* key : {"budget", "rate"}) {
    only_with(read, key, !shape.costs.empty(), "logs with costs, and this one has none");
  }
  shape.budgets = read_budgets(read, static_cast<int>(shape.costs.size()), shape.rounds);
  if (auto done = read.finish(); !done) return done.failure();
  if (auto ok = validate(shape); !ok) return ok.failure();
  return std::unique_ptr<World>(
      std::make_unique<LogWorld>(loaded.value(), std::move(shape), keys.value(), seed));
}

}  // namespace rein
