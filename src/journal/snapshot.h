// Snapshot: the state of a model at a position of its journal. snapshot_files.h keeps snapshots in files,
// shared_log.h in a store that several nodes reach.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rein/result.h"

namespace rein {

struct Snapshot {
  std::int64_t position = 0;  // the last journal entry that is folded into the state
  std::string bytes;
  // The chain value of the journal at the position (Journal::chain_at). Files of format 1 have none.
  std::optional<std::uint64_t> chain;
};

// Where the snapshots of one model are kept: the two newest, so that a damaged one costs a longer replay
// only.
class Snapshots {
 public:
  virtual ~Snapshots() = default;

  // On success the snapshot is durable, and all but the two newest intact ones are removed. The result
  // is the position of the older of the two: journal entries up to there are no longer needed. The
  // result is 0 if there is no older snapshot: if this one is damaged later, the whole journal is needed.
  // After an error, earlier snapshots are still there.
  virtual Result<std::int64_t> write(std::int64_t position, std::string_view bytes,
                                     std::optional<std::uint64_t> chain) const = 0;

  // The newest intact snapshot, if there is one. `skipped` says what is wrong with newer ones. The
  // caller must make sure that the journal still has the entry after the position.
  struct Latest {
    std::optional<Snapshot> snapshot;
    std::vector<std::string> skipped;
  };
  virtual Result<Latest> latest() const = 0;

  // positions(): of all snapshots by their names, newest first. read(): the snapshot at a position;
  // kCorrupt if it is damaged.
  virtual Result<std::vector<std::int64_t>> positions() const = 0;
  virtual Result<Snapshot> read(std::int64_t position) const = 0;
};

}  // namespace rein
