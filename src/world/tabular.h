// TabularWorld: a world with finitely many one-hot contexts, whose means are a table. A derived
// world only says which context comes in round t.
#pragma once

#include <vector>

#include "world/known_means.h"
#include "world/means.h"

namespace rein {

// The means of a world whose costs are all equal, from a table of the reward and the cost of every
// action in every context.
std::shared_ptr<const TableMeans> equal_costs(const std::vector<double>& table, int contexts,
                                              int actions, int costs);

class TabularWorld : public KnownMeans {
 protected:
  // Sets shape.truth. A shape without a context shows none.
  TabularWorld(Shape shape, const std::shared_ptr<const TableMeans>& truth, const Noise& noise,
               std::int64_t rounds);
  // In [0, contexts) for t = 0, 1, ....
  virtual int context_of(std::int64_t t) const = 0;

 private:
  void arrange(std::int64_t t) override;
  std::vector<double> one_hot_;
};

}  // namespace rein
