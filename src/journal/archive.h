// Archive: the folder of the entries that have left the journal of a model (archive_file.h). Entries
// come here before they leave the journal, so after a crash an entry may be in both places, and is never
// in none. Files may overlap: two owners of a model may have moved the same entries, which are equal.
//
// The folder may be anywhere that has names and whole files, such as a mounted object store. Files that
// are taken away from its beginning are history that is no longer there, and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "journal/archive_file.h"
#include "journal/journal.h"
#include "rein/result.h"

namespace rein {

struct ArchiveSpan {
  std::int64_t first = 0, last = 0;  // entries of a file
  std::int64_t file_bytes = 0;
};

class Archive {
 public:
  // Reads the names in the folder. A folder that is missing has no files.
  static Result<Archive> open(std::string folder);

  const std::string& folder() const { return folder_; }
  std::string path_of(const ArchiveSpan& span) const;
  // The first entry from which on all entries up to this one are there; `to` + 1 if it is not there.
  std::int64_t first_up_to(std::int64_t to) const;
  std::int64_t file_bytes() const;  // of all files
  std::int64_t files() const { return static_cast<std::int64_t>(spans_.size()); }

  // Makes a file of these entries durable, reads it again from the disk, and compares. The folder is made
  // if it is missing. Any thread; note() in the thread that reads.
  static Result<ArchiveSpan> write(const std::string& folder, ArchivePacker packer);
  void note(const ArchiveSpan& span);

  // Entries from `from` to `to`; as Journal::read. `chain` becomes the chain value at the last one.
  Result<bool> read(std::int64_t from, std::int64_t to, std::uint64_t& chain, const Journal::Each& each) const;
  // The chain value before the first entry of a file. REQUIRES that a file begins with it.
  Result<std::uint64_t> chain_before(std::int64_t first) const;

 private:
  explicit Archive(std::string folder) : folder_(std::move(folder)) {}
  const ArchiveSpan* span_with(std::int64_t number) const;

  std::string folder_;
  std::vector<ArchiveSpan> spans_;  // by first, then last
};

}  // namespace rein
