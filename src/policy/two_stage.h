// TwoStage: squarecbwk that first finds out how large a price can be worth it (Z).
//
//     rounds 1 .. T0     uniform; the oracle learns, nothing is priced
//     after round T0     OPT^ = the LP of the second half of these rounds, on the estimates that
//                        were made in them, with the budget b a round, per round;
//                        Z = (OPT^ + M) / b, M = sqrt(K U / T0), at most T / B
//     rounds T0 + 1 ..   squarecbwk with this Z, its dual starting anew
//
// When B = o(T), Z = T / B is larger than any price that is worth paying (OPT / B), and gamma,
// which falls with Z, explores more than it must. What the paper prints is that exploration rounds
// and an LP give Z; T0 = sqrt(K T U) (at most T / 4), M, and the use of estimates as they were made
// are ours. Rounds are counted as they are learned. The LP allocates, once, in the learn() that
// ends the first stage; nothing else does.
#pragma once

#include <memory>
#include <vector>

#include "policy/composed.h"
#include "policy/plan.h"
#include "price/forms.h"
#include "rein/policy.h"

namespace rein {

inline constexpr std::int64_t kMaxExplore = 1 << 20;  // rounds of the first stage
// Numbers kept for the LP; fewer rounds are kept where actions are so many that it would be more.
inline constexpr std::size_t kMaxStoredDoubles = std::size_t{1} << 22;

struct TwoStageOptions {
  std::int64_t explore = 0;  // T0; 0: as above
  double z_scale = 1.0;
};

class StagedPrice;

class TwoStage final : public Policy {
 public:
  // What the two stages know of each other.
  struct Stage {
    bool exploring = true;
    double z = 0.0;
    double gamma = 0.0;
  };

  // REQUIRES at least one cost.
  static Result<std::unique_ptr<Policy>> make(const Spec& spec, Plan plan, const Form& form,
                                              const TwoStageOptions& options);

  using Policy::decide;
  Result<> decide(const Round& round, std::span<const double> reserved, Rng& rng, Scratch& scratch,
                  Decision& decision) const override;
  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome) override;

  const Shape& shape() const override { return inner_->shape(); }
  const Spec& spec() const override { return inner_->spec(); }
  PolicyState state() const override { return inner_->state(); }
  std::size_t scratch() const override { return inner_->scratch(); }
  std::string save() const override;
  Result<> load(std::string_view bytes) override;

  const Stage& stage() const { return *stage_; }

 private:
  TwoStage(const Terms& terms, const Form& form, const TwoStageOptions& options);
  void keep(const Estimates& estimates);
  void end_first_stage();
  double estimate_z() const;

  Terms terms_;
  Form form_;
  std::int64_t explore_;  // T0
  double z_scale_;
  std::shared_ptr<Stage> stage_;
  StagedPrice* price_ = nullptr;  // inside inner_
  std::unique_ptr<Policy> inner_;
  std::vector<double> units_;
  std::int64_t learned_ = 0;  // rounds of the first stage
  std::int64_t most_kept_ = 0;
  std::vector<std::int64_t> actions_;  // of every round that was kept
  std::vector<double> values_;         // and its estimates, [head * actions + action]
};

}  // namespace rein
