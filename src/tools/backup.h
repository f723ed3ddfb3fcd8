// Backups of models, also while they are served, and the way back.
//
// A backup is the folder of a model: a journal with the same entries up to some entry, and a snapshot. It
// can be inspected, replayed and exported like any other. A later backup into the same folder adds the
// entries that came since.
#pragma once

#include <cstdint>
#include <string>

#include "tools/offline.h"
#include "tools/trained.h"

namespace rein::serve {

struct BackedUp {
  std::int64_t first = 0, last = 0;  // entries that the backup has now
  std::int64_t added = 0;
};

// Refuses a folder of backups without a name, and one inside the data folder that is backed up.
Result<> check_backup_place(const ModelFolder& from, const std::string& to);

// Backs up a model into the folder `to`. Of a model that is served, the service gives the entries
// (serve/backup_door.h); the result has all that was answered when it was called. kConflict: the folder
// has a backup of something else, or of a journal that went on in another way. After a failure the folder
// has a part of the entries, and the next call goes on.
Result<BackedUp> back_up(const ModelFolder& from, const std::string& to);

// Makes the model of a backup a model of a data folder, which may be served meanwhile. New decisions get
// ids that none had, because nobody knows how many were made after the backup.
Result<BackedUp> restore_backup(const ModelFolder& from, const TrainedPlace& to);

}  // namespace rein::serve
