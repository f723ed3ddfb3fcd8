// The words of a text, hashed into buckets.
//
// A word is a longest run of ASCII letters and digits and of bytes from 0x80 on (so UTF-8 letters
// are parts of words). ASCII letters are read in lower case. All other bytes separate words.
#pragma once

#include <span>
#include <string_view>

namespace rein {

// Adds +1 or -1 (or always +1) for each word to its bucket, then divides by the root of the number
// of words, so that long and short texts are of one size. REQUIRES out is all 0.
void hash_words(std::string_view text, bool with_sign, std::span<double> out);

// Whether the text has at least two words.
bool has_several_words(std::string_view text);

}  // namespace rein
