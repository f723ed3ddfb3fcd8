// What a SharedLog in PostgreSQL does beside its calls: it tells other nodes that entries have come
// (NOTIFY), waits for their notifications (LISTEN), and deletes entries that were dropped. Used by
// postgres_*.cc only.
//
// NOTIFY is a statement of its own, after the commit of the entries. A commit that notifies holds a lock
// of the whole database until its standby has answered, so appends of all models would wait in turn.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "journal/postgres_entries.h"
#include "journal/postgres_store.h"

namespace rein::postgres {

class Background {
 public:
  Background(Store& store, Entries& entries);
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Other nodes are told soon. Several calls within a millisecond or two are told once.
  void entries_came();
  // Entries of this model were dropped, or may have been left over by an owner before.
  void entries_dropped(const std::string& model);
  // Whether there are other nodes to tell.
  void set_alone(bool alone) { alone_ = alone; }
  // Waits until another process has told that entries came, or that long; without a connection for
  // notifications, a few milliseconds.
  void wait_for_entries(std::chrono::milliseconds most);

 private:
  void run();
  void listen(Clock::time_point until);

  Store& store_;
  Entries& entries_;
  std::string name_;  // of this process, in notifications
  std::atomic<bool> alone_{false};

  std::mutex mutex_;
  std::condition_variable wanted_;
  bool ending_ = false;
  bool came_ = false;
  std::set<std::string> dropped_;

  std::mutex listening_;
  std::unique_ptr<Connection> listener_;
  Clock::time_point next_try_;
  std::thread thread_;
};

}  // namespace rein::postgres
