// SeesChange: an oracle that forgets, or that notices when the functions it learns have changed.
#pragma once

#include <cstdint>
#include <optional>

namespace rein {

struct Changes {
  std::int64_t times = 0;   // how many were noticed
  std::int64_t round = -1;  // the last one, in outcomes learned
  int head = -1;            // the head that changed
};

class SeesChange {
 public:
  // Whether it has forgotten something: then no U is certified.
  virtual bool forgets() const = 0;
  // The outcomes after which one weighs 1 / e; 0: no fixed memory.
  virtual double memory() const = 0;
  // The changes that it noticed; nothing if it does not look for any.
  virtual std::optional<Changes> change() const = 0;

 protected:
  ~SeesChange() = default;
};

}  // namespace rein
