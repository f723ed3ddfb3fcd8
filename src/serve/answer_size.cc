#include "serve/answer_size.h"

#include <algorithm>

#include "base/size.h"
#include "serve/answer.h"
#include "serve/names.h"

namespace rein::serve {
namespace {

// Smaller answers are not worth asking for: hundreds of them are a small part of the budget.
constexpr std::size_t kSmallAnswer = std::size_t{64} << 10U;
constexpr std::size_t kNumberBytes = 25;  // of a double in JSON with its comma, at most

std::size_t name_bytes(const Engine& engine) {
  constexpr std::int32_t kLookedAt = 200;
  const std::int32_t actions = std::max(1, engine.policy().shape().actions);
  const std::int32_t step = std::max(1, actions / kLookedAt);
  std::size_t bytes = 0;
  std::size_t names = 0;
  for (std::int32_t id = 0; id < actions; id += step, ++names) {
    bytes += action_text(engine, id).size() + 3;  // quotes and a comma
  }
  return (bytes + names - 1) / names;
}

}  // namespace

std::size_t decision_bytes(const Engine& engine, std::size_t actions) {
  constexpr std::size_t kBesides = 512;  // id, status, prices, budgets
  return kBesides + actions * (kNumberBytes + name_bytes(engine));
}

std::size_t explanation_bytes(const Engine& engine, std::size_t actions) {
  constexpr std::size_t kAction = 120;
  constexpr std::size_t kHead = 160;
  constexpr std::size_t kTerm = 130;  // a name, a weight, a value and their product
  const Shape& shape = engine.policy().shape();
  const std::size_t terms =
      (as_size(shape.context) + 1) * (as_size(shape.features) + 1) + as_size(shape.features);
  return actions *
         (kAction + name_bytes(engine) + as_size(shape.heads()) * (kHead + terms * kTerm));
}

void make_room(const Ask& ask, std::size_t bytes) {
  if (bytes < kSmallAnswer || ask.reply == nullptr || ask.reply->make_room(bytes)) return;
  Refused why(503, "busy",
              "answers that wait to be read hold all the memory that they may (most_memory_bytes); "
              "accepted are smaller ones now, and this one later");
  why.retry_after = 1;
  throw why;
}

}  // namespace rein::serve
