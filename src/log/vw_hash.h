// The slots that Vowpal Wabbit gives to features (its default, --hash strings), so that the same
// feature has the same number in both programs:
//
//   hash(name, seed)  a name of digits only: its value + seed; else MurmurHash3 (32 bits) of the name
//   namespace         hash(namespace, 0); 0 for the one without a name
//   name              hash(name, namespace)
//   name:text         hash(text, hash(name, namespace)) in text; in JSON hash(name + text, namespace),
//                     with _ in the place of blanks, tabs, bars and colons of the text
//   lists in JSON     namespace + place
//   products (-q)     16777619 first ^ second
//
// The slot is the number in the lowest `bits` bits.
#pragma once

#include <cstdint>
#include <string_view>

#include "rein/log.h"

namespace rein {

// MurmurHash3_x86_32 of Austin Appleby, which is in the public domain.
std::uint32_t murmur3(std::string_view text, std::uint32_t seed);
std::uint64_t vw_hash(std::string_view name, std::uint64_t seed);
// The hash of a feature, before it is cut to the number of bits. `text`: by the rules of Vowpal
// Wabbit's text.
std::uint64_t vw_feature_hash(const FeatureName& feature, bool text);
inline std::uint64_t vw_product(std::uint64_t first, std::uint64_t second) {
  return (16'777'619U * first) ^ second;
}

}  // namespace rein
