#include "policy/two_stage.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/math.h"
#include "base/size.h"
#include "estimate/heads.h"
#include "explore/gains.h"
#include "policy/squarecbwk.h"
#include "price/hedge.h"
#include "solve/long_term.h"

namespace rein {

using StagePtr = std::shared_ptr<const TwoStage::Stage>;

// hedge that is silent during the first stage.
class StagedPrice final : public Pricer {
 public:
  StagedPrice(const DualKeys& keys, StagePtr stage) : hedge_(keys), stage_(std::move(stage)) {}

  void price(const Books& books, Prices& out) const override {
    hedge_.price(books, out);
    if (!stage_->exploring) return;
    out.log_scale = 0.0;
    for (double& price : out.scaled) price = 0.0;
  }
  void learn(const Books& books, std::span<const double> costs) override {
    if (!stage_->exploring) hedge_.learn(books, costs);
  }
  Costs queues() const override { return hedge_.queues(); }
  Costs parameters() const override { return hedge_.parameters(); }
  void save(ByteWriter& out) const override { hedge_.save(out); }
  Result<> load(ByteReader& in) override { return hedge_.load(in); }
  void restart(double z) { hedge_.restart(z); }

 private:
  HedgePrice hedge_;
  StagePtr stage_;
};

namespace {

// 0, and so uniform, during the first stage; then what its end found.
class StagedGain final : public StillGain {
 public:
  explicit StagedGain(StagePtr stage) : StillGain("staged"), stage_(std::move(stage)) {}
  double gamma(const Prices& prices, int, std::int64_t) const override {
    return stage_->exploring ? 0.0 : stage_->gamma * exp(prices.log_scale);
  }

 private:
  StagePtr stage_;
};

}  // namespace

TwoStage::TwoStage(const Terms& terms, const Form& form, const TwoStageOptions& options)
    : terms_(terms),
      form_(form),
      explore_(options.explore),
      z_scale_(options.z_scale),
      stage_(std::make_shared<Stage>()) {
  if (explore_ == 0) {
    const auto usual = static_cast<std::int64_t>(std::ceil(std::min(terms.root(), 1e9)));
    explore_ = std::clamp(std::min(usual, terms.rounds / 4), std::int64_t{2}, kMaxExplore);
  }
  const std::size_t row = as_size(terms.costs + 1) * as_size(terms.actions);
  const auto room = static_cast<std::int64_t>(std::max<std::size_t>(kMaxStoredDoubles / row, 1));
  most_kept_ = std::min(explore_ - explore_ / 2, room);
  actions_.reserve(as_size(most_kept_));
  values_.reserve(as_size(most_kept_) * row);
}

Result<std::unique_ptr<Policy>> TwoStage::make(const Spec& spec, Plan plan, const Form& form,
                                               const TwoStageOptions& options) {
  std::unique_ptr<TwoStage> policy(new TwoStage(plan.terms, form, options));
  policy->units_ = units_of(plan.shape);
  Rules rules;
  rules.terms = plan.terms;
  rules.rate = form.rates();
  DualKeys keys;
  keys.form = form;
  keys.reach = 1.0 / form.rate();
  keys.step = squarecbwk_step(plan.terms);
  auto pricer = std::make_unique<StagedPrice>(keys, policy->stage_);
  policy->price_ = pricer.get();
  auto explorer = make_explorer(Spec("square"));
  if (!explorer) return Error{explorer.error()};
  Parts parts{std::move(plan.oracle), std::move(pricer),
              std::make_unique<StagedGain>(policy->stage_), std::move(explorer).value()};
  policy->inner_ = std::make_unique<Composed>(spec, plan.shape, std::move(parts), rules);
  return policy;
}

Result<> TwoStage::decide(const Round& round, std::span<const double> reserved, Rng& rng,
                          Scratch& scratch, Decision& decision) const {
  return inner_->decide(round, reserved, rng, scratch, decision);
}

Result<> TwoStage::learn(const Round& round, const Decision& decision, const Outcome& outcome) {
  if (auto learned = inner_->learn(round, decision, outcome); !learned) return learned;
  if (!stage_->exploring) return {};
  ++learned_;
  const Estimates& estimates = decision.estimates;
  const bool ours = estimates.actions() == round.actions && estimates.heads() == terms_.costs + 1;
  if (ours && learned_ > explore_ - most_kept_) keep(estimates);
  if (learned_ >= explore_) end_first_stage();
  return {};
}

void TwoStage::keep(const Estimates& estimates) {
  actions_.push_back(estimates.actions());
  for (int h = 0; h < estimates.heads(); ++h) {
    for (double mean : estimates.mean(h)) {
      const double units = mean / units_[as_size(h)];
      values_.push_back(h == 0 ? units : form_.cost(h - 1, units));
    }
  }
}

void TwoStage::end_first_stage() {
  stage_->z = estimate_z();
  stage_->gamma = terms_.gamma_scale * squarecbwk_gamma(terms_, stage_->z);
  stage_->exploring = false;
  price_->restart(stage_->z);
}

double TwoStage::estimate_z() const {
  const double b = form_.rate();
  const double most = 1.0 / b;  // rewards are at most 1: OPT <= T
  LongTerm rounds(terms_.actions, terms_.costs);
  std::span<const double> rest = values_;
  for (std::int64_t actions : actions_) {
    const auto size = as_size(actions) * as_size(terms_.costs + 1);
    rounds.add(rest.first(size), static_cast<int>(actions));
    rest = rest.subspan(size);
  }
  const auto n = static_cast<double>(actions_.size());
  const std::vector<double> budgets(as_size(terms_.costs), n * b);
  const double opt = actions_.empty() ? 1.0 : rounds.solve(budgets).value / n;
  const double miss = std::sqrt(terms_.actions * terms_.u / static_cast<double>(explore_));
  const double z = (std::max(opt, 0.0) + miss) / b;
  return z_scale_ * (z < most ? z : most);  // also where the LP has no answer
}

std::string TwoStage::save() const {
  ByteWriter out;
  out.tag("rein two stages");
  out.text(spec().str());
  out.i64(stage_->exploring ? 1 : 0);
  out.f64(stage_->z);
  out.f64(stage_->gamma);
  out.i64(learned_);
  out.i64(static_cast<std::int64_t>(actions_.size()));
  for (std::int64_t actions : actions_) out.i64(actions);
  out.i64(static_cast<std::int64_t>(values_.size()));
  out.f64s(values_);
  out.text(inner_->save());
  return out.bytes();
}

Result<> TwoStage::load(std::string_view bytes) {
  ByteReader in(bytes);
  in.tag("rein two stages");
  in.tag(spec().str());
  Stage stage;
  stage.exploring = in.between("first stage", 0, 1) != 0;
  stage.z = in.f64();
  stage.gamma = in.f64();
  const std::int64_t learned = in.count();
  const std::int64_t kept = in.i64();
  if (kept < 0 || kept > most_kept_) in.fail("saved state keeps more rounds than it may");
  std::vector<std::int64_t> actions(in.ok() ? as_size(kept) : 0);
  std::int64_t size = 0;
  for (std::int64_t& count : actions) {
    count = in.i64();
    if (count < 1 || count > terms_.actions) in.fail("saved state keeps a round without actions");
    size += in.ok() ? count * (terms_.costs + 1) : 0;
  }
  in.expect("numbers kept", in.i64(), size);
  std::vector<double> values(in.ok() ? as_size(size) : 0);
  in.f64s(values);
  const std::string inner = in.text();
  if (auto read = in.finish(); !read) return read;
  if (auto loaded = inner_->load(inner); !loaded) return loaded;
  *stage_ = stage;
  learned_ = learned;
  actions_.assign(actions.begin(), actions.end());
  values_.assign(values.begin(), values.end());
  return {};
}

}  // namespace rein
