#include "engine/blind.h"

#include <cmath>

namespace rein {
namespace {

class Blind final : public Policy {
 public:
  Blind(const Spec& spec, const Shape& shape) : spec_(spec), shape_(shape) {
    const SpecValue* rounds = spec.find("rounds");
    const double* given = rounds == nullptr ? nullptr : std::get_if<double>(&rounds->is);
    if (given != nullptr && *given >= 1.0 && *given <= static_cast<double>(kMaxHorizon)) {
      shape_.rounds = static_cast<std::int64_t>(std::floor(*given));
    }
  }

  using Policy::decide;
  using Policy::learn;
  Result<> decide(const Round&, const Money&, Rng&, Scratch&, Decision&) const override {
    return Error{"decide: this program does not know the policy, and only reads its model",
                 Reason::kMeaning};
  }
  Result<> learn(const Round&, const Decision&, const Outcome&, Part part) override {
    if (part == Part::kFirst) ++rounds_;
    return {};
  }
  const Shape& shape() const override { return shape_; }
  const Spec& spec() const override { return spec_; }
  PolicyState state() const override {
    return {.rounds = rounds_,
            .spent = Costs(static_cast<int>(shape_.costs.size())),
            .u = std::nan(""),
            .oracle_regret = std::nan(""),
            .learns_parts = true};
  }
  std::size_t scratch() const override { return 0; }
  std::string save() const override { return bytes_; }
  Result<> load(std::string_view bytes) override {
    bytes_ = bytes;
    return {};
  }

 private:
  Spec spec_;
  Shape shape_;
  std::string bytes_;
  std::int64_t rounds_ = 0;  // that were learned since then, for the history
};

}  // namespace

std::unique_ptr<Policy> make_blind(const Spec& spec, const Shape& shape) {
  return std::make_unique<Blind>(spec, shape);
}

}  // namespace rein
