#include "rein/engine.h"

#include "engine/heart.h"

namespace rein {

Engine::Engine(std::unique_ptr<Heart> heart) : heart_(std::move(heart)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<Engine> Engine::make(const Spec& policy, const Shape& shape, const EngineOptions& options,
                            const Own& own) {
  auto heart = Heart::make({policy, shape, options, own});
  if (!heart) return heart.failure();
  return Engine(std::move(heart).value());
}

Result<Engine> Engine::make(std::string_view policy, const Shape& shape,
                            const EngineOptions& options, const Own& own) {
  auto spec = parse_spec(policy, "policy spec");
  if (!spec) return spec.failure();
  return make(spec.value(), shape, options, own);
}

Result<Ticket> Engine::decide(const Round& round) { return heart_->decide(round); }
Result<Ticket> Engine::look(const Round& round, LookScratch& scratch) const {
  return heart_->look(round, scratch);
}
Result<LearnResult> Engine::learn(std::uint64_t id, const Outcome& outcome) {
  return heart_->learn(id, outcome);
}
Result<std::int64_t> Engine::tick(std::int64_t now) { return heart_->tick(now); }

std::string_view Engine::record() { return heart_->record(); }

Result<> Engine::choose(const Round& round, Scratch& scratch, DecideRecord& out) const {
  return heart_->choose(round, scratch, out);
}

Result<> Engine::fold(const DecideRecord& record) { return heart_->fold(record); }
Result<LearnResult> Engine::fold(const LearnRecord& record) {
  return heart_->learn(record.id, record.outcome);
}
Result<std::int64_t> Engine::fold(const TickRecord& record) { return heart_->tick(record.now); }
Result<> Engine::fold(std::string_view record) { return heart_->fold(record); }

std::string Engine::snapshot() const { return heart_->snapshot(); }

Result<Engine> Engine::restore(std::string_view snapshot, const Own& own) {
  auto config = Heart::config_in(snapshot);
  if (!config) return config.failure();
  config.value().own = own;
  auto heart = Heart::revive(std::move(config).value(), snapshot);
  if (!heart) return heart.failure();
  return Engine(std::move(heart).value());
}

Result<> Engine::load(std::string_view snapshot) {
  auto heart = Heart::revive(heart_->config, snapshot);
  if (!heart) return heart.failure();
  heart_ = std::move(heart).value();
  return {};
}

std::uint64_t Engine::state_hash() const { return heart_->hash(); }

EngineState Engine::state() const {
  const Heart& heart = *heart_;
  EngineState state{.now = heart.now,
                    .decided = static_cast<std::int64_t>(heart.decided_count),
                    .open = heart.open.size(),
                    .learned = heart.learned,
                    .expired = heart.expired,
                    .remembered = heart.settled.size(),
                    .reserved = heart.reserved_costs()};
  for (int i = 0; i < heart.ledger.size(); ++i) {
    state.money.push_back({.limit = heart.ledger.limit(i),
                           .spent = heart.ledger.spent(i),
                           .held = heart.ledger.held(i)});
  }
  return state;
}

const Policy& Engine::policy() const { return *heart_->policy; }
const EngineOptions& Engine::options() const { return heart_->config.options; }

}  // namespace rein
