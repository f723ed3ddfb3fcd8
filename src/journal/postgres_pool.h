// The hosts of one address of PostgreSQL, and bounded sets of connections to the one that is the primary.
// Safe for several threads. Used by postgres_*.cc only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "journal/postgres_connection.h"

namespace rein::postgres {

class Servers {
 public:
  // kInvalid: the address cannot be read. It may name several hosts. Nothing is connected yet.
  static Result<std::unique_ptr<Servers>> parse(const std::string& address);

  // A connection to the primary. A server that was replaced by another is not used again: its timeline
  // is lower than one that was seen. Hosts that did not answer lately are tried after the others.
  Result<std::unique_ptr<Connection>> open(const Session& session, Clock::time_point deadline);
  // A connection to the primary was lost, or did not answer in time. Others that were opened before
  // are not to be used any more.
  void lose(const Connection& connection);
  std::int64_t generation() const { return generation_.load(); }

 private:
  Result<Connection::Opened> open_one(const Session& session, Clock::time_point deadline);

  std::vector<Connection::Options> hosts_;
  std::atomic<std::int64_t> generation_{0};
  std::mutex mutex_;
  std::vector<Clock::time_point> silent_;  // per host: when it last did not answer
  std::size_t primary_ = 0;                // the host of the newest connection
  std::int64_t timeline_ = 0;              // the highest that was seen
};

class Pool {
 public:
  Pool(Servers& servers, const Session& session, int most)
      : servers_(servers), session_(session), free_slots_(most) {}

  // A connection that one thread has until this object is destroyed.
  class Borrowed {
   public:
    Borrowed(Pool& pool, std::unique_ptr<Connection> connection, std::int64_t generation)
        : pool_(&pool), connection_(std::move(connection)), generation_(generation) {}
    Borrowed(Borrowed&&) noexcept = default;
    Borrowed& operator=(Borrowed&&) = delete;
    ~Borrowed() {
      if (connection_) pool_->give_back(std::move(connection_), generation_);
    }
    Connection* operator->() const { return connection_.get(); }
    Connection& operator*() const { return *connection_; }

   private:
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
    std::int64_t generation_;
  };
  // kFailed: no connection was free, or could be opened, in time.
  Result<Borrowed> take(Clock::time_point deadline);

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    std::int64_t generation = 0;
  };
  void give_back(std::unique_ptr<Connection> connection, std::int64_t generation);
  void free_slot();

  Servers& servers_;
  Session session_;
  std::mutex mutex_;
  std::condition_variable freed_;
  int free_slots_;
  std::vector<Idle> idle_;
};

}  // namespace rein::postgres
