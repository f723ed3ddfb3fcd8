// What a journal costs: entries per second, the time of a commit, how long the slowest ones take, and
// then the time to open it again and the entries read per second.
//
//     journal_cost FOLDER [entry bytes] [seconds per line]
//
// One line per page size, checkpoint size and group size. Name a folder on the disk that counts.
// `written` is the number of bytes that go to the disk for one byte of entries.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "journal/sqlite_journal.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What this process has written to files so far.
double bytes_written() {
  std::ifstream in("/proc/self/io");
  std::string name;
  double value = 0.0;
  while (in >> name >> value) {
    if (name == "wchar:") return value;
  }
  return 0.0;
}

// The time that this share of the commits stays under, in milliseconds.
double quantile(const std::vector<double>& sorted, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  return sorted[at] * 1e3;
}

struct Again {
  double open_ms = 0.0;
  double entries_per_second = 0.0;
};

Again read_again(const std::string& path) {
  Again again;
  const auto start = Clock::now();
  const auto journal = rein::open_sqlite_journal(path).value();
  again.open_ms = seconds_since(start) * 1e3;
  std::int64_t count = 0;
  const auto opened = Clock::now();
  journal->read(1, [&](auto, auto) { return ++count > 0; }).check();
  again.entries_per_second = static_cast<double>(count) / seconds_since(opened);
  return again;
}

void measure(const std::string& path, const rein::SqliteOptions& options, std::size_t group,
             std::size_t bytes, double seconds) {
  std::vector<double> commits;
  double written = 0.0;
  double total = 0.0;
  {
    auto journal = rein::open_sqlite_journal(path, options).value();
    std::string noise(bytes + 4096, '\0');
    for (std::size_t i = 0; i < noise.size(); ++i)
      noise[i] = static_cast<char>(i * 2654435761U >> 13);
    std::vector<std::string_view> entries(group);
    // First until the WAL has its full length: it is slower while it grows.
    const auto first = Clock::now();
    while (seconds_since(first) < seconds / 2) {
      for (std::size_t i = 0; i < group; ++i) entries[i] = std::string_view(noise).substr(i, bytes);
      journal->append(entries).check();
    }
    written = bytes_written();
    const auto start = Clock::now();
    while (total < seconds) {
      for (std::size_t i = 0; i < group; ++i) {
        entries[i] = std::string_view(noise).substr((commits.size() + i) % 4096, bytes);
      }
      const auto before = Clock::now();
      journal->append(entries).check();
      commits.push_back(seconds_since(before));
      total = seconds_since(start);
    }
  }
  const double entries = static_cast<double>(commits.size() * group);
  const double times = (bytes_written() - written) / (entries * static_cast<double>(bytes));
  std::sort(commits.begin(), commits.end());
  const Again again = read_again(path);
  fmt::print(
      "{:>6} {:>10} {:>6} {:>10.0f} {:>9.0f} {:>8.1f} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f} {:>6.1f} "
      "{:>10.0f}\n",
      options.page_bytes, options.checkpoint_pages, group, entries / total,
      static_cast<double>(commits.size()) / total, times, quantile(commits, 0.5),
      quantile(commits, 0.99), quantile(commits, 0.999), quantile(commits, 1.0), again.open_ms,
      again.entries_per_second);
  for (const char* end : {"", "-wal", "-lock", "-end"}) std::filesystem::remove(path + end);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: journal_cost FOLDER [entry bytes] [seconds per line]\n");
    return 2;
  }
  const std::string path = std::string(argv[1]) + "/journal_cost.db";
  const auto bytes = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 500);
  const double seconds = argc > 3 ? std::atof(argv[3]) : 1.0;
  fmt::print("entries of {} bytes; milliseconds per commit, lower is better\n", bytes);
  fmt::print("{:>6} {:>10} {:>6} {:>10} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>6} {:>10}\n", "page",
             "checkpoint", "group", "entries/s", "commits/s", "written", "p50", "p99", "p99.9",
             "most", "open", "read/s");
  for (const std::size_t group : {1, 10, 64, 256}) {
    for (const int page : {4096, 8192, 16384}) {
      for (const int kib : {512, 1024, 4096}) {
        const rein::SqliteOptions options{.page_bytes = page,
                                          .checkpoint_pages = kib * 1024 / page};
        measure(path, options, group, bytes, seconds);
      }
    }
  }
  return 0;
}
