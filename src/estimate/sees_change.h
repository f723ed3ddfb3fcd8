// SeesChange: an oracle that forgets, or that notices when the functions it learns have changed.
#pragma once

#include <cstdint>
#include <optional>

namespace rein {

struct Changes {
  std::int64_t times = 0;   // how many were noticed
  std::int64_t round = -1;  // when the last change was noticed, in outcomes learned
  int head = -1;            // the head that changed
};

class SeesChange {
 public:
  // Whether it has forgotten something: then no U is certified.
  virtual bool forgets() const = 0;
  // The number of later outcomes after which an outcome weighs 1 / e; 0: no fixed memory.
  virtual double memory() const = 0;
  // The changes that it noticed; nothing if it does not look for any.
  virtual std::optional<Changes> change() const = 0;

 protected:
  ~SeesChange() = default;
};

}  // namespace rein
