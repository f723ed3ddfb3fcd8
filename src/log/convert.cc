#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "rein/log.h"

namespace rein {
namespace {

constexpr std::int64_t kRowsPerLook = 1024;
constexpr const char* kStopped = "stopped before the end; nothing was written";

// Calls each(row, reader) for all rows.
template <class Each>
Result<> for_each_row(LogReader& reader, const LogProgress& progress, const Each& each) {
  LogRow row;
  for (std::int64_t count = 0;; ++count) {
    if (progress && count % kRowsPerLook == 0 && !progress(reader.bytes_read(), reader.bytes())) {
      return Error{kStopped, Reason::kFailed};
    }
    const auto found_row = reader.next(row);
    if (!found_row) return found_row.failure();
    if (!found_row.value()) return {};
    if (auto done = each(row); !done) return done;
  }
}

// Whole numbers in their order; other names as they appeared.
void sort_names(std::vector<std::string>& names) {
  std::vector<std::pair<std::int64_t, std::string>> numbers;
  for (const std::string& name : names) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (code != std::errc() || end != name.data() + name.size()) return;
    numbers.emplace_back(value, name);
  }
  std::ranges::stable_sort(numbers, {}, &std::pair<std::int64_t, std::string>::first);
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = numbers[i].second;
}

// The names of all actions, if rows do not name those offered.
Result<std::vector<std::string>> names_of_actions(const std::string& path,
                                                  const LogOptions& options,
                                                  const LogProgress& progress) {
  auto opened = open_log(path, options);
  if (!opened) return opened.failure();
  LogReader& reader = *opened.value();
  LogRow row;
  const auto first = reader.next(row);
  if (!first) return first.failure();
  if (!first.value() || row.actions > 0) return std::vector<std::string>();
  auto read = for_each_row(reader, progress, [](const LogRow&) { return Result<>(); });
  if (!read) return read.failure();
  std::vector<std::string> names = reader.names().actions;
  sort_names(names);
  return names;
}

}  // namespace

Result<Converted> convert_log(const std::string& in, const LogOptions& options,
                              const std::string& out, LogFormat format,
                              const LogProgress& progress) {
  LogOptions with_names = options;
  if (options.actions.empty()) {
    auto names = names_of_actions(in, options, progress);
    if (!names) return names.failure();
    with_names.actions = std::move(names).value();
  }
  auto opened = open_log(in, with_names);
  if (!opened) return opened.failure();
  LogReader& reader = *opened.value();
  auto made = create_log(out, format);
  if (!made) return made.failure();
  LogWriter& writer = *made.value();
  auto written = for_each_row(reader, progress,
                              [&](const LogRow& row) { return writer.add(row, reader.names()); });
  if (!written) return written.failure();
  if (reader.report().kept == 0) {
    return Error{fmt::format("log {}: no row can be used, so nothing was written\n{}", in,
                             reader.report().str())};
  }
  if (writer.report().kept == 0) {
    return Error{fmt::format("log {}: the format holds no row of {}, so nothing was written\n{}",
                             out, in, writer.report().str())};
  }
  if (auto finished = writer.finish(); !finished) return finished.failure();
  return Converted{reader.report(), writer.report()};
}

}  // namespace rein
