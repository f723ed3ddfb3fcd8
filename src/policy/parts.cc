#include "policy/parts.h"

namespace rein {

Result<Parts> make_parts(std::unique_ptr<Oracle> oracle, const PartSpecs& specs, const Terms& terms,
                         const Own& own) {
  auto pricer = make_pricer(specs.pricer, terms, own);
  if (!pricer) return pricer.failure();
  Terms scored = terms;
  if (specs.pricer.name == "none") scored.costs = 0;  // the error of one head, not of m + 1
  auto gain = make_gain(specs.gain, scored);
  if (!gain) return gain.failure();
  auto explorer = make_explorer(specs.explorer);
  if (!explorer) return explorer.failure();
  return Parts{std::move(oracle), std::move(pricer).value(), std::move(gain).value(),
               std::move(explorer).value()};
}

}  // namespace rein
