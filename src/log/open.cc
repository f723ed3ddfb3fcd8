// Chooses a format by name, by the end of a path, or by the first bytes.
#include <fmt/format.h>

#include <array>

#include "log/readers.h"

namespace rein {
namespace {

struct Format {
  LogFormat format;
  std::string_view name;
  MadeReader (*read)(const std::string&, const LogOptions&);
  MadeWriter (*write)(const std::string&);
};
// Plain cb is text of Vowpal Wabbit that need not be recognised.
MadeReader read_cb_log(const std::string& path, const LogOptions& options) {
  LogOptions plain = options;
  plain.vw = LogOptions::Vw::kCb;
  return read_vw_log(path, plain);
}

constexpr std::array<Format, 6> kFormats = {{
    {LogFormat::kCsv, "csv", read_csv_log, write_csv_log},
    {LogFormat::kJsonl, "jsonl", read_jsonl_log, write_jsonl_log},
    {LogFormat::kDsjson, "dsjson", read_dsjson_log, write_dsjson_log},
    {LogFormat::kVw, "vw", read_vw_log, write_vw_log},
    {LogFormat::kCb, "cb", read_cb_log, write_cb_log},
    {LogFormat::kColumns, "rlog", read_columns_log, write_columns_log},
}};
constexpr const char* kNames = "csv, jsonl, dsjson, vw, cb, rlog";

const Format* find(LogFormat format) {
  for (const Format& each : kFormats) {
    if (each.format == format) return &each;
  }
  return nullptr;
}

// The given format, or the format by the end of the path.
Result<LogFormat> known(const std::string& path, LogFormat given) {
  return given == LogFormat::kAuto ? log_format_of(path) : Result<LogFormat>(given);
}

}  // namespace

std::string_view name_of(LogFormat format) {
  const Format* found = find(format);
  return found == nullptr ? "auto" : found->name;
}

Result<LogFormat> log_format(std::string_view name) {
  if (name == "auto") return LogFormat::kAuto;
  for (const Format& each : kFormats) {
    if (each.name == name) return each.format;
  }
  return Error{fmt::format("format: found \"{}\"; accepted: auto, {}", name, kNames)};
}

Result<LogOptions::Vw> LogOptions::vw_of(std::string_view name) {
  if (name == "auto") return Vw::kAuto;
  if (name == "adf") return Vw::kAdf;
  if (name == "cb") return Vw::kCb;
  return Error{fmt::format("vw: found \"{}\"; accepted: auto, adf, cb", name)};
}

Result<LogFormat> log_format_of(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".txt")) return LogFormat::kVw;
  if (name.ends_with(".json")) return LogFormat::kDsjson;
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    for (const Format& each : kFormats) {
      if (each.name == name.substr(dot + 1) && each.format != LogFormat::kCb) return each.format;
    }
  }
  for (const std::string_view end : {".parquet", ".arrow", ".feather"}) {
    if (!name.ends_with(end)) continue;
    return Error{
        fmt::format("log {}: {} files are read in Python, with pyarrow; accepted here: "
                    "what rein.convert(\"{}\", \"log.rlog\") writes",
                    path, end, path)};
  }
  return Error{
      fmt::format("log {}: the format is not known by the end of the name; accepted: .csv, "
                  ".jsonl, .dsjson, .json, .vw, .txt, .rlog, or a format by name ({})",
                  path, kNames)};
}

Result<std::unique_ptr<LogReader>> open_log(const std::string& path, const LogOptions& options) {
  const auto format = known(path, options.format);
  if (!format) return format.failure();
  const bool units = format.value() == LogFormat::kCsv || format.value() == LogFormat::kJsonl;
  if (!options.unit.empty() && !units) {
    return Error{fmt::format("log {}: found a unit \"{}\" for a log in {}; accepted: csv, jsonl", path,
                             options.unit, name_of(format.value()))};
  }
  auto reader = find(format.value())->read(path, options);
  if (!reader) return reader;
  if (format.value() != LogFormat::kColumns) {  // those skip by themselves
    LogRow row;
    for (std::int64_t i = 0; i < options.skip; ++i) {
      const auto found_row = reader.value()->next(row);
      if (!found_row) return found_row.failure();
      if (!found_row.value()) break;
    }
  }
  if (options.bits == 0 && options.quadratic.empty()) return reader;
  const bool text = format.value() == LogFormat::kVw || format.value() == LogFormat::kCb;
  return derive_features(std::move(reader).value(), options, text);
}

Result<std::unique_ptr<LogWriter>> create_log(const std::string& path, LogFormat format) {
  const auto found = known(path, format);
  if (!found) return found.failure();
  return find(found.value())->write(path);
}

}  // namespace rein
