// How large an answer will be, computed before the work for it begins.
#pragma once

#include <cstddef>
#include <string>

#include "rein/engine.h"
#include "serve/model.h"

namespace rein::serve {

// The largest size of an answer. Lists of thousands of decisions belong into several requests.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{8} << 20U;

// The approximate size of an answer with one decision: the mean length of names is estimated from a
// part of them.
std::size_t decision_bytes(const Engine& engine, std::size_t actions);
std::size_t explanation_bytes(const Engine& engine, std::size_t actions);

// Takes memory for an answer of so many bytes. Throws Refused (503) if the connections hold all that
// they may.
void make_room(const Ask& ask, std::size_t bytes);

}  // namespace rein::serve
