#include "log/vw_hash.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string>

namespace rein {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return static_cast<unsigned char>(c) <= 0x20; }

// The place in a list: "[3]"; false for any other name.
bool place_of(std::string_view name, std::uint64_t& place) {
  if (name.size() < 3 || name.front() != '[' || name.back() != ']') return false;
  const auto [end, code] = std::from_chars(name.data() + 1, name.data() + name.size() - 1, place);
  return code == std::errc() && end == name.data() + name.size() - 1;
}

}  // namespace

std::uint32_t murmur3(std::string_view text, std::uint32_t seed) {
  constexpr std::uint32_t kMixFirst = 0xcc9e2d51U, kMixSecond = 0x1b873593U;
  const auto mixed = [](std::uint32_t k) { return std::rotl(k * kMixFirst, 15) * kMixSecond; };
  std::uint32_t hash = seed;
  const std::size_t blocks = text.size() / 4;
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(text[i])};
  };
  const auto block = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t k = 0;
    for (std::size_t i = 0; i < bytes; ++i) k |= byte(at + i) << (8 * i);
    return k;
  };
  for (std::size_t i = 0; i < blocks; ++i) {
    hash = std::rotl(hash ^ mixed(block(4 * i, 4)), 13) * 5 + 0xe6546b64U;
  }
  if (const std::size_t rest = text.size() % 4; rest > 0) hash ^= mixed(block(4 * blocks, rest));
  hash ^= static_cast<std::uint32_t>(text.size());
  hash = (hash ^ (hash >> 16U)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13U)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16U);
}

std::uint64_t vw_hash(std::string_view name, std::uint64_t seed) {
  while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
  while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
  if (!std::ranges::all_of(name, is_digit)) return murmur3(name, static_cast<std::uint32_t>(seed));
  std::uint64_t value = 0;
  for (const char c : name) value = 10 * value + static_cast<std::uint64_t>(c - '0');
  return value + seed;
}

std::uint64_t vw_feature_hash(const FeatureName& feature, bool text) {
  const std::uint64_t space = feature.space.empty() ? 0 : vw_hash(feature.space, 0);
  std::uint64_t place = 0;
  if (!text && !feature.category && place_of(feature.name, place)) return space + place;
  if (!feature.category) return vw_hash(feature.name, space);
  if (text) return vw_hash(feature.value, vw_hash(feature.name, space));
  std::string whole = feature.name + feature.value;
  std::replace_if(
      whole.begin() + static_cast<std::ptrdiff_t>(feature.name.size()), whole.end(),
      [](char c) { return c == ' ' || c == '\t' || c == '|' || c == ':'; }, '_');
  return vw_hash(whole, space);
}

}  // namespace rein
