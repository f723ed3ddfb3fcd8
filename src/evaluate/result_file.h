// ResultFile: finished plays, kept as they come, so that a stopped run goes on where it was.
//
//     {"format":1,"version":"0.1.0","world":"linear(k=8)","rounds":"20000",...}    a header
//     {"policy":"ccb","seed":1,"totals":{...},"curve":{...}}                      a line a play
//
// The header says what all plays have in common; a file of another run is refused. Policies and
// seeds are not in it, so the same file goes on with more of them. A line is written at once and
// ends in a newline: bytes after the last newline are a line that a stopped program did not finish,
// and are cut off. A line that a full disk cut short is taken back at once, and nothing is added
// after it. The file is locked while it is open. Plays may end in any order: what is read back does
// not depend on it. Without a path there is no file, and plays are only remembered.
//
// Texts of the header may hold any bytes, as paths do. JSON holds UTF-8 only, so other texts are
// written as U+FFFD and then their bytes as hexadecimal digits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "evaluate/result_line.h"

namespace rein {

// 2 GiB; 20 000 plays of 64 points take about 200 MB.
inline constexpr std::int64_t kMaxResultFileBytes = std::int64_t{1} << 31;

// What all plays of a file have in common, as texts by name, in a fixed order.
struct ResultHeader {
  std::vector<std::pair<std::string, std::string>> fields;
  int costs = 0;
  int points = 0;  // of every curve
};
// REQUIRES rounds above 0. Makes the world once, for its costs.
Result<ResultHeader> result_header(const Spec& world, const RunOptions& options);
// The header of a file that holds several runs, each under its name (see under()), all with so many
// costs and without curves.
ResultHeader result_header(const std::string& kind, int costs);

class ResultFile {
 public:
  // Makes the file, or reads what it holds. `fresh` forgets that instead: results of any run, or
  // an empty file. What rein did not write is refused either way. An empty path means no file.
  static Result<std::unique_ptr<ResultFile>> open(const std::string& path,
                                                  const ResultHeader& header, bool fresh);
  ~ResultFile();
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  // Plays are found and kept under this name from here on, so that one file holds several runs. No
  // play may be at work.
  void under(std::string name) { under_ = std::move(name); }
  // What the file held when it was opened, and what was added since; null where there is no such
  // play.
  const Finished* find(const std::string& policy, std::uint64_t seed) const;
  // Adds a play that was played elsewhere, as the line that tells of it and what was read from it.
  // What is there already stays. Refuses one that does not fit the header.
  Result<> add(const std::string& line, ResultLine read);
  // Writes down a play of this program; any thread may call it. It is not remembered here.
  Result<> keep(const std::string& policy, const Finished& finished);

 private:
  ResultFile(std::string path, const ResultHeader& header)
      : path_(std::move(path)), header_(header) {}
  Result<> start(bool fresh);
  Result<> read(const std::string& text);
  Result<> check_format(const std::string& header) const;
  Result<> read_header(const std::string& line) const;
  Result<> fits(const Finished& play) const;
  Result<> append(std::string line);
  Result<std::string> whole_lines() const;
  Error failed(const char* doing) const;
  Error not_ours() const;

  std::string path_;
  ResultHeader header_;
  std::string under_;  // what stands before the policy in every line
  int file_ = -1;
  std::int64_t size_ = 0;  // of the file, in whole lines
  bool broken_ = false;    // half a line could not be taken back
  std::mutex mutex_;
  std::map<std::pair<std::string, std::uint64_t>, Finished> plays_;
};

}  // namespace rein
