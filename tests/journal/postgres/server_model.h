// A throwaway PostgreSQL for tests (scripts/postgres.sh), and direct ways into it: to stop what rein
// cannot stop, and to change what rein would not change. It ends with the process of the test.
#pragma once

#include <libpq-fe.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "journal/postgres_log.h"

namespace rein {

class PostgresServer {
 public:
  // Settings as NAME=VALUE. `with_standby`: with a synchronous standby.
  explicit PostgresServer(const std::vector<std::string>& settings = {}, bool with_standby = false);
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // The address of an empty place in the database: a schema that is made by it. With a standby it has
  // both hosts.
  std::string new_place();
  // Addresses of all hosts, or of one, with that schema.
  std::string address(const std::string& schema) const;
  std::string address_of(int port, const std::string& schema) const;
  int primary_port() const { return primary_; }
  int standby_port() const { return standby_; }

  void promote() { script("promote"); }
  pid_t pid(const std::string& name) const;
  // The process of a server and all that it has started: SIGSTOP, SIGCONT or SIGKILL.
  void signal(const std::string& name, int signal) const;
  // The primary again after it was killed.
  void restart_primary() { script("again"); }

 private:
  std::string script(const std::string& words) const;

  std::string folder_;
  int primary_ = 0, standby_ = 0;
  int places_ = 0;
};

// A server without a standby, which all tests of a process share. Its commits do not wait for the disk.
PostgresServer& shared_server();

// A plain session, as an operator would have it: with the settings of its role.
class Psql {
 public:
  explicit Psql(const std::string& address);
  // The first column of the first row as text; empty if there is none. Throws if it fails, and if it
  // has not ended after a minute.
  std::string operator()(const std::string& statement) const;
  // Sends a statement, and whether it has been answered after that many milliseconds.
  bool ends_within(const std::string& statement, int millis) const;

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace rein
