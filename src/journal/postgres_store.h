// What the parts of a SharedLog in PostgreSQL share: the connections, and calls with a deadline. Used by
// postgres_*.cc only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "journal/postgres_pool.h"
#include "journal/shared_log.h"

namespace rein::postgres {

class Store {
 public:
  Store(std::unique_ptr<Servers> servers, std::chrono::milliseconds deadline, int connections)
      : servers_(std::move(servers)),
        deadline_(deadline),
        durable_(*servers_, {.durable = Durable::kYes, .lock_timeout = deadline}, connections),
        lazy_(*servers_, {.durable = Durable::kNo, .lock_timeout = deadline}, kLazyConnections) {}

  Clock::time_point deadline() const { return Clock::now() + deadline_; }
  // Commits of kYes have reached the disk and the standby when they are answered. Those of kNo have
  // been seen by all other sessions, and may be lost with the server.
  Pool& pool(Durable durable) { return durable == Durable::kYes ? durable_ : lazy_; }
  Servers& servers() { return *servers_; }

  // Runs `work` on a connection, within the deadline. If the connection was lost, it was perhaps an old
  // one, and another is tried: so `work` must be safe to repeat. `state`, if it is given, becomes
  // Connection::state().
  using Work = std::function<Result<Rows>(Connection&, Clock::time_point)>;
  Result<Rows> call(Durable durable, const Work& work, std::string* state = nullptr);
  // The same for one statement.
  Result<Rows> ask(Durable durable, const Query& statement, const Values& values,
                   std::string* state = nullptr);

 private:
  // For beats, snapshots, notifications and deletions, which must not wait for commits of entries.
  static constexpr int kLazyConnections = 3;

  std::unique_ptr<Servers> servers_;
  std::chrono::milliseconds deadline_;
  Pool durable_, lazy_;
};

inline std::int64_t signed_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }
inline std::uint64_t unsigned_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// There is no journal of this model.
Error unknown_model(const std::string& model);

}  // namespace rein::postgres
