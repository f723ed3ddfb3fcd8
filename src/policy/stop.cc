#include "policy/stop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/spec_reader.h"
#include "policy/common.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::int64_t kStateVersion = 2;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The place of an action in the round; -1 where it is not offered.
int place_of(const Round& round, std::int32_t id) {
  for (int a = 0; a < round.actions; ++a) {
    if (round.id(a) == id) return a;
  }
  return -1;
}

// All of the mass on one action.
void put_on(int action, Decision& decision) {
  const std::span<double> p = decision.probabilities();
  const std::span<double> scores = decision.scores();
  for (int a = 0; a < static_cast<int>(p.size()); ++a) {
    p[a] = a == action ? 1.0 : 0.0;
    if (a != action) scores[a] = kBarredScore;
  }
  scores[action] = std::max(scores[action], 0.5 * kBarredScore);  // the inner policy may have barred it
  decision.action = decision.best = action;
  decision.probability = 1.0;
  if (decision.holdout != Holdout::kNone) decision.holdout = Holdout::kBarred;
}

// What fits goes to the ledger; what does not is remembered, and paid back first.
Result<> count(const Costs& costs, Ledger& ledger, Micros& over) {
  Micros held{}, actual{};
  for (int i = 0; i < costs.size(); ++i) {
    if (is_missing(costs[i])) continue;
    Micro cost = nearest_micros_up(costs[i]);
    const Micro back = std::min(over[at(i)], std::max<Micro>(-cost, 0));
    over[at(i)] -= back;
    cost += back;
    held[at(i)] = std::clamp<Micro>(cost, 0, ledger.left(i));
    actual[at(i)] = std::min(cost, held[at(i)]);
    const Micro beyond = std::max<Micro>(cost, 0) - held[at(i)];
    if (__builtin_add_overflow(over[at(i)], beyond, &over[at(i)])) over[at(i)] = kMaxMicro;
  }
  if (auto fits = ledger.hold(held); !fits) return fits;
  return ledger.settle(held, actual);
}

}  // namespace

Result<std::unique_ptr<Policy>> make_stop(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const Spec of = read.spec("of", "ccb");
  const std::int64_t null = read_null(read);
  const std::vector<double> limits = read.numbers("at", {.low = 0.0, .high = kMaxTotal});
  if (!read.has("of")) read.refuse("stop needs a policy; accepted: of=SPEC, such as of=ccb");
  if (!read.has("null")) {
    read.refuse("stop needs an action that costs nothing; accepted: null=ACTION_ID");
  }
  if (auto done = read.finish(); !done) return done.failure();
  auto inner = make_policy(of, shape, own);
  if (!inner) return inner.failure();
  return Stop::make(spec, std::move(inner).value(), null, limits);
}

std::int64_t read_null(SpecReader& read) {
  return read.integer("null", kNoNull, 0, kMaxActions - 1);
}

Result<std::unique_ptr<Policy>> stop_at_budget(Result<std::unique_ptr<Policy>> policy,
                                               std::int64_t null) {
  if (!policy || null == kNoNull) return policy;
  const Spec spec = policy.value()->spec();
  return Stop::make(spec, std::move(policy).value(), null, {});
}

Result<std::unique_ptr<Policy>> Stop::make(const Spec& spec, std::unique_ptr<Policy> policy,
                                           std::int64_t null, std::vector<double> limits) {
  const Shape& shape = policy->shape();
  if (null >= shape.actions) {
    return Error{fmt::format("policy spec: key \"null\" has {}; accepted: an action, 0 to {}", null,
                             shape.actions - 1)};
  }
  if (limits.empty()) limits = shape.budgets;
  if (limits.empty() && !shape.costs.empty()) {
    return Error{
        "policy spec: a hard stop needs a budget; accepted: at=TOTAL, budget=TOTAL or "
        "rate=PER_ROUND"};
  }
  if (limits.size() != shape.costs.size()) {
    return Error{fmt::format("policy spec: key \"at\" has {} numbers; accepted: one per cost ({})",
                             limits.size(), shape.costs.size())};
  }
  std::unique_ptr<Stop> stop(new Stop(spec, std::move(policy), static_cast<std::int32_t>(null)));
  Micros micros{};
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (!stop->shape_.costs[i].range.has_top()) {
      return Error{
          fmt::format("policy spec: a hard stop needs the largest value of cost \"{}\"; "
                      "accepted: a range for it",
                      stop->shape_.costs[i].name)};
    }
    const auto limit = micros_down(limits[i]);
    const auto largest = micros_up(std::max(stop->shape_.costs[i].range.high, 0.0));
    if (!limit || !largest || limit.value() < 0) {
      return Error{
          fmt::format("policy spec: the limit of cost \"{}\" is {}, its largest value {}; "
                      "accepted: 0 to {}",
                      stop->shape_.costs[i].name, limits[i], stop->shape_.costs[i].range.high,
                      static_cast<double>(kMaxMicro) / kMicrosInOne)};
    }
    micros[i] = limit.value();
    stop->largest_[i] = largest.value();
  }
  stop->ledger_ = Ledger({micros.data(), limits.size()});
  if (stop->shape_.budgets.empty()) stop->shape_.budgets = limits;
  return stop;
}

Stop::Stop(const Spec& spec, std::unique_ptr<Policy> policy, std::int32_t null)
    : spec_(spec), policy_(std::move(policy)), shape_(policy_->shape()), null_(null) {}

bool Stop::stopped(std::span<const double> reserved) const {
  Micros needed = largest_;
  for (std::size_t i = 0; i < reserved.size(); ++i) {
    const Micro more = nearest_micros_up(std::max(reserved[i], 0.0));
    if (__builtin_add_overflow(needed[i], more, &needed[i])) return true;
  }
  return !ledger_.fits(needed);
}

Result<> Stop::decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                      Decision& decision) const {
  const std::span<const double> reserved = money.reserved;
  if (auto fits = validate(shape_, round); !fits) return fits;
  // What is wrong with a reservation the inner policy says.
  const bool sound = (reserved.empty() || reserved.size() == shape_.costs.size()) &&
                     std::all_of(reserved.begin(), reserved.end(),
                                 [](double x) { return std::abs(x) <= kMaxNumber * kMaxTotal; });
  if (!sound || !stopped(reserved)) {
    return policy_->decide(round, money, rng, scratch, decision);
  }
  const int null = place_of(round, null_);
  if (null < 0) {
    return Error{fmt::format("hard stop: the budget may be passed, and this round does not offer "
                             "the null action; accepted: rounds with action {}",
                             null_),
                 Reason::kBudget};
  }
  if (auto decided = policy_->decide(round, money, rng, scratch, decision); !decided) {
    return decided;
  }
  put_on(null, decision);
  return {};
}

Result<> Stop::learn(const Round& round, const Decision& decision, const Outcome& outcome,
                     Part part) {
  if (part == Part::kWarm)
    return policy_->learn(round, decision, outcome, part);  // nothing is paid
  if (!is_bill(part)) {
    if (auto fits = validate_parts(shape_, outcome); !fits) return fits;
  }
  Ledger ledger = ledger_;
  Micros over = over_;
  if (auto counted = count(outcome.costs, ledger, over); !counted) return counted;
  const bool is_null = !is_bill(part) && decision.action >= 0 && decision.action < round.actions &&
                       round.id(decision.action) == null_;
  for (int i = 0; is_null && i < ledger.size(); ++i) {
    if (over[at(i)] <= over_[at(i)]) continue;
    return Error{
        fmt::format("hard stop: the null action {} cost {} of \"{}\", whose budget is "
                    "spent; accepted: a null action that costs nothing",
                    null_, outcome.costs[i], shape_.costs[at(i)].name)};
  }
  if (auto learned = policy_->learn(round, decision, outcome, part); !learned) return learned;
  ledger_ = ledger;
  over_ = over;
  return {};
}

PolicyState Stop::adapted(PolicyState state) {
  state.theorem.reset();
  return state;
}

std::string Stop::save() const {
  ByteWriter out;
  out.tag("rein stop");
  out.i64(kStateVersion);
  out.text(spec_.asked().str());
  ledger_.save(out);
  for (int i = 0; i < ledger_.size(); ++i) out.i64(over_[at(i)]);
  out.text(policy_->save());
  return out.bytes();
}

Result<> Stop::load(std::string_view bytes) {
  ByteReader in(bytes);
  in.tag("rein stop");
  in.expect("version", in.i64(), kStateVersion);
  in.tag(spec_.asked().str());
  Ledger ledger = ledger_;
  if (auto fits = ledger.load(in); !fits) return fits;
  Micros over{};
  for (int i = 0; i < ledger_.size(); ++i) {
    over[at(i)] = in.i64();
    if (over[at(i)] < 0) in.fail("saved state has a negative excess over a limit");
  }
  const std::string inner = in.text();
  if (auto read = in.finish(); !read) return read;
  if (auto loaded = policy_->load(inner); !loaded) return loaded;
  ledger_ = ledger;
  over_ = over;
  return {};
}

}  // namespace rein
