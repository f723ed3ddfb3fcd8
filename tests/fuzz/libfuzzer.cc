// One target for libFuzzer: REIN_TARGET names it.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rein::fuzz::REIN_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
