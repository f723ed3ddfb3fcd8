// The folders of a service: DATA, and DATA/NAME for each model.
//
// Journals hold contexts, money and the secret that ids depend on. So folders that are made here are
// for their owner only (0700). A folder that somebody else made keeps its permissions: it may be shared
// for reasons that a service does not know. It is refused if everybody may write to it, because then
// anybody could put a model there, or take one away.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "journal/file_lock.h"
#include "rein/result.h"

namespace rein::serve {

// Makes the data folder if it is missing, and takes its lock. kFailed: it cannot be made, is not a
// folder, may be written by everybody, or another service has it.
Result<FileLock> take_data_folder(const std::string& path);

// Makes the folder of a model if it is missing, so that it survives a crash of the machine. kConflict:
// something else has its name.
Result<> make_model_folder(const std::string& data, const std::string& name);

// Whether the folder of a model has a journal. kCorrupt: it has none, and a snapshot, an end mark or a
// write-ahead log says that it had one.
Result<bool> has_journal(const std::string& folder);

// Which files the folder of a model has, by their names, sizes, places and times: another number when
// one was changed, replaced, added or removed. Locks do not count.
std::uint64_t stamp_of_files(const std::string& folder);

// Whether others than the owner can read the journals in this folder of a model.
bool others_can_read(const std::string& data, const std::string& folder);

// A name of a model: 1 to 64 letters, digits, "_", "-" and ".", and no dot in front. "lock" is the name
// of a file of the data folder.
bool is_model_name(std::string_view name);
// What a name that is not accepted is answered with.
Error wrong_model_name(const std::string& name);

}  // namespace rein::serve
