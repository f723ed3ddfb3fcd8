// How a connection is made: to all hosts at once, and to the first of them that takes writes.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "journal/postgres_connection.h"

namespace rein::postgres {
namespace {

// What every session of ours must have, whatever was configured for the role or the database:
// - commits wait for the disk, and for the standby if there is a synchronous one;
// - nothing is cancelled or closed by the server's timers: a cancelled commit may report success. Only a
//   wait for a row ends with our deadline, so that no statement takes effect long after it was given up;
// - a statement that waited for a row sees the newest version of the row;
// - the primary keys are used, whatever the planner knows of tables that grow by the second, and no
//   statement is compiled, which takes longer than running it.
// The columns fail on a standby, which has no place where it writes.
constexpr Query kSetUp{"set_up", R"sql(
SELECT set_config('synchronous_commit',
                  CASE WHEN NOT $1::boolean THEN 'off'
                       WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply'
                       ELSE 'on' END, false),
       set_config('statement_timeout', '0', false),
       set_config('lock_timeout', $2::bigint::text, false),
       set_config('idle_in_transaction_session_timeout', '0', false),
       CASE WHEN current_setting('idle_session_timeout', true) IS NOT NULL
            THEN set_config('idle_session_timeout', '0', false) END,
       CASE WHEN current_setting('transaction_timeout', true) IS NOT NULL
            THEN set_config('transaction_timeout', '0', false) END,
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('default_transaction_deferrable', 'off', false),
       set_config('jit', 'off', false),
       set_config('enable_seqscan', 'off', false),
       set_config('enable_bitmapscan', 'off', false),
       set_config('plan_cache_mode', 'force_generic_plan', false),
       ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint
)sql"};
constexpr int kTimelineColumn = 12;

std::string host_text(const Connection::Options& options) {
  std::string host, port;
  for (const auto& [name, value] : options) {
    if (name == "host" || (name == "hostaddr" && host.empty())) host = value;
    if (name == "port") port = value;
  }
  if (host.empty()) host = "the default host";
  return port.empty() ? host : fmt::format("{}:{}", host, port);
}

// How long to wait for the other hosts once one has been found. A primary that was replaced, and runs
// again, takes writes too; its timeline is lower.
constexpr std::chrono::milliseconds kOthersWithin{100};
// A session is set up within this time, or another host is tried.
constexpr std::chrono::milliseconds kSetUpWithin{1'000};

}  // namespace

// The connections that are being made, and the best that was made.
class Connection::Race {
 public:
  Race(const std::vector<Options>& hosts, const Session& session)
      : hosts_(hosts), session_(session) {
    for (std::size_t host = 0; host < hosts.size(); ++host) begin(host);
  }

  Result<Opened> run(Clock::time_point deadline) {
    while (!attempts_.empty() && Clock::now() < deadline) {
      std::vector<pollfd> watched;
      for (const Attempt& attempt : attempts_) {
        const bool reads = attempt.next == PGRES_POLLING_READING;
        watched.push_back({.fd = PQsocket(attempt.handle.get()),
                           .events = static_cast<short>(reads ? POLLIN : POLLOUT),
                           .revents = 0});
      }
      ::poll(watched.data(), watched.size(), millis_until(deadline));
      for (std::size_t i = attempts_.size(); i-- > 0;) {
        // A socket that could not be made has no number; its attempt says why.
        if (watched[i].fd < 0 || watched[i].revents != 0) go_on(i, deadline);
      }
      if (best_.connection) deadline = std::min(deadline, found_ + kOthersWithin);
    }
    if (best_.connection) return std::move(best_);
    for (const Attempt& attempt : attempts_) failed(attempt.host, "no answer within the deadline");
    return Error{fmt::format("PostgreSQL cannot be reached: {}", fmt::join(reasons_, "; ")),
                 Reason::kFailed};
  }

 private:
  struct Attempt {
    Handle handle;
    std::size_t host = 0;
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  };

  void begin(std::size_t host) {
    std::vector<const char*> names, values;
    for (const auto& [name, value] : hosts_[host]) {
      names.push_back(name.c_str());
      values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    Handle handle(PQconnectStartParams(names.data(), values.data(), 0));
    if (handle) attempts_.push_back({.handle = std::move(handle), .host = host});
  }

  void go_on(std::size_t i, Clock::time_point deadline) {
    attempts_[i].next = PQconnectPoll(attempts_[i].handle.get());
    const auto next = attempts_[i].next;
    if (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) return;
    Attempt ended = std::move(attempts_[i]);
    attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(i));
    if (next != PGRES_POLLING_OK)
      return failed(ended.host, one_line(PQerrorMessage(ended.handle.get())));
    std::unique_ptr<Connection> made(new Connection(std::move(ended.handle)));
    auto ready = made->set_up(session_, std::min(deadline, Clock::now() + kSetUpWithin));
    if (!ready) return failed(ended.host, ready.error());
    if (!best_.connection) found_ = Clock::now();
    if (best_.connection && best_.connection->timeline() >= made->timeline()) return;
    best_ = {.connection = std::move(made), .host = ended.host};
  }

  void failed(std::size_t host, const std::string& why) {
    reasons_.push_back(fmt::format("{}: {}", host_text(hosts_[host]), why));
  }

  const std::vector<Options>& hosts_;
  const Session& session_;
  std::vector<Attempt> attempts_;
  std::vector<std::string> reasons_;
  Opened best_;
  Clock::time_point found_;
};

Result<> Connection::set_up(const Session& session, Clock::time_point deadline) {
  Values values;
  const char truth = session.durable == Durable::kYes ? 1 : 0;
  values.bytes({&truth, 1}).number(session.lock_timeout.count());
  auto rows = run(kSetUp, values, deadline);
  if (!rows) return rows.failure();
  timeline_ = rows.value().number(0, kTimelineColumn);
  return {};
}

Result<Connection::Opened> Connection::open_any(const std::vector<Options>& hosts,
                                                const Session& session,
                                                Clock::time_point deadline) {
  return Race(hosts, session).run(deadline);
}

}  // namespace rein::postgres
