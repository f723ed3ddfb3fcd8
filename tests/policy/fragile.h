// Fragile: an oracle of the caller's own that throws at any call one likes. Inside it is vaw, so
// that it has widths; what it throws comes before it learns, or after it has answered.
#pragma once

#include <memory>
#include <stdexcept>

#include "rein/oracle.h"

namespace rein {

class Fragile final : public OwnOracle {
 public:
  // Calls left before it throws, once; negative for never.
  struct Fuse {
    int calls = -1;
    void burn() {
      if (calls-- == 0) throw std::runtime_error("out of order");
    }
  };
  Fragile(std::unique_ptr<Oracle> inner, Fuse& fuse) : inner_(std::move(inner)), fuse_(fuse) {}
  // It as own(name=fragile).
  static Own own(Fuse& fuse) {
    return {.oracles = {{"fragile", [&fuse](const Shape& shape) {
                           return std::make_unique<Fragile>(make_oracle(Spec("vaw"), shape).value(),
                                                            fuse);
                         }}}};
  }

  void predict(const Round& round, Estimates& estimates) const override {
    Scratch scratch;
    scratch.reset(inner_->scratch());
    inner_->predict(round, scratch, estimates);
    fuse_.burn();
  }
  void learn(const Round& round, int action, std::span<const double> outcomes) override {
    fuse_.burn();
    inner_->learn(round, action, outcomes);
  }
  void save(ByteWriter& out) const override { inner_->save(out); }
  Result<> load(ByteReader& in) override { return inner_->load(in); }
  int dimension() const override { return inner_->dimension(); }

 private:
  std::unique_ptr<Oracle> inner_;
  Fuse& fuse_;
};

}  // namespace rein
