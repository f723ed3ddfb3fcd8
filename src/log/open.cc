// Chooses a format by name, by the end of a path, or by the first bytes.
#include <fmt/format.h>

#include <array>
#include <fstream>

#include "log/readers.h"

namespace rein {
namespace {

struct Format {
  LogFormat format;
  std::string_view name;
  MadeReader (*read)(const std::string&, const LogOptions&);
  MadeWriter (*write)(const std::string&);
};
constexpr std::array<Format, 3> kFormats = {{
    {LogFormat::kCsv, "csv", read_csv_log, nullptr},
    {LogFormat::kVw, "vw", read_vw_log, nullptr},
    {LogFormat::kDsjson, "dsjson", read_dsjson_log, nullptr},
}};
constexpr const char* kNames = "csv, jsonl, dsjson, vw, rlog";

const Format* find(LogFormat format) {
  for (const Format& each : kFormats) {
    if (each.format == format) return &each;
  }
  return nullptr;
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

Result<LogFormat> log_format_of(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".txt")) return LogFormat::kVw;
  if (name.ends_with(".json")) return LogFormat::kDsjson;
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    for (const Format& each : kFormats) {
      if (each.name == name.substr(dot + 1)) return each.format;
    }
  }
  return Error{
      fmt::format("log {}: the format is not known by the end of the name; accepted: .csv, "
                  ".jsonl, .dsjson, .json, .vw, .txt, .rlog, or a format by name ({})",
                  path, kNames)};
}

Result<std::unique_ptr<LogReader>> open_log(const std::string& path, const LogOptions& options) {
  LogFormat format = options.format;
  if (format == LogFormat::kAuto) {
    auto known = log_format_of(path);
    if (!known) return known.failure();
    format = known.value();
  }
  const Format* found = find(format);
  if (found == nullptr) return Error{fmt::format("log {}: this format is not read", path)};
  return found->read(path, options);
}

}  // namespace rein
