// PlayFile: stores each play as it finishes, so that a stopped run can be resumed.
//
//     {"format":"4","version":"0.2.0","world":"linear(k=8)","rounds":"20000",...}  the header
//     {"policy":"ccb","seed":1,...,"totals":{...},"curve":{...}}                      one line per play
//
// The header has what all plays share; a file of another run is refused. Plays of another version are
// read, and none is added to them: a policy may play another way now. Policies and seeds are not
// in the header, so more of them can be added to the same file. Plays may finish in any order: the
// order of lines does not matter.
//
// A line is written at once and ends in a newline. Bytes after the last newline are from a program
// that was stopped, and are removed. If the disk is full, the partial line is removed at once and
// nothing more is added. The file is locked while it is open. Without a path there is no file, and
// plays are kept in memory only.
//
// Texts in the header may hold any bytes, as paths do. JSON holds only UTF-8, so other texts are
// written as U+FFFD followed by their bytes in hexadecimal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/play_line.h"

namespace rein {

// 2 GiB. 20 000 plays with 64 curve points take about 200 MB.
inline constexpr std::int64_t kMaxPlayFileBytes = std::int64_t{1} << 31;

inline constexpr int kAnyCosts = -1;

// What all plays of a file share: texts by name, in a fixed order.
struct PlayHeader {
  std::vector<std::pair<std::string, std::string>> fields;
  int costs = 0;    // kAnyCosts: every play has its own number
  int points = 0;   // points per curve
  int budgets = 0;  // of RunOptions::live
};
PlayHeader play_header(const Run& run);
// The header of a file that holds several named runs (see under()), with any number of costs and
// without curves.
PlayHeader play_header(const std::string& kind);

class PlayFile {
 public:
  // Creates the file, or reads its contents. `fresh` discards them instead; the file must then hold
  // results of some run, or be empty. A file that rein did not write is always refused. An empty
  // path means no file.
  static Result<std::unique_ptr<PlayFile>> open(const std::string& path, const PlayHeader& header,
                                                bool fresh);
  ~PlayFile();
  PlayFile(const PlayFile&) = delete;
  PlayFile& operator=(const PlayFile&) = delete;

  // From now on, plays are stored and found under this name, so that one file holds several runs.
  // Must not be called while plays run.
  void under(std::string name) { under_ = std::move(name); }
  // A play that was in the file when it was opened, or that add() added; null if there is none.
  const PlayResult* find(const Play& play) const;
  // Adds a play that ran elsewhere, as its line and the parsed form of it. A play that is already
  // present is not replaced. Refuses a play that does not fit the header.
  Result<> add(const std::string& line, PlayLine read);
  // Writes a play of this program to the file; thread-safe. find() does not return it.
  Result<> keep(const Play& play, const PlayResult& result);

 private:
  PlayFile(std::string path, const PlayHeader& header) : path_(std::move(path)), header_(header) {}
  Result<> start(bool fresh);
  Result<> read(const std::string& text);
  Result<> check_format(const std::string& line) const;
  Result<> read_header(const std::string& line);
  Result<> fits(const PlayResult& play) const;
  Result<> append(std::string line);
  Result<std::string> whole_lines() const;
  Error failed(const char* doing) const;
  Error not_ours() const;

  std::string path_;
  PlayHeader header_;
  std::string of_version_;  // of another program that made the file; its plays are only read
  std::string under_;       // prefix of the policy in every line
  int file_ = -1;
  std::int64_t size_ = 0;  // size of the file, in bytes of whole lines
  bool broken_ = false;    // a partial line could not be removed
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, PlayResult> plays_;
};

}  // namespace rein
