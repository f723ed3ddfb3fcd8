// Heads and entries of journals in PostgreSQL (postgres_log.h). Used by postgres_*.cc only.
#pragma once

#include <cstdint>
#include <string>

#include "journal/postgres_store.h"

namespace rein::postgres {

class Entries {
 public:
  explicit Entries(Store& store) : store_(store) {}

  Result<LogHead> head(const std::string& model);
  Result<LogHead> claim(const std::string& model, const std::string& node, bool create);
  Result<> append(const std::string& model, const LogGroup& group);
  Result<LogSlice> read(const std::string& model, std::int64_t from, std::size_t most_bytes);
  // Moves the beginning of the journal. delete_dropped() then deletes the entries before it, a part of
  // them at each call; false: there are no more.
  Result<> drop_before(const std::string& model, std::int64_t epoch, std::int64_t number);
  Result<bool> delete_dropped(const std::string& model);

 private:
  Result<> settle(const std::string& model, const LogGroup& group, std::uint64_t chain);
  void end_blockers(int pid);

  Store& store_;
};

}  // namespace rein::postgres
