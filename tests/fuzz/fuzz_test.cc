// The fuzz targets without a fuzzer: the kept corpus (tests/fuzz/corpus/TARGET/*), and seeded
// mutations of inputs that the current code accepts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/targets.h"
#include "rein/rng.h"
#include "source_dir.h"

namespace rein {
namespace {

constexpr int kMutations = 400;

struct Target {
  const char* name;
  void (*run)(fuzz::Bytes);
  std::vector<std::string> (*seeds)();
};
constexpr Target kTargets[] = {
    {"spec", fuzz::spec, nullptr},
    {"options", fuzz::options, nullptr},
    {"table", fuzz::table, nullptr},
    {"result", fuzz::result, nullptr},
    {"record", fuzz::record, fuzz::record_seeds},
    {"snapshot", fuzz::snapshot, fuzz::snapshot_seeds},
    {"policy", fuzz::policy, fuzz::policy_seeds},
    {"schema", fuzz::schema, fuzz::schema_seeds},
    {"snapshot_file", fuzz::snapshot_file, fuzz::snapshot_file_seeds},
    {"journal", fuzz::journal, fuzz::journal_seeds},
    {"log_csv", fuzz::log_csv, nullptr},
    {"log_jsonl", fuzz::log_jsonl, nullptr},
    {"log_dsjson", fuzz::log_dsjson, nullptr},
    {"log_vw", fuzz::log_vw, nullptr},
    {"log_columns", fuzz::log_columns, fuzz::log_columns_seeds},
    {"http_request", fuzz::http_request, nullptr},
    {"body", fuzz::body, fuzz::body_seeds},
    {"document", fuzz::document, fuzz::document_seeds},
    {"settings", fuzz::settings, nullptr},
    {"event", fuzz::event, fuzz::event_seeds},
    {"model_snapshot", fuzz::model_snapshot, fuzz::model_snapshot_seeds}};

// The files of the corpus, in one order, and the seeds.
std::vector<std::string> inputs_of(const Target& target) {
  std::vector<std::filesystem::path> paths;
  const auto folder = std::filesystem::path(source_dir()) / "tests/fuzz/corpus" / target.name;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> inputs;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  if (target.seeds != nullptr) {
    for (std::string& seed : target.seeds()) inputs.push_back(std::move(seed));
  }
  return inputs;
}

// One to three changes: a byte, a whole word, a removed piece, a repeated piece.
std::string mutated(std::string text, Rng& rng) {
  for (std::uint64_t n = 1 + rng.below(3); n > 0 && !text.empty(); --n) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(4)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1: {
        const char fill = rng.below(2) == 0 ? '\xff' : '\0';
        std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at),
                    std::min<std::size_t>(8, text.size() - at), fill);
        break;
      }
      case 2:
        text.resize(at);
        break;
      default:
        text.insert(at, text.substr(at, 16));
    }
  }
  return text;
}

class Fuzz : public testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

TEST_P(Fuzz, CorpusAndMutationsKeepThePromises) {
  const std::vector<std::string> inputs = inputs_of(GetParam());
  ASSERT_FALSE(inputs.empty());
  for (const std::string& input : inputs) ASSERT_NO_THROW(GetParam().run(input));
  Rng rng(5);
  for (int i = 0; i < kMutations; ++i) {
    const std::string input = mutated(inputs[rng.below(inputs.size())], rng);
    ASSERT_NO_THROW(GetParam().run(input)) << "mutation " << i;
  }
}

// For scripts/fuzz.sh: writes the seeds into the folder that REIN_SEEDS names.
TEST_P(Fuzz, SeedsAreAcceptedInputs) {
  if (GetParam().seeds == nullptr) return;
  const char* folder = std::getenv("REIN_SEEDS");
  int n = 0;
  for (const std::string& seed : GetParam().seeds()) {
    ASSERT_NO_THROW(GetParam().run(seed));
    if (folder == nullptr) continue;
    std::ofstream out(std::filesystem::path(folder) / ("seed" + std::to_string(n++)),
                      std::ios::binary);
    out << seed;
  }
}

}  // namespace
}  // namespace rein
