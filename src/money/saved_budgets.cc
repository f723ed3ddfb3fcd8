// Budgets as bytes: all but what is held, which the open decisions say.
#include "money/budgets.h"
#include "money/saved_micros.h"
#include "rein/bytes.h"

namespace rein {

void Budgets::save(ByteWriter& out) const {
  out.tag("budgets");
  for (const Dimension& dimension : dimensions_) {
    dimension.keys.save(out);
    if (!dimension.named) continue;
    for (const std::string& name : dimension.names) out.text(name);
  }
  for (const Line& line : lines_) {
    out.f64(line.budget.amount);
    out.i64(line.over_holds);
    if (line.learns()) out.i64(line.passed_holds);
    line.clock.save(out);
    line.accounts.save(out);
    if (out.version() >= 8 && line.dimension >= 0) save_own(line, out);
    if (out.version() >= 8 && line.dimension < 0) put(out, line.granted);
    if (!options_.paced) continue;
    line.arrivals.save(out);
    out.parts(line.tighter, line.tighter_spend);
  }
  if (out.version() >= 8) out.i64(began_);
  if (!options_.paced && out.version() < 8) return;
  out.i64(round_);
  out.i64(now_);
}

Result<> Budgets::load(ByteReader& in) {
  Budgets read = *this;
  in.tag("budgets");
  for (Dimension& dimension : read.dimensions_) {
    if (auto ok = dimension.keys.load(in); !ok) return ok;
    if (!dimension.named) continue;
    dimension.names.assign(at(dimension.keys.size()), "");
    for (std::string& name : dimension.names) name = in.text();
  }
  for (Line& line : read.lines_) {
    line.budget.amount = in.f64();
    line.over_holds = in.count();
    if (line.learns()) line.passed_holds = in.count();
    if (auto ok = line.clock.load(in); !ok) return ok;
    if (auto ok = line.accounts.load(in); !ok) return ok;
    const int accounts = line.dimension < 0 ? 1 : read.dimensions_[at(line.dimension)].keys.size();
    if (line.accounts.size() != accounts) in.fail("saved state: accounts without keys");
    if (!in.ok()) return in.status();
    if (line.learns()) line.reserves.clear(accounts);
    if (in.version() >= 8 && line.dimension >= 0) read.load_own(line, in);
    // Before, nothing was counted: the plan of such a state begins with its open window.
    line.granted = line.dimension >= 0      ? MicroSum{0}
                   : in.version() >= 8 ? get(in)
                                       : MicroSum{line.accounts.rule().amount};
    if (!options_.paced) continue;
    if (auto ok = line.arrivals.load(in); !ok) return ok;
    if (line.arrivals.size() != accounts) in.fail("saved state: arrivals without keys");
    line.budget.rounds = static_cast<std::int64_t>(line.arrivals.expected());
    in.parts(line.tighter, line.tighter_spend);
    for (double share : {line.tighter, line.tighter_spend}) {
      if (!(share >= 0.0 && share < 1e9)) in.fail("saved state: a share that cannot be");
    }
  }
  if (in.version() >= 8) read.began_ = in.between("a tick", 0, INT64_MAX);
  if (options_.paced || in.version() >= 8) {
    read.round_ = in.count();
    read.now_ = in.between("a tick", 0, INT64_MAX);
  }
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

Result<> Budgets::restore_hold(const Claim& claim) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (claim.keys[d].empty() || claim.waiting == 0) continue;
    const int slot = dimensions_[d].keys.find(claim.keys[d]);
    if (slot == Keys::kNone)
      return Error{"saved state: an open decision of a key that is not there"};
    dimensions_[d].keys.change_open(slot, 1);
  }
  for (int i = 0; i < size(); ++i) {
    Line& line = lines_[at(i)];
    if ((claim.waiting & bit(line.cost)) == 0 || !applies(i, claim.keys)) continue;
    const int account = slot(line, claim.keys);
    line.accounts.restore_hold(account, claim.periods[at(i)], held(line, claim));
    if (line.learns()) line.reserves.hold(account, excess(line, claim));
  }
  return {};
}

}  // namespace rein
