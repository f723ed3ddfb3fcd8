// none: no cost has a price. The rest of the algorithm is plain SquareCB.
#pragma once

#include "rein/pricer.h"

namespace rein {

class NoPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  Costs queues() const override { return {}; }
  Costs parameters() const override { return {}; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;
};

}  // namespace rein
