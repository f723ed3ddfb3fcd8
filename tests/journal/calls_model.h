// System calls that fail on demand. The linker sends open, write, fsync, close, rename and unlink of
// the library through here (--wrap, tests/CMakeLists.txt); SQLite's own are not touched.
#pragma once

#include <cstdint>

namespace rein::calls {

// Call number `nth` from now on fails with this errno, and all later ones too if it is for good. A
// write that fails writes half of its bytes first.
void fail(std::int64_t nth, int error, bool for_good);
// The process ends before call number `nth` that changes a file, with this code.
inline constexpr int kEnded = 77;
void end_process(std::int64_t nth);
// No more failures. The result is the number of calls since fail().
std::int64_t stop();

}  // namespace rein::calls
