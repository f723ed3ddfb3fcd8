// How a decision is chosen, once its keys are known and its context is numbers: which actions may be played, what
// the policy says, what the decision holds. Nothing changes.
#include "base/size.h"
#include "engine/check_decision.h"
#include "engine/heart.h"

namespace rein {

Result<> Engine::Heart::choose_from(const Round& round, const DecideOptions& options,
                                    Scratch& working, DecideRecord& out,
                                    std::vector<BarredAction>& left_out) const {
  if (auto found = find_places(round, options, working, out, left_out); !found) return found;
  out.offered = round.actions;
  Rng rng(config.options.seed);
  rng.set_counter(draws);
  if (auto done = ask_policy(round, working, rng, out); !done) return done;
  if (auto sound = check_own(out.decision); !sound) return sound;
  if (out.places.empty()) {
    out.round.copy(round);
    const bool expects = !expected.empty() && round.expected_costs.empty();
    if (expects) fill_expected(round, out.round.expected_costs);
  }
  out.id = next_id();
  out.at = now;
  out.draws = rng.counter();
  const std::size_t m = options.largest_costs.empty() ? 0 : units.size();
  out.largest = Costs(options.largest_costs.subspan(as_size(out.offered_action()) * m, m));
  out.holds.clear();
  if (budgets.any_learned()) find_learned_holds(options, out);
  return {};
}

Result<> Engine::Heart::ask_policy(const Round& round, Scratch& working, Rng& rng,
                                   DecideRecord& out) const {
  const bool all = out.places.empty();
  const bool expects = !expected.empty() && round.expected_costs.empty();
  Round offer = round;
  if (!all) out.round.copy(round, out.places);
  if (expects) fill_expected(all ? round : out.round.view(), out.round.expected_costs);
  if (!all) offer = out.round.view();
  if (expects) offer.expected_costs = out.round.expected_costs;
  if (!roster.plain()) offer = in_places(offer, out.seats);
  const Costs held = reserved_costs();
  Money money{.reserved = held.span(), .paces = {}, .left = {}, .bounds = seen.bounds(),
              .open = open.size() - partly};
  Paces paces;
  if (policy->shape().paced) {
    budgets.paces(out.keys, held, paces);
    money.paces = {paces.pace.data(), units.size()};
    money.left = {paces.left.data(), units.size()};
  }
  return policy->decide(offer, money, rng, working, out.decision);
}

}  // namespace rein
