#include "http/tokens.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace rein::serve {
namespace {

// Mixes the bits of a key, so that neighbouring addresses go to different sets (splitmix64).
std::uint64_t mixed(std::uint64_t key) {
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9U;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebU;
  return key ^ (key >> 31);
}

// The level at `now`: a bucket that leaks so much per minute.
double leaked(double level, double per_minute, TokenGuard::Time since, TokenGuard::Time now) {
  const double minutes = std::chrono::duration<double>(now - since).count() / 60.0;
  return std::max(0.0, level - per_minute * minutes);
}

}  // namespace

std::uint64_t TokenGuard::key_of(const std::string& address) {
  unsigned char bytes[16] = {};
  const std::string plain = address.substr(0, address.find('%'));  // without the interface
  if (::inet_pton(AF_INET6, plain.c_str(), bytes) != 1) {
    ::inet_pton(AF_INET, plain.c_str(), bytes + 4);
  }
  std::uint64_t key = 0;
  std::memcpy(&key, bytes, sizeof key);
  // Addresses of IPv4 within IPv6 (::ffff:1.2.3.4) share their first 64 bits.
  if (key == 0) std::memcpy(&key, bytes + 8, sizeof key);
  return key;
}

TokenGuard::Entry* TokenGuard::find(std::uint64_t address) {
  if (entries_ == nullptr) return nullptr;
  Entry* set = entries_->data() + mixed(address) % kSets * kWays;
  Entry* found = std::find_if(set, set + kWays, [&](const Entry& each) {
    return each.address == address && (each.level > 0.0 || each.waiting > 0);
  });
  return found == set + kWays ? nullptr : found;
}

TokenGuard::Verdict TokenGuard::ask(std::uint64_t address, Time now) {
  const std::lock_guard lock(mutex_);
  Entry* entry = find(address);
  if (entry != nullptr) {
    entry->level = leaked(entry->level, kFreeGuesses, entry->at, now);
    entry->at = now;
  }
  all_.level = leaked(all_.level, kFreeGuessesOfAll, all_.at, now);
  all_.at = now;
  const bool slow = entry != nullptr && entry->level >= kFreeGuesses;
  if (!slow && all_.level < kFreeGuessesOfAll) return Verdict::kAtOnce;
  if (all_.waiting >= kWaitingOfAll || (entry != nullptr && entry->waiting >= kWaitingPerAddress)) {
    return Verdict::kRefuse;
  }
  ++all_.waiting;
  if (entry != nullptr) ++entry->waiting;
  return Verdict::kWait;
}

void TokenGuard::waited(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  --all_.waiting;
  if (Entry* entry = find(address); entry != nullptr && entry->waiting > 0) --entry->waiting;
}

void TokenGuard::failed(std::uint64_t address, Time now) {
  const std::lock_guard lock(mutex_);
  if (entries_ == nullptr) entries_ = std::make_unique<std::array<Entry, kWays * kSets>>();
  Entry* entry = find(address);
  if (entry == nullptr) {
    Entry* set = entries_->data() + mixed(address) % kSets * kWays;
    for (Entry* each = set; each != set + kWays; ++each) {
      each->level = leaked(each->level, kFreeGuesses, each->at, now);
      each->at = now;
    }
    entry = std::min_element(set, set + kWays,
                             [](const Entry& a, const Entry& b) { return a.level < b.level; });
    *entry = {.address = address, .at = now};
  }
  entry->level = leaked(entry->level, kFreeGuesses, entry->at, now) + 1.0;
  entry->at = now;
  // More than this would only make the wait longer after the guessing has ended.
  entry->level = std::min(entry->level, 2.0 * kFreeGuesses);
  all_.level =
      std::min(leaked(all_.level, kFreeGuessesOfAll, all_.at, now) + 1.0, 2.0 * kFreeGuessesOfAll);
  all_.at = now;
}

}  // namespace rein::serve
