// read_known_words: reads features with numbers that are at the same place as in the row before.
//
// Most rows of a log have the same features in the same order. So each word is compared with the
// expected word, and no table is asked. Where words end is known beforehand (LineFile), so words
// with short decimal numbers are read several at once.
#pragma once

#include <cstdint>
#include <span>

#include "base/kernels.h"
#include "log/fast_number.h"
#include "log/name_table.h"
#include "log/row_buffer.h"

namespace rein {

// Reads expected words from `at` on. Returns how many were read, 0 if the first word is another
// one; `at` is then the end of the last word that was read. The features are added to `out`, except
// for zeros.
std::size_t read_known_words(const char*& at, std::span<const char* const> ends, std::int32_t space,
                             FeatureTable& table, FeatureList& out);

}  // namespace rein
