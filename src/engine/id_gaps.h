// IdGaps: numbers that no decision of this engine has, because decisions that were lost may have
// had them. The ids of decisions are their numbers, encrypted (ids.h). A journal that lost its end
// would give the numbers of lost decisions to new decisions, and late outcomes of lost decisions
// would be booked to the new ones. So an engine that goes on without the lost decisions leaves a
// gap.
#pragma once

#include <cstdint>
#include <vector>

#include "rein/bytes.h"
#include "rein/result.h"

namespace rein {

class IdGaps {
 public:
  // The number of the next decision, after `decided` decisions.
  std::uint64_t next(std::uint64_t decided) const { return decided + skipped_; }
  // Whether any of the first `decided` decisions has this number.
  bool given(std::uint64_t number, std::uint64_t decided) const {
    return number < next(decided) && !lost(number);
  }
  // Whether the number is in a gap.
  bool lost(std::uint64_t number) const;
  // Leaves out the next `numbers` numbers, after `decided` decisions. kInvalid: too many.
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
