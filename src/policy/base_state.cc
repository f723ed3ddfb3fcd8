// What every policy tells of itself, and how it is saved and loaded.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/math.h"
#include "base/own.h"
#include "base/size.h"
#include "estimate/abilities.h"
#include "estimate/optimistic.h"
#include "policy/base.h"

namespace rein {
namespace {

constexpr std::int64_t kStateVersion = 8;

// What was forgotten is not certified.
void tell_changes(const Oracle* oracle, PolicyState& state) {
  if (oracle == nullptr) return;
  const OracleAbilities& able = plain(*oracle).abilities();
  if (const auto seen = able.change()) {
    state.change = ChangeState{.times = seen->times, .round = seen->round, .head = seen->head};
  }
  if (!able.forgets()) return;
  state.u = kNan;
  state.oracle_regret = kNan;
}

}  // namespace

PolicyState PolicyBase::told(bool whole) const {
  PolicyState state;
  state.rounds = books_.rounds;
  state.learns_parts = learns_parts();
  state.reward = reward_;
  state.spent = books_.spent;
  for (int i = 0; i < state.spent.size(); ++i) state.spent[i] *= unit(i + 1);
  state.warm = books_.warm;
  const double u = rules_.terms.anytime ? rules_.terms.u_at(books_.rounds + 1) : books_.u;
  state.u = oracle_ && books_.warm == 0 ? u : kNan;
  state.oracle_regret = oracle_ ? plain(*oracle_).regret() : kNan;
  if (!rules_.reward_only) state.setting = rules_.terms.setting;
  if (rules_.theorem && books_.warm == 0) state.theorem = rules_.terms;
  const double logged = static_cast<double>(logged_);
  state.effective_size = logged_ > 0 ? logged * logged / weight_ : 0.0;
  tell(state);
  if (whole) certify(state);
  tell_changes(oracle_.get(), state);
  if (!shape_.unknown().empty()) state.u = state.oracle_regret = kNan;  // in units of a range
  for (int i = 0; i < std::min(state.queues.size(), costs()); ++i) {
    if (!shape_.costs[as_size(i)].range.known()) state.queues[i] *= unit(i + 1);
  }
  const StatusAccounts found = accounts(state);
  state.allowed = found.rates;
  for (int i = 0; i < state.allowed.size(); ++i) {
    state.allowed[i] *= static_cast<double>(books_.rounds) * unit(i + 1);
  }
  const Judgement judged =
      judge(found, state.change && state.change->times > 0, state.alarm && state.alarm->ringing);
  state.status = judged.status;
  state.status_head = judged.cost < 0 ? -1 : judged.cost + 1;
  return state;
}

StatusAccounts PolicyBase::accounts(const PolicyState& state) const {
  const Terms& terms = rules_.terms;
  StatusAccounts found{.rounds = books_.rounds,
                       .horizon = terms.rounds,
                       .spent = books_.spent,
                       .sizes = sizes_,
                       .rates = {},
                       .least = state.least};
  if (rules_.reward_only) return found;  // promises nothing about costs
  const bool is_total = terms.rates.empty() && !terms.budgets.empty();
  if (terms.anytime && is_total) return found;  // a total, and nobody knows for how many rounds
  for (int i = 0; i < found.least.size(); ++i) found.least[i] /= unit(i + 1);
  found.rates = terms.rates.empty() ? terms.budgets : terms.rates;
  if (terms.rates.empty()) {
    for (double& rate : found.rates)
      rate /= static_cast<double>(std::max<std::int64_t>(terms.rounds, 1));
  }
  if (found.rates.empty()) found.rates = Costs(costs());
  found.paced = terms.paced;
  for (int i = 0; i < books_.paced.size(); ++i) {
    found.rates[i] =
        books_.paced[i] / static_cast<double>(std::max<std::int64_t>(books_.rounds, 1));
  }
  return found;
}

std::string PolicyBase::save() const {
  ByteWriter out;
  out.tag("rein policy");
  out.i64(kStateVersion);
  out.text(spec_.asked().str());
  out.text(text_of(shape_));
  out.i64(books_.rounds);
  out.i64(books_.warm);
  if (books_.warm > 0) out.parts(books_.largest);
  out.parts(books_.spent, books_.u, books_.opt, books_.reach, reward_, sizes_, weight_);
  out.parts(books_.noise, books_.noises, books_.late);
  out.parts(books_.paced);  // of no numbers, unless the budgets are kept elsewhere
  out.i64(logged_);
  out.i64(stale_);
  if (oracle_) oracle_->save(out);
  save_parts(out);
  return out.bytes();
}

Result<> PolicyBase::load(std::string_view bytes) {
  const std::string before = save();
  auto loaded = read(bytes);
  if (loaded) return loaded;
  // A piece of the caller's own that refuses its own bytes cannot be restored. The first error
  // says more.
  if (auto restored = read(before); !restored && own_uses(spec_, OwnKind::kPolicy).empty()) {
    restored.check();
  }
  return loaded;
}

void PolicyBase::read_shape(ByteReader& in) const {
  const std::string saved = in.text();
  if (in.ok() && shape_.new_place >= 0 && saved == text_of(shape_)) {
    return in.renew(shape_.new_place, shape_.actions);
  }
  if (!in.ok() || saved == text_of(shape_)) return;
  Shape fewer = shape_;
  std::from_chars(saved.data(), saved.data() + saved.size(), fewer.actions);
  const bool is_fewer =
      fewer.actions >= 1 && fewer.actions < shape_.actions && saved == text_of(fewer);
  if (!is_fewer || rules_.theorem) {
    return in.fail(fmt::format(
        "saved state is of \"{}\", expected \"{}\"{}", saved, text_of(shape_),
        is_fewer ? "; the constants of its theorem hold for a fixed number of actions" : ""));
  }
  in.grow(fewer.actions, shape_.actions);
}

Result<> PolicyBase::read(std::string_view bytes) {
  ByteReader in(bytes);
  const std::string kind = in.text();
  if (kind == "rein own policy" || kind == "rein two stages") {  // before version 3
    in.expect("version", 1, kStateVersion);
  } else if (kind != "rein policy") {
    in.fail(fmt::format("saved state is of \"{}\", expected \"rein policy\"", kind));
  }
  in.expect("version", in.i64(), kStateVersion);
  in.tag(spec_.asked().str());
  read_shape(in);
  books_.rounds = in.count();
  books_.warm = in.count();
  books_.largest = books_.warm > 0 ? Costs(costs()) : Costs();
  if (books_.warm > 0) in.parts(books_.largest);
  in.parts(books_.spent, books_.u, books_.opt, books_.reach, reward_, sizes_, weight_);
  in.parts(books_.noise, books_.noises, books_.late);
  in.parts(books_.paced);
  logged_ = in.count();
  stale_ = in.between("rounds at the last later part", -1, books_.rounds);
  if (oracle_) {
    if (auto done = oracle_->load(in); !done) return done;
  }
  if (auto done = load_parts(in); !done) return done;
  return in.finish();
}

}  // namespace rein
