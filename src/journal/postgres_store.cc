#include "journal/postgres_store.h"

#include <fmt/format.h>

namespace rein::postgres {
namespace {

// Connections of a call that may turn out to be lost. More of them were not idle at once.
constexpr int kTries = 3;

}  // namespace

Result<Rows> Store::call(Durable durable, const Work& work, std::string* state) {
  const auto until = deadline();
  for (int tries = 1;; ++tries) {
    auto connection = pool(durable).take(until);
    if (!connection) return connection.failure();
    auto rows = work(*connection.value(), until);
    if (state != nullptr) *state = connection.value()->state();
    if (rows || connection.value()->usable() || tries == kTries || Clock::now() >= until)
      return rows;
  }
}

Result<Rows> Store::ask(Durable durable, const Query& statement, const Values& values,
                        std::string* state) {
  return call(
      durable,
      [&](Connection& connection, Clock::time_point until) {
        return connection.run(statement, values, until);
      },
      state);
}

Error unknown_model(const std::string& model) {
  return {fmt::format("there is no journal of model {}", model), Reason::kUnknown};
}

}  // namespace rein::postgres
