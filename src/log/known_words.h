// read_known_words: reads the features with numbers that the row before had at the same place.
//
// Most rows of a log have the same features in the same order. So each word is compared with the one
// that is expected, and no table is asked. Where words end is known beforehand (LineFile), so words with
// short decimal numbers are read several at once.
#pragma once

#include <cstdint>
#include <span>

#include "base/kernels.h"
#include "log/fast_number.h"
#include "log/name_table.h"
#include "log/row_buffer.h"

namespace rein {

// Reads expected words from `at` on. Returns how many it read, 0 if the first is not expected; `at` is
// then where the last one of them ends. They are added to `out`, except for zeros.
std::size_t read_known_words(const char*& at, std::span<const char* const> ends, std::int32_t space,
                             FeatureTable& table, FeatureList& out);

}  // namespace rein
