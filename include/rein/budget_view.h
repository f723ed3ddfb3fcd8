// What can be seen of the money of keys and of closed windows: Engine::keys() and Engine::windows().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/budget.h"

namespace rein {

// Which keys of a budget with a scope are listed: those that spent most first.
struct KeyQuery {
  std::int64_t first = 0;   // how many of them are left out before
  std::int64_t most = 100;  // how many are listed; at most kMaxListedKeys
  std::string search;       // only names that contain this text; empty: all
  int ago = 0;              // the window: 0 is the open one, 1 the one before it
};
inline constexpr std::int64_t kMaxListedKeys = 10'000;

// One key, in micro-units.
struct KeyState {
  std::string name;  // "" if only its digest is known
  KeyDigest key;
  bool own = false;  // whether it has an amount of its own
  std::int64_t limit = 0;
  std::int64_t spent = 0;
  std::int64_t held = 0;
};

struct KeyPage {
  std::vector<KeyState> keys;
  std::int64_t count = 0;  // of all keys that the query asks for, with what they spent and hold
  std::int64_t spent = 0;
  std::int64_t held = 0;
};

// The account of a budget that a decision with certain keys uses, in its open window.
struct AccountState {
  KeyState key;      // without a name and a digest for a budget for everybody
  int dimension = -1;  // of the keys of a decision; -1: a budget for everybody
  std::int64_t window = 0;  // its number
  std::int64_t first = 0, last = 0;
};

// One window of a budget, in micro-units.
struct WindowState {
  std::int64_t number = 0;
  std::int64_t first = -1;  // its first and last round or tick; -1: they are not known any more
  std::int64_t last = -1;
  std::int64_t limit = 0;
  std::int64_t spent = 0;
  std::int64_t held = 0;
  bool open = false;
};

}  // namespace rein
