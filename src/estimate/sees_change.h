// SeesChange: an oracle that forgets, or that notices when the functions it learns have changed.
#pragma once

#include <optional>

#include "rein/oracle.h"
#include "rein/policy.h"

namespace rein {

class SeesChange {
 public:
  // Whether it has forgotten something: then no U is certified.
  virtual bool forgets() const = 0;
  // The outcomes after which one weighs 1 / e; 0: no fixed memory.
  virtual double memory() const = 0;
  // The changes that it noticed; nothing if it does not look for any.
  virtual std::optional<ChangeState> change() const = 0;

 protected:
  ~SeesChange() = default;
};

}  // namespace rein
