#include "journal/postgres_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rein::postgres {
namespace {

// How long a host that did not answer is tried after the others, and how long those may take.
constexpr std::chrono::seconds kSilentFor{10};
constexpr std::chrono::milliseconds kOthersFirst{500};

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (;;) {
    const std::size_t comma = list.find(',', from);
    parts.push_back(list.substr(from, comma - from));
    if (comma == std::string::npos) return parts;
    from = comma + 1;
  }
}

}  // namespace

Result<std::unique_ptr<Servers>> Servers::parse(const std::string& address) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> found(
      PQconninfoParse(address.c_str(), &message));
  if (!found) {
    // The message may repeat the address, which may have a password.
    PQfreemem(message);
    return Error{
        "the address of PostgreSQL cannot be read; accepted is "
        "postgres://USER@HOST1:PORT,HOST2:PORT/DATABASE?OPTION=VALUE"};
  }
  Connection::Options common;
  std::vector<std::string> names{""}, addresses{""}, ports{""};
  for (const PQconninfoOption* option = found.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string name = option->keyword;
    if (name == "host") {
      names = split(option->val);
    } else if (name == "hostaddr") {
      addresses = split(option->val);
    } else if (name == "port") {
      ports = split(option->val);
    } else if (name != "target_session_attrs") {
      common.emplace_back(name, option->val);
    }
  }
  common.emplace_back("target_session_attrs", "read-write");
  common.emplace_back("fallback_application_name", "rein");
  common.emplace_back("client_encoding", "UTF8");
  const std::size_t count = std::max(names.size(), addresses.size());
  for (const auto* values : {&names, &addresses, &ports}) {
    if (values->size() == 1 || values->size() == count) continue;
    return Error{fmt::format("the address of PostgreSQL has {} hosts and {} ports or addresses",
                             count, values->size())};
  }
  auto servers = std::make_unique<Servers>();
  for (std::size_t host = 0; host < count; ++host) {
    Connection::Options options = common;
    const auto add = [&](const char* name, const std::vector<std::string>& values) {
      const std::string& value = values[std::min(host, values.size() - 1)];
      if (!value.empty()) options.emplace_back(name, value);
    };
    add("host", names);
    add("hostaddr", addresses);
    add("port", ports);
    servers->hosts_.push_back(std::move(options));
  }
  servers->silent_.resize(count);
  return servers;
}

Result<Connection::Opened> Servers::open_one(const Session& session, Clock::time_point deadline) {
  std::vector<std::size_t> places;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t host = 0; host < hosts_.size(); ++host) {
      const bool silent =
          silent_[host] != Clock::time_point() && Clock::now() - silent_[host] < kSilentFor;
      if (!silent) places.push_back(host);
    }
  }
  if (!places.empty() && places.size() < hosts_.size()) {
    std::vector<Connection::Options> others;
    for (const std::size_t host : places) others.push_back(hosts_[host]);
    auto opened =
        Connection::open_any(others, session, std::min(deadline, Clock::now() + kOthersFirst));
    if (opened) {
      opened.value().host = places[opened.value().host];
      return opened;
    }
  }
  return Connection::open_any(hosts_, session, deadline);
}

Result<std::unique_ptr<Connection>> Servers::open(const Session& session,
                                                  Clock::time_point deadline) {
  auto opened = open_one(session, deadline);
  if (!opened) return opened.failure();
  const std::lock_guard lock(mutex_);
  const std::size_t host = opened.value().host;
  const std::int64_t timeline = opened.value().connection->timeline();
  if (timeline < timeline_) {
    silent_[host] = Clock::now();
    return Error{
        fmt::format("PostgreSQL: the server that answers is an earlier primary: its timeline "
                    "is {}, and {} was seen",
                    timeline, timeline_),
        Reason::kFailed};
  }
  if (timeline > timeline_) ++generation_;
  timeline_ = timeline;
  primary_ = host;
  silent_[host] = {};
  return std::move(opened.value().connection);
}

void Servers::lose(const Connection& connection) {
  const std::lock_guard lock(mutex_);
  ++generation_;
  if (connection.timeline() == timeline_) silent_[primary_] = Clock::now();
}

Result<Pool::Borrowed> Pool::take(Clock::time_point deadline) {
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_until(lock, deadline, [&] { return free_slots_ > 0; })) {
      return Error{"PostgreSQL: no connection was free within the deadline", Reason::kFailed};
    }
    --free_slots_;
    while (!idle_.empty()) {
      Idle idle = std::move(idle_.back());
      idle_.pop_back();
      if (idle.generation != servers_.generation()) continue;
      return Borrowed(*this, std::move(idle.connection), idle.generation);
    }
  }
  const std::int64_t generation = servers_.generation();
  auto opened = servers_.open(session_, deadline);
  if (!opened) {
    free_slot();
    return opened.failure();
  }
  // A higher timeline has made a new generation, to which this connection belongs.
  return Borrowed(*this, std::move(opened).value(), std::max(generation, servers_.generation()));
}

void Pool::give_back(std::unique_ptr<Connection> connection, std::int64_t generation) {
  if (!connection->usable()) {
    servers_.lose(*connection);
    connection.reset();
  }
  {
    const std::lock_guard lock(mutex_);
    if (connection && generation == servers_.generation()) {
      idle_.push_back({std::move(connection), generation});
    }
  }
  free_slot();
}

void Pool::free_slot() {
  {
    const std::lock_guard lock(mutex_);
    ++free_slots_;
  }
  freed_.notify_one();
}

}  // namespace rein::postgres
