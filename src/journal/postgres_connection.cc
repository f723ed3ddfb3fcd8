#include "journal/postgres_connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rein::postgres {

// libpq ends its messages with the end of a line, and some have several lines.
std::string one_line(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? "no reason was given" : text;
}

int millis_until(Clock::time_point then) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(then - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

// PQfinish() says goodbye to the server, and would wait for ever if the socket takes no more bytes.
void Connection::Finish::operator()(PGconn* connection) const {
  const int socket = PQsocket(connection);
  if (socket >= 0 && PQtransactionStatus(connection) != PQTRANS_IDLE) ::shutdown(socket, SHUT_RDWR);
  PQfinish(connection);
}

Connection::Connection(Handle connection) : connection_(std::move(connection)) {
  PQsetnonblocking(connection_.get(), 1);
  PQsetNoticeReceiver(connection_.get(), note, this);
}

Connection::~Connection() = default;

void Connection::note(void* connection, const PGresult* notice) {
  const char* state = PQresultErrorField(notice, PG_DIAG_SQLSTATE);
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (state == nullptr || severity == nullptr) return;
  if (std::strcmp(state, kStateWarning) != 0 || std::strcmp(severity, "WARNING") != 0) return;
  static_cast<Connection*>(connection)->warning_ =
      one_line(PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

Error Connection::lost(const std::string& what) {
  usable_ = false;
  state_.clear();
  return {"PostgreSQL: " + what, Reason::kFailed};
}

Error Connection::refused(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (state == nullptr || PQstatus(connection_.get()) == CONNECTION_BAD) {
    return lost(one_line(PQresultErrorMessage(result)));
  }
  state_ = state;
  // Classes 08, 57P and 25006: the server ends the connection, or has become a standby.
  if (state_.starts_with("08") || state_.starts_with("57P") || state_ == "25006") usable_ = false;
  return {fmt::format("PostgreSQL: {} (SQLSTATE {})",
                      one_line(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)), state_),
          Reason::kFailed};
}

Result<> Connection::wait(Clock::time_point deadline, bool to_write) {
  pollfd watched{.fd = PQsocket(connection_.get()),
                 .events = static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)),
                 .revents = 0};
  const int ready = ::poll(&watched, 1, millis_until(deadline));
  if (ready < 0 && errno != EINTR) return lost(std::strerror(errno));
  if (ready == 0 && Clock::now() >= deadline) return lost("no answer within the deadline");
  if (ready > 0 && (watched.revents & ~POLLOUT) != 0 && PQconsumeInput(connection_.get()) == 0) {
    return lost(one_line(PQerrorMessage(connection_.get())));
  }
  return {};
}

Result<> Connection::flush(Clock::time_point deadline) {
  for (;;) {
    const int left = PQflush(connection_.get());
    if (left < 0) return lost(one_line(PQerrorMessage(connection_.get())));
    if (left == 0) return {};
    if (auto waited = wait(deadline, true); !waited) return waited;
  }
}

bool Connection::ready(Clock::time_point until) {
  while (usable_ && PQisBusy(connection_.get()) != 0) {
    if (Clock::now() >= until) return false;
    pollfd watched{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, millis_until(until)) <= 0) continue;
    if (PQconsumeInput(connection_.get()) == 0) return true;  // answer() says why
  }
  return true;
}

Result<Rows> Connection::answer(Clock::time_point deadline) {
  Rows rows;
  std::optional<Error> error;
  for (;;) {
    while (PQisBusy(connection_.get()) != 0) {
      if (auto waited = wait(deadline, false); !waited) return waited.failure();
    }
    PGresult* result = PQgetResult(connection_.get());
    if (result == nullptr) break;
    const ExecStatusType status = PQresultStatus(result);
    Rows next(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
      rows = std::move(next);
    } else if (!error) {
      error = refused(result);
    }
  }
  if (error) return *error;
  if (PQstatus(connection_.get()) == CONNECTION_BAD) {
    return lost(one_line(PQerrorMessage(connection_.get())));
  }
  if (warning_) {
    state_ = kStateWarning;
    return Error{fmt::format("PostgreSQL: {} (SQLSTATE {}, a warning)", *warning_, state_),
                 Reason::kFailed};
  }
  return rows;
}

Result<> Connection::prepare(const Query& statement, Clock::time_point deadline) {
  if (prepared_.contains(statement.name)) return {};
  if (PQsendPrepare(connection_.get(), statement.name, statement.text, 0, nullptr) == 0) {
    return lost(one_line(PQerrorMessage(connection_.get())));
  }
  if (auto sent = flush(deadline); !sent) return sent;
  if (auto rows = answer(deadline); !rows) return rows.failure();
  prepared_.insert(statement.name);
  return {};
}

Result<> Connection::start(const Query& statement, const Values& values,
                           Clock::time_point deadline) {
  state_.clear();
  warning_.reset();
  if (!usable_) return lost("the connection was lost");
  if (auto ready = prepare(statement, deadline); !ready) return ready;
  const auto pointers = values.pointers();
  const auto lengths = values.lengths();
  const std::vector<int> binary(pointers.size(), 1);
  if (PQsendQueryPrepared(connection_.get(), statement.name, values.count(), pointers.data(),
                          lengths.data(), binary.data(), 1) == 0) {
    return lost(one_line(PQerrorMessage(connection_.get())));
  }
  return flush(deadline);
}

Result<Rows> Connection::run(const Query& statement, const Values& values,
                             Clock::time_point deadline) {
  if (auto sent = start(statement, values, deadline); !sent) return sent.failure();
  return answer(deadline);
}

Result<> Connection::run_text(const std::string& text, Clock::time_point deadline) {
  state_.clear();
  warning_.reset();
  if (!usable_) return lost("the connection was lost");
  if (PQsendQuery(connection_.get(), text.c_str()) == 0) {
    return lost(one_line(PQerrorMessage(connection_.get())));
  }
  if (auto sent = flush(deadline); !sent) return sent;
  if (auto rows = answer(deadline); !rows) return rows.failure();
  return {};
}

Result<bool> Connection::notified(Clock::time_point until, const std::string& except) {
  for (;;) {
    bool found = false;
    while (PGnotify* notification = PQnotifies(connection_.get())) {
      found = found || notification->extra != except;
      PQfreemem(notification);
    }
    if (found) return true;
    if (Clock::now() >= until) return false;
    pollfd watched{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
    if (::poll(&watched, 1, millis_until(until)) > 0 && PQconsumeInput(connection_.get()) == 0) {
      return lost(one_line(PQerrorMessage(connection_.get())));
    }
  }
}

}  // namespace rein::postgres
