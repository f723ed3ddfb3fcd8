#include "policy/peers/optimistic3.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/math.h"
#include "base/size.h"
#include "explore/distribution.h"
#include "policy/base.h"
#include "policy/confidence.h"
#include "policy/peers/peer.h"
#include "policy/peers/round_store.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr double kShare = 0.01;  // of the newest round in what the heuristic expects
constexpr int kMaxClasses = 4096;
constexpr std::size_t kMaxClassDoubles = std::size_t{1} << 22;

struct Options {
  Confidence confidence;
  double alpha = 2.0;
  int classes = 64;
  bool uniform = false;         // every context that came is as likely as every other
  std::vector<double> chances;  // of the context whose largest number is the first, the second, ...
};

// pi from its logarithm, which is shifted to a largest value of 0.
void to_distribution(std::span<double> logs, std::span<double> p) {
  const double top = *std::max_element(logs.begin(), logs.end());
  for (std::size_t a = 0; a < p.size(); ++a) p[a] = exp(logs[a] -= top);
  normalise(p);
}

class Optimistic3 final : public PolicyBase {
 public:
  Optimistic3(const Spec& spec, Plan plan, const Options& options)
      : PolicyBase(spec, plan.shape, std::move(plan.oracle), peer_rules(plan)),
        options_(options),
        store_(shape(), std::max(options.classes, 1), kMaxClassDoubles),
        open_(options.classes > 0),
        counts_(as_size(store_.room())),
        logs_(as_size(store_.room()) * as_size(shape().actions)),
        queues_(costs()),
        sums_(costs()),
        before_(costs()),
        expected_(costs()) {
    estimates_.prepare(shape().heads(), shape().actions);
    ids_.reserve(as_size(shape().actions));
    work_.resize(2 * as_size(shape().actions));
    packed_.resize(store_.stride());
    scratch_.reset(oracle()->scratch());
  }

  std::size_t scratch() const override { return PolicyBase::scratch() + store_.stride(); }

 private:
  std::span<double> row(int i) {
    return std::span(logs_).subspan(as_size(i) * as_size(shape().actions),
                                    as_size(shape().actions));
  }

  // out[a] = (weight f_ucb(a) - sum_i q_i g_lcb,i(a)) / alpha, with bounds of this radius.
  void ascend(const Estimates& estimates, double radius, double weight, const Costs& q,
              std::span<double> out) const {
    for (std::size_t a = 0; a < out.size(); ++a) {
      const double wide = radius * half_width(estimates.width()[a]);
      double sum = weight * (estimates.mean(0)[a] / unit(0) + wide);
      for (int i = 0; i < q.size(); ++i) sum -= q[i] * (excess(estimates, i, a) - wide);
      out[a] = sum / options_.alpha;
    }
  }
  double excess(const Estimates& estimates, int i, std::size_t a) const {
    return estimates.mean(i + 1)[a] / unit(i + 1) - rules().rate[i];
  }
  // Adds chance <p, g_lcb> of the round that is being learned to every cost's expectation.
  void expect(std::span<const double> p, double chance, Costs& to) const {
    for (std::size_t a = 0; a < p.size(); ++a) {
      const double wide = radius_ * half_width(estimates_.width()[a]);
      for (int i = 0; i < to.size(); ++i) {
        to[i] += chance * p[a] * (excess(estimates_, i, a) - wide);
      }
    }
  }

  // What all rounds up to the present one would have made of a round, had estimates always been
  // what they are.
  void heuristic(const Estimates& estimates, double radius, std::span<double> out) const {
    ascend(estimates, radius, static_cast<double>(rounds() + 1), sums_, out);
  }

  std::span<const double> choose(const Round& round, const Books& books, Scratch& scratch,
                                 Decision& decision) const override {
    const std::span<double> scores = decision.scores();
    int known = -1;
    if (open_) {
      const std::span<double> packed = scratch.take(store_.stride());
      store_.pack(round, packed.data());
      known = store_.find(packed.data());
    }
    if (known >= 0) {
      const double* logs = logs_.data() + as_size(known) * as_size(shape().actions);
      std::copy(logs, logs + round.actions, scores.begin());
    } else {
      heuristic(decision.estimates, options_.confidence.radius(rounds()), scores);
    }
    to_distribution(scores, decision.probabilities());
    decision.gamma = 1.0 / options_.alpha;
    Costs prices = queues_;
    for (int i = 0; i < prices.size(); ++i) prices[i] = std::max(prices[i] + books.owed(i), 0.0);
    decision.prices = in_shape(prices);
    return {};
  }

  // Asks the oracle in between, so that all of it may throw: then what was saved comes back.
  void attempt(const Lesson& lesson) override {
    ByteWriter before;
    if (own_oracle()) save_parts(before);
    try {
      Undo undo = guard();
      absorb(lesson);
      undo.keep();
    } catch (...) {
      ByteReader in(before.bytes());
      if (own_oracle()) load_parts(in).check();
      throw;
    }
  }

  // Q moves by what was expected of the policy that played; then everybody's policy moves by the
  // new Q and by estimates that know the outcome.
  void absorb(const Lesson& lesson) {
    const Round& round = lesson.round;
    radius_ = options_.confidence.radius(rounds() + 1);
    if (!open_ || store_.size() == 0) {
      Costs here(costs());
      expect(play_heuristic(round), 1.0, here);
      const double share = std::max(1.0 / static_cast<double>(rounds() + 1), kShare);
      for (int i = 0; i < costs(); ++i) expected_[i] = before_[i] + share * (here[i] - before_[i]);
    }
    if (open_) remember(round);
    for (int i = 0; i < costs(); ++i) {
      queues_[i] = std::max(queues_[i] - before_[i] + 2.0 * expected_[i], 0.0);
      sums_[i] += queues_[i];
    }
    before_ = expected_;
    oracle()->learn(round, lesson.decision.action, lesson.heads);
    if (open_) move_all();
  }
  void commit(const Lesson&, Books&) override {}

  // Counts the round's context. One more than there is room for: these contexts are not few, and
  // from now on there is only the heuristic.
  void remember(const Round& round) {
    store_.pack(round, packed_.data());
    int at = store_.find(packed_.data());
    if (at < 0 && store_.size() == store_.room()) {
      open_ = false;
      store_.clear();
      return;
    }
    if (at < 0) {
      at = store_.size();
      store_.add(round);
      counts_[as_size(at)] = 0.0;
      play_heuristic(round);
      const std::span<double> logs = row(at);
      std::fill(logs.begin(), logs.end(), 0.0);
      std::copy_n(work_.begin(), round.actions, logs.begin());
    }
    counts_[as_size(at)] += 1.0;
  }

  void predict(const Round& round) {
    estimates_.set_actions(round.actions);
    scratch_.reset(oracle()->scratch());
    oracle()->predict(round, scratch_, estimates_);
  }
  std::span<double> steps(int actions) { return std::span(work_).first(as_size(actions)); }
  std::span<double> chances(int actions) {
    return std::span(work_).subspan(as_size(shape().actions), as_size(actions));
  }

  // Estimates of a round that is being learned, and what the heuristic plays there.
  std::span<const double> play_heuristic(const Round& round) {
    predict(round);
    heuristic(estimates_, radius_, steps(round.actions));
    to_distribution(steps(round.actions), chances(round.actions));
    return chances(round.actions);
  }

  void move_all() {
    expected_ = Costs(costs());
    double all = 0.0;
    for (int i = 0; i < store_.size(); ++i) all += weight(i);
    for (int i = 0; i < store_.size(); ++i) {
      const Round round = store_.at(i, ids_);
      predict(round);
      ascend(estimates_, radius_, 1.0, queues_, steps(round.actions));
      const std::span<double> logs = row(i).first(as_size(round.actions));
      for (std::size_t a = 0; a < logs.size(); ++a) logs[a] += work_[a];
      to_distribution(logs, chances(round.actions));
      const double chance = all > 0.0 ? weight(i) / all : 1.0 / store_.size();
      expect(chances(round.actions), chance, expected_);
    }
  }

  // How likely a context is, up to a factor.
  double weight(int i) const {
    if (options_.uniform) return 1.0;
    if (options_.chances.empty()) return counts_[as_size(i)];
    const std::span<const double> x = store_.context(i);
    return options_.chances[as_size(std::max_element(x.begin(), x.end()) - x.begin())];
  }

  void tell(PolicyState& state) const override {
    state.queues = queues_;
    state.parameters = Costs(queues_.size(), options_.alpha);
  }

  void save_parts(ByteWriter& out) const override {
    out.i64(open_ ? 1 : 0);
    store_.save(out);
    const std::size_t n = as_size(store_.size());
    out.f64s(std::span(counts_).first(n));
    out.f64s(std::span(logs_).first(n * as_size(shape().actions)));
    out.parts(queues_, sums_, before_, expected_);
  }
  Result<> load_parts(ByteReader& in) override {
    open_ = in.between("open", 0, options_.classes > 0 ? 1 : 0) != 0;
    store_.load(in);
    const std::size_t n = as_size(store_.size());
    in.f64s(std::span(counts_).first(n));
    in.f64s(std::span(logs_).first(n * as_size(shape().actions)));
    in.parts(queues_, sums_, before_, expected_);
    return in.status();
  }

  Options options_;
  RoundStore store_;  // the contexts that came
  bool open_;         // false: there is only the heuristic
  std::vector<double> counts_;
  std::vector<double> logs_;  // log pi of every context
  Costs queues_;              // Q
  Costs sums_;                // of Q over the rounds
  Costs before_;              // E<pi, g> of the last round that was learned
  Costs expected_;            // and of the one that comes
  // Working memory of learn().
  double radius_ = 0.0;
  Estimates estimates_;
  std::vector<std::int32_t> ids_;
  std::vector<double> work_;
  std::vector<double> packed_;
  Scratch scratch_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_optimistic3(const Spec& spec, const Shape& shape,
                                                 const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  Options options;
  options.confidence = read_confidence(read, Radius::kEllipsoid);
  options.alpha = read.number("alpha", 2.0, {.low = kMinScale, .high = kMaxScale});
  options.classes = static_cast<int>(read.integer("classes", 64, 0, kMaxClasses));
  options.uniform = read.word("law", "observed", {"observed", "uniform"}) == "uniform";
  options.chances = read.numbers("chances", {.low = 0.0, .high = kMaxScale});
  if (!options.chances.empty() &&
      (static_cast<int>(options.chances.size()) != shape.context || read.has("law"))) {
    read.refuse(
        fmt::format("key \"chances\" has {} numbers; accepted: one for every number of the "
                    "context ({}), and no \"law\"",
                    options.chances.size(), shape.context));
  }
  if (auto done = read.finish(); !done) return done.failure();

  auto planned = plan_peer(spec, keys, shape, own);
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  if (auto fits = fit_confidence(plan, keys, options.confidence); !fits) return fits.failure();
  return std::make_unique<Optimistic3>(spec, std::move(plan), options);
}

}  // namespace rein
