// Lists of numbers as bytes, with their length: for state that is sent to other processes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/bytes.h"

namespace rein {

inline void save_numbers(ByteWriter& out, std::span<const double> numbers) {
  out.u64(numbers.size());
  out.f64s(numbers);
}

inline std::vector<double> load_numbers(ByteReader& in) {
  const std::int64_t most = static_cast<std::int64_t>(in.left() / sizeof(double));
  std::vector<double> out(static_cast<std::size_t>(in.between("length", 0, most)));
  in.f64s(out);
  return out;
}

}  // namespace rein
