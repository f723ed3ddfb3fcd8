// A folder of its own for a test, and what tests of a journal do again and again.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"

namespace rein {

class Folder {
 public:
  // In memory where that is possible, for tests that write thousands of files.
  explicit Folder(const std::string& name, bool in_memory = false)
      : path_(
            (in_memory && std::filesystem::exists("/dev/shm") ? "/dev/shm/" : testing::TempDir()) +
            "rein_" + name + "_" + std::to_string(::getpid())) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  // The names of all files, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      found.push_back(entry.path().filename());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::string path_;
};

inline std::string bytes_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void put_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// What entry `number` holds in these tests: different lengths, now and then none, now and then more
// than a page.
inline std::string entry_bytes(std::int64_t number) {
  const auto n = static_cast<std::size_t>(number);
  const std::size_t size = number % 11 == 0 ? 0 : (number % 23 == 0 ? 9000 : 20 + n * 37 % 400);
  std::string bytes(size, static_cast<char>('a' + number % 26));
  const std::string name = "entry " + std::to_string(number);
  return bytes.size() < name.size() ? bytes : bytes.replace(0, name.size(), name);
}

// Appends `count` entries after the last in one group.
inline Result<> append_next(Journal& journal, std::int64_t count) {
  std::vector<std::string> owned;
  for (std::int64_t i = 1; i <= count; ++i) owned.push_back(entry_bytes(journal.last() + i));
  const std::vector<std::string_view> views(owned.begin(), owned.end());
  return journal.append(views);
}

// What reading gave: how many entries, all of them right, and the error if there was one.
struct Reading {
  std::int64_t last = 0;
  bool exact = true;  // every entry is entry_bytes() of its number, in order
  Result<> result;
};

inline Reading reading_of(const Journal& journal, std::int64_t from) {
  Reading reading{.last = from - 1};
  reading.result = journal.read(from, [&](std::int64_t number, std::string_view bytes) {
    if (number != reading.last + 1 || bytes != entry_bytes(number)) reading.exact = false;
    reading.last = number;
    return Result<bool>(true);
  });
  return reading;
}

// Runs `work` in a child process; its result is the exit code.
template <class Work>
int in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace rein
