#include "rein/estimates.h"

namespace rein {

void Estimates::prepare(int heads, int actions) {
  heads_ = heads;
  actions_ = actions;
  stride_ = size();
  apart_ = false;
  if (numbers_.size() < at(heads + 1)) numbers_.resize(at(heads + 1));
}

void Estimates::set_apart(bool apart) {
  apart_ = apart;
  if (apart && numbers_.size() < at(2 * heads_)) numbers_.resize(at(2 * heads_));
}

}  // namespace rein
