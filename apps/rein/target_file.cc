#include "target_file.h"

#include <fmt/format.h>

#include "base/csv.h"
#include "base/text_number.h"
#include "verbs.h"

namespace rein::app {
namespace {

// The column of every action.
std::vector<std::size_t> columns_of(const CsvReader& file,
                                    const std::vector<std::string>& actions) {
  std::vector<std::size_t> out;
  for (const std::string& action : actions) {
    const std::size_t none = file.fields().size();
    std::size_t found = none;
    for (std::size_t i = 0; i < none; ++i) {
      const std::string_view name = trimmed(file.fields()[i]);
      if (name == "pi_" + action || (name == action && found == none)) found = i;
    }
    if (found == none) {
      throw UsageError(
          fmt::format("--target {}: the header has no column for action \"{}\"; accepted: a column "
                      "{} or pi_{}",
                      file.path(), action, action, action));
    }
    out.push_back(found);
  }
  return out;
}

}  // namespace

GivenPolicy read_target(const std::string& path, const std::vector<std::string>& actions,
                        std::int64_t rows, std::span<const std::int64_t> lines) {
  CsvReader file = read_from(CsvReader::open(path, "--target"));
  if (!read_from(file.next())) {
    throw UsageError(fmt::format("--target {}: it is empty; accepted: a header and rows", path));
  }
  const std::vector<std::size_t> columns = columns_of(file, actions);
  GivenPolicy out{.name = path};
  std::int64_t count = 0;
  while (read_from(file.next())) {
    if (!lines.empty() &&
        (count >= rows || lines[static_cast<std::size_t>(count)] != file.line())) {
      continue;
    }
    for (const std::size_t column : columns) {
      double p = 0.0;
      if (column >= file.fields().size() || !to_number(trimmed(file.fields()[column]), p)) {
        throw UsageError(fmt::format("--target {}, line {}: found \"{}\"; accepted: a probability",
                                     path, file.line(),
                                     column < file.fields().size() ? file.fields()[column] : ""));
      }
      out.target.push_back(p);
    }
    ++count;
  }
  if (count != rows) {
    throw UsageError(
        fmt::format("--target {}: found {} rows; accepted: {}, one per kept row of the log", path,
                    count, rows));
  }
  return out;
}

}  // namespace rein::app
