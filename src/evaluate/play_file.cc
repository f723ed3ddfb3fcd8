#include "evaluate/play_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/atomic_file.h"
#include "base/json.h"
#include "evaluate/live.h"
#include "evaluate/run.h"
#include "rein/version.h"

namespace rein {
namespace {

constexpr const char* kFormat = "4";

constexpr std::string_view kBytes = "\xEF\xBF\xBD";  // U+FFFD

// Maps any text to valid UTF-8, one to one.
std::string as_utf8(const std::string& text) {
  if (simdjson::validate_utf8(text) && !text.starts_with(kBytes)) return text;
  std::string out(kBytes);
  for (const char c : text) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string header_line(const PlayHeader& header) {
  JsonWriter json;
  json.begin_object();
  for (const auto& [name, value] : header.fields) json.key(name).value(as_utf8(value));
  json.end_object();
  return json.str();
}

Result<std::string> read_all(int file, std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t n = ::pread(file, text.data() + got, text.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{std::strerror(errno)};
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  text.resize(got);
  return text;
}

}  // namespace

PlayHeader play_header(const Run& run) {
  const RunOptions& options = run.options;
  PlayHeader header;
  header.costs = static_cast<int>(run.empty.costs.size());
  header.points = static_cast<int>(std::min<std::int64_t>(options.curve_points, options.rounds));
  header.budgets = static_cast<int>(options.live.budgets.size());
  header.fields = {
      {"format", kFormat},
      {"version", std::string(version())},
      {"world", run.empty.world.str()},
      {"rounds", fmt::format("{}", options.rounds)},
      {"delay", fmt::format("{}", options.delay)},
      {"live", text_of(options.live)},
      {"costs", fmt::format("{}", fmt::join(run.empty.costs, ","))},
      {"margin", fmt::format("{}", options.margin)},
      {"long_term", options.long_term ? "1" : "0"},
      {"curve_points", fmt::format("{}", options.curve_points)},
      {"benchmark", options.benchmark ? std::string(name_of(*options.benchmark)) : "own"},
  };
  return header;
}

PlayHeader play_header(const std::string& kind) {
  return {.fields = {{"format", kFormat}, {"version", std::string(version())}, {"kind", kind}},
          .costs = kAnyCosts};
}

Result<std::unique_ptr<PlayFile>> PlayFile::open(const std::string& path, const PlayHeader& header,
                                                 bool fresh) {
  std::unique_ptr<PlayFile> file(new PlayFile(path, header));
  if (path.empty()) return file;
  if (auto started = file->start(fresh); !started) return started.failure();
  return file;
}

PlayFile::~PlayFile() {
  if (file_ >= 0) ::close(file_);
}

Error PlayFile::failed(const char* doing) const {
  return Error{fmt::format("results: cannot {} {}: {}", doing, path_, std::strerror(errno)),
               Reason::kFailed};
}

Error PlayFile::not_ours() const {
  return Error{fmt::format(
      "results: {} was not written by rein; accepted: a new file, or results of this run", path_)};
}

Result<> PlayFile::start(bool fresh) {
  // O_NONBLOCK: opening a pipe without a reader must not block before it is refused.
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file_ < 0) return failed("open");
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    return Error{fmt::format("results: {} is in use by another program that is running", path_),
                 Reason::kFailed};
  }
  auto lines = whole_lines();
  if (!lines) return lines.failure();
  std::string& whole = lines.value();
  if (!whole.empty()) {
    if (auto ours = check_format(whole.substr(0, whole.find('\n'))); !ours) return ours;
    if (fresh) whole.clear();
  }
  if (!whole.empty()) {
    if (auto fine = read(whole); !fine) return fine;
  }
  size_ = static_cast<std::int64_t>(whole.size());
  if (::ftruncate(file_, static_cast<off_t>(size_)) != 0) return failed("write");
  return whole.empty() ? append(header_line(header_)) : Result<>();
}

// A last line without a newline is unfinished. A file with only such a line may belong to someone
// else: it is cut off only if it is the start of our header.
Result<std::string> PlayFile::whole_lines() const {
  struct stat about {};
  if (::fstat(file_, &about) != 0) return failed("read");
  if (!S_ISREG(about.st_mode)) {
    return Error{fmt::format("results: {} is a device or a pipe; accepted: a file", path_)};
  }
  if (about.st_size > kMaxPlayFileBytes) {
    return Error{fmt::format("results: {} has {} bytes; accepted: at most {}", path_, about.st_size,
                             kMaxPlayFileBytes)};
  }
  auto text = read_all(file_, about.st_size);
  if (!text) return failed("read");
  const std::size_t last = text.value().rfind('\n');
  if (last == std::string::npos && !header_line(header_).starts_with(text.value())) {
    return not_ours();
  }
  text.value().resize(last + 1);  // 0 if there is no whole line
  return text;
}

Result<> PlayFile::check_format(const std::string& line) const {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  std::string_view format;
  if (parser.parse(line).get(root) != simdjson::SUCCESS ||
      root["format"].get(format) != simdjson::SUCCESS) {
    return not_ours();
  }
  return {};
}

Result<> PlayFile::read(const std::string& text) {
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (++number == 1) {
      if (auto ours = read_header(line); !ours) return ours;
      continue;
    }
    auto result = read_play_line(line);
    const Result<> fine = result ? fits(result.value().result) : result.failure();
    if (!fine) {
      return Error{fmt::format("results: {}, line {}: {}; accepted: lines that rein wrote", path_,
                               number, fine.error()),
                   fine.reason()};
    }
    PlayLine& found = result.value();
    const std::uint64_t seed = found.result.totals.seed;
    plays_.insert_or_assign({found.policy, seed}, std::move(found.result));
  }
  return {};
}

Result<> PlayFile::read_header(const std::string& line) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(line).get(root) != simdjson::SUCCESS) return not_ours();
  for (const auto& [name, value] : header_.fields) {
    std::string_view found;
    if (root[name].get(found) != simdjson::SUCCESS) found = "missing";
    if (found == as_utf8(value)) continue;
    if (name == "version") {
      of_version_ = found;
      continue;
    }
    return Error{fmt::format(
        "results: {} is of another run: {} is {} there and {} here; accepted: the same run (with "
        "any policies and seeds), another file, or a new start (--fresh)",
        path_, name, found, value)};
  }
  return {};
}

Result<> PlayFile::fits(const PlayResult& play) const {
  const int costs = header_.costs == kAnyCosts ? play.totals.ccv.size() : header_.costs;
  if (play.totals.ccv.size() == costs &&
      static_cast<int>(play.totals.budgets.size()) == header_.budgets &&
      static_cast<int>(play.curve.ccv.size()) == costs &&
      static_cast<int>(play.curve.rounds.size()) == header_.points) {
    return {};
  }
  return Error{"its costs or points, or its budgets, differ from the header"};
}

Result<> PlayFile::append(std::string line) {
  line += '\n';
  if (!of_version_.empty()) {
    return Error{
        fmt::format("results: {} has plays of rein {}, and this is rein {}: a policy may play "
                    "another way now, so no play is added; accepted: policies and seeds that are in "
                    "the file, another file, or a new start (--fresh)",
                    path_, of_version_, version())};
  }
  if (broken_) return Error{fmt::format("results: {} ends in mid-line", path_), Reason::kFailed};
  if (!write_all(file_, line)) {
    const Error why = failed("write");
    // Removes the partial line: another thread may still add a line after it.
    broken_ = ::ftruncate(file_, static_cast<off_t>(size_)) != 0;
    return why;
  }
  size_ += static_cast<std::int64_t>(line.size());
  return {};
}

const PlayResult* PlayFile::find(const Play& play) const {
  const auto at = plays_.find({under_ + play.policy.str(), play.seed});
  return at == plays_.end() ? nullptr : &at->second;
}

Result<> PlayFile::add(const std::string& line, PlayLine read) {
  if (auto fine = fits(read.result); !fine) {
    return fine.failure().in(fmt::format("results: a line of policy {}, seed {}: ", read.policy,
                                         read.result.totals.seed));
  }
  const std::uint64_t seed = read.result.totals.seed;
  const bool is_new =
      plays_.try_emplace({std::move(read.policy), seed}, std::move(read.result)).second;
  return is_new && file_ >= 0 ? append(line) : Result<>();
}

Result<> PlayFile::keep(const Play& play, const PlayResult& result) {
  if (file_ < 0) return {};
  std::string line = write_play_line(under_ + play.policy.str(), result);
  const std::lock_guard lock(mutex_);
  return append(std::move(line));
}

}  // namespace rein
