// TokenGuard: slows down who guesses tokens, in bounded memory.
//
// A few wrong tokens are answered at once: people mistype. An address that sent more of them in the
// last minute is slowed down, and so is everybody while all addresses together send too many. Who is
// slowed down waits a second for the answer to the first token of a connection, right or wrong. A
// connection that has shown the right token is never slowed down again. Without that wait for right
// tokens, the time of an answer would say whether a guess was right.
//
// Addresses are counted in a fixed table. Where it is full, the address with the fewest wrong tokens is
// forgotten. IPv6 callers have whole networks, so their first 64 bits count.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace rein::serve {

class TokenGuard {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kFreeGuesses = 10.0;        // wrong tokens per address and minute
  static constexpr double kFreeGuessesOfAll = 600.0;  // the same of all addresses together
  static constexpr int kWaitingPerAddress = 64;       // answers that wait at a time
  static constexpr int kWaitingOfAll = 512;

  // A number for an address: of IPv6 the network of 64 bits.
  static std::uint64_t key_of(const std::string& address);

  enum class Verdict { kAtOnce, kWait, kRefuse };
  // Judges a request with a token, on a connection that has shown no right token yet. After kWait,
  // call waited().
  Verdict ask(std::uint64_t address, Time now);
  void waited(std::uint64_t address);
  void failed(std::uint64_t address, Time now);

 private:
  struct Entry {
    std::uint64_t address = 0;
    double level = 0.0;  // wrong tokens, forgotten at kFreeGuesses per minute
    Time at{};
    int waiting = 0;
  };
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kSets = 512;

  Entry* find(std::uint64_t address);

  std::mutex mutex_;
  std::unique_ptr<std::array<Entry, kWays * kSets>> entries_;  // made with the first wrong token
  Entry all_;
};

}  // namespace rein::serve
