// One connection to PostgreSQL, with deadlines of our own. libpq would wait for ever for a server that
// is stopped or cut off: the kernel acknowledges what is sent to a stopped process, so even
// tcp_user_timeout does not notice it. One thread at a time uses a connection. Used by postgres_*.cc only.
//
// A statement that has not been answered in time is never cancelled, because cancelling a commit that
// waits for its standby makes the server report success. The connection is closed instead, and what
// became of the statement is unknown.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "journal/postgres_values.h"
#include "rein/result.h"

namespace rein::postgres {

using Clock = std::chrono::steady_clock;

// A statement. Its name is unique among all of ours: it is prepared once per connection.
struct Query {
  const char* name;
  const char* text;
};

// SQLSTATEs that we act upon.
inline constexpr const char* kStateWarning = "01000";
inline constexpr const char* kStateUniqueViolation = "23505";
inline constexpr const char* kStateNoTable = "42P01";

// Whether a commit waits until it is on the disks of the server and of its synchronous standbys.
enum class Durable { kYes, kNo };

struct Session {
  Durable durable = Durable::kYes;
  std::chrono::milliseconds lock_timeout{0};  // of a wait for a row that another statement changes
};

class Connection {
 public:
  // An open socket to a server that takes writes and is no standby. `options` are pairs as libpq takes
  // them, for one host.
  using Options = std::vector<std::pair<std::string, std::string>>;
  // Opens connections to all of these hosts at once, and returns one that can be used. Of several that
  // answer at about the same time it is the one with the highest timeline. `host` is its place in the
  // list. kFailed: none can be used, and the message says why for each.
  struct Opened {
    std::unique_ptr<Connection> connection;
    std::size_t host = 0;
  };
  static Result<Opened> open_any(const std::vector<Options>& hosts, const Session& session,
                                 Clock::time_point deadline);

  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs a statement and returns its rows. After an error state() is the server's SQLSTATE, or empty if
  // the connection was lost or the deadline passed. A warning with SQLSTATE 01000 is an error too: it
  // says that a commit did not wait for its standby.
  Result<Rows> run(const Query& statement, const Values& values, Clock::time_point deadline);
  // The same in two steps. ready() waits for the answer, at most until then.
  Result<> start(const Query& statement, const Values& values, Clock::time_point deadline);
  bool ready(Clock::time_point until);
  Result<Rows> answer(Clock::time_point deadline);
  // Several statements in one text, without values, as one transaction.
  Result<> run_text(const std::string& text, Clock::time_point deadline);

  // Waits until a notification has come, or until then. False: none came. Notifications with the text
  // `except` do not count.
  Result<bool> notified(Clock::time_point until, const std::string& except);

  bool usable() const { return usable_; }
  const std::string& state() const { return state_; }
  int pid() const { return PQbackendPID(connection_.get()); }
  // The server's line of history: it grows by one whenever a standby becomes the primary.
  std::int64_t timeline() const { return timeline_; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const;
  };
  using Handle = std::unique_ptr<PGconn, Finish>;
  class Race;

  explicit Connection(Handle connection);
  static void note(void* connection, const PGresult* notice);
  Result<> set_up(const Session& session, Clock::time_point deadline);
  Result<> prepare(const Query& statement, Clock::time_point deadline);
  Result<> flush(Clock::time_point deadline);
  Result<> wait(Clock::time_point deadline, bool to_write);
  Error lost(const std::string& what);
  Error refused(const PGresult* result);

  Handle connection_;
  bool usable_ = true;
  std::string state_;
  std::optional<std::string> warning_;  // with SQLSTATE 01000, since the statement was sent
  std::set<std::string> prepared_;
  std::int64_t timeline_ = 0;
};

// Milliseconds for poll() until then: rounded up, 0 if it has passed.
int millis_until(Clock::time_point then);
// A message of libpq in one line.
std::string one_line(const char* message);

}  // namespace rein::postgres
