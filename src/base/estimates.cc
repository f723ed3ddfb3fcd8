#include "rein/estimates.h"

namespace rein {

void Estimates::prepare(int heads, int actions) {
  heads_ = heads;
  actions_ = actions;
  stride_ = size();
  if (numbers_.size() < at(heads + 1)) numbers_.resize(at(heads + 1));
}

}  // namespace rein
