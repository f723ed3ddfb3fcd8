// Versions of saved state, and the rules by which records are folded. There are two numbers,
// because there are two questions: how bytes are read, and what a record means.
//
// The version says which form saved bytes have: the snapshot of an engine, and the service's state of
// a model. All parts share the number. Older versions stay readable; newer ones are refused by name.
//
// The rules say what a record does to the state. A mend that changes what a record does would make
// a replay of old records disagree with the hashes beside these records. So the state has the
// number of its rules; a changed meaning asks `rules >= 2`; and a state moves to newer rules only
// by a record (RulesRecord), so that older records are folded by the rules of their time, and later
// records by the newer rules.
#pragma once

namespace rein {

inline constexpr int kOldestStateVersion = 6;  // of 0.1.0
inline constexpr int kStateVersion = 8;        // of 0.2.0; while that was made, also 7

inline constexpr int kOldestRules = 1;  // of 0.1.0
inline constexpr int kRules = 2;        // of 0.2.0

// A state hash is over the form that the state had under its rules, so that hashes that were written
// under older rules stay comparable.
constexpr int hashed_version(int rules) { return rules == 1 ? 6 : 8; }

}  // namespace rein
