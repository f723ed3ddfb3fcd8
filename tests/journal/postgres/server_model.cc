#include "journal/postgres/server_model.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "journal/throwaway.h"
#include "source_dir.h"

namespace rein {
namespace {

constexpr int kStatementMillis = 60'000;  // a statement of a test that takes longer never ends

std::vector<pid_t> family(pid_t parent) {
  std::vector<pid_t> found{parent};
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", parent, parent));
  for (pid_t child = 0; children >> child;) found.push_back(child);
  return found;
}

}  // namespace

PostgresServer::PostgresServer(const std::vector<std::string>& settings, bool with_standby)
    : folder_(fmt::format("{}/rein_postgres_{}_{}", std::filesystem::temp_directory_path().string(),
                          ::getpid(), free_port())),
      primary_(free_port()) {
  ::setenv("REIN_WATCHED_PID", std::to_string(::getpid()).c_str(), 1);
  script(fmt::format("start {} {}", primary_, fmt::join(settings, " ")));
  if (!with_standby) return;
  standby_ = free_port();
  script(fmt::format("standby {}", standby_));
}

PostgresServer::~PostgresServer() {
  for (const char* name : {"primary", "standby"}) {
    if (std::filesystem::exists(folder_ + "/" + name)) signal(name, SIGCONT);
  }
  script("remove");
}

// The first word is the verb; the folder comes after it.
std::string PostgresServer::script(const std::string& words) const {
  const std::size_t verb = words.find(' ');
  return output_of(fmt::format("{}/scripts/postgres.sh {} {} {}", source_dir(),
                               words.substr(0, verb), folder_,
                               verb == std::string::npos ? "" : words.substr(verb + 1)));
}

std::string PostgresServer::new_place() {
  const std::string schema = fmt::format("place{}", ++places_);
  Psql(address_of(primary_, "public"))("CREATE SCHEMA " + schema);
  return address(schema);
}

std::string PostgresServer::address(const std::string& schema) const {
  if (standby_ == 0) return address_of(primary_, schema);
  return fmt::format(
      "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/postgres?options=-csearch_path%3D{}", primary_,
      standby_, schema);
}

std::string PostgresServer::address_of(int port, const std::string& schema) const {
  return fmt::format("postgres://postgres@127.0.0.1:{}/postgres?options=-csearch_path%3D{}", port,
                     schema);
}

pid_t PostgresServer::pid(const std::string& name) const {
  return static_cast<pid_t>(std::stoi(script("pid " + name)));
}

void PostgresServer::signal(const std::string& name, int signal) const {
  for (const pid_t pid : family(pid(name))) ::kill(pid, signal);
}

PostgresServer& shared_server() {
  static PostgresServer server({"fsync=off"});
  return server;
}

Psql::Psql(const std::string& address) : connection_(PQconnectdb(address.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(connection_.get()));
}

bool Psql::ends_within(const std::string& statement, int millis) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(millis);
  if (PQsendQuery(connection_.get(), statement.c_str()) == 0) throw std::runtime_error(statement);
  while (PQconsumeInput(connection_.get()) != 0 && PQisBusy(connection_.get()) != 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd watched{.fd = PQsocket(connection_.get()), .events = POLLIN, .revents = 0};
    if (left <= 0 || ::poll(&watched, 1, static_cast<int>(left)) == 0) return false;
  }
  return true;
}

std::string Psql::operator()(const std::string& statement) const {
  if (!ends_within(statement, kStatementMillis))
    throw std::runtime_error(statement + ": has not ended");
  PGresult* result = PQgetResult(connection_.get());
  while (PGresult* later = PQgetResult(connection_.get())) {
    PQclear(result);
    result = later;
  }
  const ExecStatusType status = PQresultStatus(result);
  const std::string value =
      status == PGRES_TUPLES_OK && PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
  const std::string message = PQresultErrorMessage(result);
  PQclear(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error(statement + ": " + message);
  return value;
}

}  // namespace rein
