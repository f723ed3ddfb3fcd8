// Snapshots of models in PostgreSQL (postgres_log.h). Used by postgres_*.cc only.
//
// A snapshot is a row, and pieces of 1 MiB. The checksum of a piece covers the piece, its number, and
// the checksum before it; the first of these covers position, length and chain value. The row is marked
// complete once all pieces are there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "journal/postgres_store.h"

namespace rein::postgres {

class SnapshotTable {
 public:
  explicit SnapshotTable(Store& store) : store_(store) {}

  Result<std::int64_t> put(const std::string& model, const Snapshot& snapshot);
  Result<std::vector<std::int64_t>> positions(const std::string& model);
  Result<Snapshot> read(const std::string& model, std::int64_t position);

 private:
  Result<std::int64_t> begin(const std::string& model, const Snapshot& snapshot);

  Store& store_;
};

}  // namespace rein::postgres
