#include "price/none.h"

#include "base/spec_reader.h"
#include "rein/bytes.h"

namespace rein {

Result<std::unique_ptr<Pricer>> NoPrice::make(const Spec& spec, const Terms&) {
  if (auto done = SpecReader(spec, "pricer spec").finish(); !done) return done.failure();
  return std::make_unique<NoPrice>();
}

void NoPrice::price(const Books&, Prices& out) const { out = Prices{}; }
void NoPrice::learn(const Books&, const Paid&) {}
void NoPrice::save(ByteWriter& out) const { out.state("none"); }
Result<> NoPrice::load(ByteReader& in) { return in.state("none"); }

}  // namespace rein
