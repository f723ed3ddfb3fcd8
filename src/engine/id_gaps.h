// IdGaps: numbers that no decision of this engine has, because decisions that were lost may have had
// them. The ids of decisions are their numbers, encrypted (ids.h). A journal that lost its end would
// give the numbers of the lost decisions to others, and late outcomes of the former would be booked to
// the latter. So whoever goes on without them leaves a gap.
#pragma once

#include <cstdint>
#include <vector>

#include "rein/bytes.h"
#include "rein/result.h"

namespace rein {

class IdGaps {
 public:
  // The number of the next decision, after so many.
  std::uint64_t next(std::uint64_t decided) const { return decided + skipped_; }
  // Whether one of so many decisions has this number.
  bool given(std::uint64_t number, std::uint64_t decided) const {
    return number < next(decided) && !lost(number);
  }
  // Whether it is in a gap.
  bool lost(std::uint64_t number) const;
  // The next numbers are left out, after so many decisions. kInvalid: too many.
  Result<> skip(std::uint64_t numbers, std::uint64_t decided);

  void save(ByteWriter& out) const;
  void load(ByteReader& in, std::uint64_t decided);

 private:
  struct Gap {
    std::uint64_t first, size;
  };
  std::vector<Gap> gaps_;  // ascending, with numbers that were given between them
  std::uint64_t skipped_ = 0;
};

}  // namespace rein
