// The folders of a service: DATA, and DATA/NAME for each model.
//
// Journals hold contexts, money and the secret that ids depend on. So folders that are made here
// are for their owner only (0700). A folder that somebody else made keeps its permissions: it may
// be shared for reasons that a service does not know. A folder that everybody may write to is
// refused, because anybody could put a model there or take a model away.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "journal/file_lock.h"
#include "rein/result.h"

namespace rein::serve {

// Makes the data folder if it is missing, and takes its lock. kFailed: the folder cannot be made,
// is not a folder, may be written by everybody, or is in use by another service.
Result<FileLock> take_data_folder(const std::string& path);

// Makes the folder of a model if it is missing, so that it survives a crash of the machine. kConflict:
// something else has its name.
Result<> make_model_folder(const std::string& data, const std::string& name);

// Whether the folder of a model has a journal. kCorrupt: it has no journal, but a snapshot, an end
// mark or a write-ahead log shows that it had one.
Result<bool> has_journal(const std::string& folder);

// A number for the files of a model's folder, from their names, sizes, places and times. The number
// differs after a file was changed, replaced, added or removed. Locks do not count.
std::uint64_t stamp_of_files(const std::string& folder);

// Whether others than the owner can read the journals in this folder of a model.
bool others_can_read(const std::string& data, const std::string& folder);

// A name of a model: 1 to 64 letters, digits, "_", "-" and ".", and no dot in front. "lock" is the name
// of a file of the data folder.
bool is_model_name(std::string_view name);
// The error for a name that is not accepted.
Error wrong_model_name(const std::string& name);

}  // namespace rein::serve
