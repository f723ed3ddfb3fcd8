// The readers of logs. Any bytes are refused, or give rows that are consistent; these can be written as
// columns and read back.
#include <cmath>
#include <fstream>
#include <iterator>

#include "fuzz/memory_file.h"
#include "fuzz/targets.h"
#include "rein/log.h"

namespace rein::fuzz {
namespace {

// As a program would use it: nothing refers to what is not there.
void check_row(const LogRow& row, const LogNames& names) {
  const auto offered = static_cast<std::size_t>(row.actions);
  const std::size_t most = row.actions > 0 ? offered : names.actions.size();
  expect(row.played >= 0 && static_cast<std::size_t>(row.played) < most,
         "the played action was offered");
  expect(row.offered.empty() || row.offered.size() == offered, "every action offered has an id");
  expect(row.probabilities.empty() || row.probabilities.size() == offered, "and a probability");
  expect(!(row.propensity <= 0.0 || row.propensity > 1.0), "a propensity is in (0, 1] or unknown");
  expect(row.weight > 0.0 && !std::isinf(row.reward), "numbers are finite");
  expect(row.context.size() <= names.context.size() && row.costs.size() <= names.costs.size(),
         "named");
  for (const double each : row.context) expect(std::isfinite(each), "the context is finite");
  for (const std::int32_t each : row.shared.index) {
    expect(each >= 0 && static_cast<std::size_t>(each) < names.features.size(),
           "features have names");
  }
  if (row.features.begin.empty()) return;
  expect(row.features.begin.size() == offered + 1, "every action offered has features");
  for (const std::int32_t each : row.features.index) {
    expect(each >= 0 && static_cast<std::size_t>(each) < names.features.size(),
           "features have names");
  }
}

// Features of actions become names, of which every row has one.
void check_names(const std::string& path, LogFormat format) {
  auto all = read_log(path, {.format = format});
  if (!all) return expect(!all.error().empty(), "a refusal says why");
  Log log = std::move(all).value();
  const bool features = !log.features_begin.empty();
  const auto named = name_actions(log);
  if (!named) return expect(!named.error().empty(), "a refusal says why");
  expect(log.features_begin.empty(), "no features are left");
  for (std::int64_t row = 0; features && row < log.rows(); ++row) {
    for (int place = 0; place < log.offers(row); ++place) {
      const std::int32_t id = log.action(row, place);
      expect(id >= 0 && static_cast<std::size_t>(id) < log.names.actions.size(), "it has a name");
    }
  }
}

void read(Bytes bytes, LogFormat format) {
  if (bytes.empty()) return;
  const MemoryFile file(bytes);
  const auto opened = open_log(file.path(), {.format = format});
  if (!opened) return expect(!opened.error().empty(), "a refusal says why");
  LogReader& reader = *opened.value();
  LogRow row;
  std::int64_t rows = 0;
  for (;;) {
    const auto more = reader.next(row);
    if (!more) return expect(!more.error().empty(), "a refusal says why");
    if (!more.value()) break;
    check_row(row, reader.names());
    ++rows;
  }
  expect(reader.report().kept == rows, "rows are counted");
  expect(!reader.report().str().empty(), "the report can be printed");
  check_names(file.path(), format);
}

}  // namespace

void log_csv(Bytes bytes) { read(bytes, LogFormat::kCsv); }
void log_jsonl(Bytes bytes) { read(bytes, LogFormat::kJsonl); }
void log_dsjson(Bytes bytes) { read(bytes, LogFormat::kDsjson); }
void log_vw(Bytes bytes) { read(bytes, LogFormat::kVw); }
void log_columns(Bytes bytes) { read(bytes, LogFormat::kColumns); }

std::vector<std::string> log_columns_seeds() {
  const MemoryFile from(
      "shared |U a:0.5 b\n|A f:1\n0:-1:0.5 |A g\n\n|A f\n0:0:1 |A g:0.123456789012\n");
  const std::string path = "/tmp/rein_fuzz_" + std::to_string(::getpid()) + ".rlog";
  convert_log(from.path(), {.format = LogFormat::kVw}, path).value();
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ::unlink(path.c_str());
  return {bytes};
}

}  // namespace rein::fuzz
