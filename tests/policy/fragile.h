// Fragile: an oracle of the caller's own that throws at any call one likes. Inside it is vaw, so
// that it has widths; what it throws comes before it learns, or after it has answered.
#pragma once

#include <memory>
#include <stdexcept>

#include "rein/own_oracle.h"

namespace rein {

class Fragile final : public Oracle {
 public:
  // Calls left before it throws, once; negative for never.
  struct Fuse {
    int calls = -1;
    void burn() {
      if (calls-- == 0) throw std::runtime_error("out of order");
    }
  };
  Fragile(std::unique_ptr<Oracle> inner, Fuse& fuse) : inner_(std::move(inner)), fuse_(fuse) {}
  // Lends it as own(name=fragile).
  static Loan lend(Fuse& fuse) {
    return lend_oracle("fragile",
                       [&fuse](const Shape& shape) -> Result<std::unique_ptr<Oracle>> {
                         auto inner = make_oracle(Spec("vaw"), shape);
                         if (!inner) return inner.failure();
                         return std::make_unique<Fragile>(std::move(inner).value(), fuse);
                       })
        .value();
  }

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override {
    inner_->predict(round, scratch, estimates);
    fuse_.burn();
  }
  std::size_t scratch() const override { return inner_->scratch(); }
  void learn(const Round& round, int action, std::span<const double> outcomes) override {
    fuse_.burn();
    inner_->learn(round, action, outcomes);
  }
  double bound(std::int64_t rounds) const override { return inner_->bound(rounds); }
  double regret() const override { return inner_->regret(); }
  int dimension() const override { return inner_->dimension(); }
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader&) override { return {}; }

 private:
  std::unique_ptr<Oracle> inner_;
  Fuse& fuse_;
};

}  // namespace rein
