#include "world/own.h"

#include "base/own.h"
#include "base/size.h"

namespace rein {
namespace {

class BroughtWorld final : public World {
 public:
  explicit BroughtWorld(std::unique_ptr<OwnWorld> brought) : brought_(std::move(brought)) {}

  const Shape& shape() const override { return brought_->shape(); }
  const Round& next() override {
    const Round& round = brought_->next();
    actions_ = round.actions;
    return round;
  }
  void outcome(int action, Outcome& out) const override { brought_->outcome(action, out); }
  void means(std::span<double> out) const override {
    if (brought_->means(out)) return;
    Outcome outcome;
    for (int a = 0; a < actions_; ++a) {
      brought_->outcome(a, outcome);
      out[as_size(a)] = outcome.reward;
      for (int i = 0; i < outcome.costs.size(); ++i) {
        out[as_size((i + 1) * actions_ + a)] = outcome.costs[i];
      }
    }
  }
  bool highest(std::span<double> out) const override { return brought_->highest(out); }
  void observe(int action, const Outcome& outcome) override { brought_->observe(action, outcome); }
  bool adapts() const override { return brought_->adapts(); }
  bool iid() const override { return brought_->iid(); }

 private:
  std::unique_ptr<OwnWorld> brought_;
  int actions_ = 0;  // of the current round
};

}  // namespace

Result<std::unique_ptr<World>> make_own_world(const Spec& spec, std::uint64_t seed,
                                              std::int64_t rounds, const Own& own) {
  auto maker = find_own(own.worlds, spec, "world spec");
  if (!maker) return maker.failure();
  auto brought = maker.value()(seed, rounds);
  if (!brought) return brought.failure();
  if (auto fine = validate(brought.value()->shape()); !fine) return fine.failure();
  return std::make_unique<BroughtWorld>(std::move(brought).value());
}

}  // namespace rein
