// Every format gives back what was written to it, as far as it can hold it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rein/log.h"
#include "rein/rng.h"
#include "temp_file.h"

namespace rein {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Sizes {
  bool features = true, named = false, probabilities = true, costs = true, rest = true;
};

std::string shown(std::span<const double> numbers) {
  std::string out;
  for (const double number : numbers) out += fmt::format("{} ", number);
  return out;
}

std::string shown(std::span<const std::int32_t> index, std::span<const double> value,
                  const LogNames& names) {
  std::vector<std::string> each;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const FeatureName& name = names.features[static_cast<std::size_t>(index[i])];
    each.push_back(fmt::format("{}{}:{} ", name.str(), name.category ? "!" : "", value[i]));
  }
  std::sort(each.begin(), each.end());
  return fmt::format("{}", fmt::join(each, ""));
}

// Everything that a log says, one line per row. Names instead of numbers.
std::vector<std::string> shown(const Log& log) {
  std::vector<std::string> out;
  std::vector<std::int32_t> room;
  for (std::int64_t i = 0; i < log.rows(); ++i) {
    const LogRow row = log.row(i, room);
    std::string line;
    for (int a = 0; a < row.actions; ++a) {
      const auto id = static_cast<std::size_t>(row.action(a));
      line += log.names.actions.empty() ? std::to_string(id) : log.names.actions[id];
      line += a == row.played ? "* " : " ";
      if (row.features.begin.empty()) continue;
      const auto from = static_cast<std::size_t>(row.features.begin[static_cast<std::size_t>(a)]);
      const auto to = static_cast<std::size_t>(row.features.begin[static_cast<std::size_t>(a) + 1]);
      line += shown(row.features.index.subspan(from, to - from),
                    row.features.value.subspan(from, to - from), log.names);
    }
    line += fmt::format("p {} r {} w {} t {} id {} x {} c ", row.propensity, row.reward, row.weight,
                        row.time, row.id, shown(row.context));
    for (std::size_t c = 0; c < row.costs.size(); ++c) {
      if (!std::isnan(row.costs[c]))
        line += fmt::format("{}={} ", log.names.costs[c], row.costs[c]);
    }
    line += "p " + shown(row.probabilities) + "shared " +
            shown(row.shared.index, row.shared.value, log.names);
    out.push_back(line);
  }
  return out;
}

// A log in JSON lines, with everything that a log can have.
std::string made(const Sizes& sizes, int rows) {
  Rng rng(7);
  std::string out;
  for (int i = 0; i < rows; ++i) {
    const std::uint64_t k = 2 + rng.below(3);
    std::string actions, features, probabilities;
    for (std::uint64_t a = 0; a < k; ++a) {
      const std::string_view mark = a == 0 ? "" : ",";
      actions += fmt::format("{}{}", mark,
                             sizes.named ? fmt::format("\"name {}\"", a) : std::to_string(a));
      features += fmt::format("{}{{\"A^f\":{},\"A^kind\":\"v{}\",\"plain\":1}}", mark,
                              rng.uniform() - 0.5, rng.below(50));
      probabilities += fmt::format("{}{}", mark, 1.0 / static_cast<double>(k));
    }
    const std::uint64_t played = rng.below(k);
    out += fmt::format(
        "{{\"action\":{},\"probability\":{},\"actions\":[{}],\"shared\":{{\"U^age\":{},\"U^city\":"
        "\"city, \\\"{}\\\"\"}},\"reward\":{}",
        sizes.named ? fmt::format("\"name {}\"", played) : std::to_string(played),
        1.0 / static_cast<double>(k), actions, 1 + rng.below(90), rng.below(5),
        fmt::format("{}", rng.uniform()));
    if (sizes.features) out += fmt::format(",\"features\":[{}]", features);
    if (sizes.probabilities) out += fmt::format(",\"probabilities\":[{}]", probabilities);
    if (sizes.costs) out += fmt::format(",\"costs\":{{\"spend\":{}}}", rng.uniform());
    if (sizes.costs && i > 3) out.insert(out.size() - 1, fmt::format(",\"late\":{}", i));
    if (sizes.rest) out += fmt::format(",\"id\":\"e{}\",\"at\":{}.25", i, 1767225600 + i);
    if (sizes.rest && i % 2 == 0) out += ",\"weight\":2";
    out += "}\n";
  }
  return out;
}

// The same rows through a file of another format.
std::vector<std::string> through(const Log& expected, const std::string& from,
                                 std::string_view ending) {
  const TempFile file("", ending);
  const Converted done = convert_log(from, {}, file.path()).value();
  EXPECT_EQ(done.out.kept, expected.rows()) << done.out.str();
  return shown(read_log(file.path()).value());
}

TEST(RoundTrip, FormatsThatHoldEverything) {
  for (const bool named : {false, true}) {
    const TempFile file(made({.named = named}, 300), ".jsonl");
    const Log log = read_log(file.path()).value();
    EXPECT_EQ(log.report.refused, 0) << log.report.str();
    ASSERT_EQ(log.rows(), 300);
    EXPECT_THAT(log.names.costs, ElementsAre("spend", "late"));
    EXPECT_EQ(through(log, file.path(), ".jsonl"), shown(log));
    EXPECT_EQ(through(log, file.path(), ".rlog"), shown(log));
    EXPECT_EQ(through(log, file.path(), ".jsonl.gz"), shown(log));
    if (named) continue;
    EXPECT_EQ(through(log, file.path(), ".dsjson"), shown(log));
  }
}

TEST(RoundTrip, CsvHoldsDecisionsWithoutFeaturesOfActions) {
  const TempFile file(made({.features = false, .named = true}, 300), ".jsonl");
  const Log log = read_log(file.path()).value();
  const TempFile csv("", ".csv");
  convert_log(file.path(), {}, csv.path()).value();
  const Log back = read_log(csv.path()).value();
  // The numbers of the sparse context are columns now, and the categories have no namespace.
  EXPECT_THAT(back.names.context, ElementsAre("U^age"));
  EXPECT_EQ(back.played, log.played);
  EXPECT_EQ(back.propensity, log.propensity);
  EXPECT_EQ(back.reward, log.reward);
  EXPECT_EQ(back.offered, log.offered);
  EXPECT_EQ(back.probabilities, log.probabilities);
  EXPECT_EQ(back.weight, log.weight);
  EXPECT_EQ(back.time, log.time);
  EXPECT_EQ(back.id, log.id);
  EXPECT_EQ(back.names.costs, log.names.costs);
  EXPECT_EQ(back.shared_index.size(), 300U);
}

TEST(RoundTrip, TextOfVowpalWabbitHoldsNumbersAndWords) {
  const TempFile file(
      "shared 'e1 |User age:30 city_Paris |Extra :0.5 x\n"
      "|Action article=politics |Z z:-0.25\n"
      "0:-1:0.7 |Action article=sports\n"
      "\n"
      "0:0.5:0.25 |Action article=politics\n"
      "|Action article=other w:1e-9\n",
      ".vw");
  const Log log = read_log(file.path()).value();
  ASSERT_EQ(log.rows(), 2) << log.report.str();
  EXPECT_THAT(log.played, ElementsAre(1, 0));
  EXPECT_THAT(log.reward, ElementsAre(1, -0.5));
  EXPECT_THAT(log.id, ElementsAre("e1", ""));
  for (const char* ending : {".vw", ".dsjson", ".jsonl", ".rlog", ".vw.gz"}) {
    EXPECT_EQ(through(log, file.path(), ending), shown(log)) << ending;
  }
}

TEST(RoundTrip, CsvOfTextNamesActionsByTheirOnlyFeature) {
  const TempFile file("shared |U a:2\n|A sports\n0:-1:0.7 |A news\n\n0:0:0.5 |A news\n|A other\n",
                      ".vw");
  const TempFile csv("", ".csv");
  convert_log(file.path(), {}, csv.path()).value();
  const Log log = read_log(csv.path()).value();
  EXPECT_THAT(log.names.actions, ElementsAre("A^sports", "A^news", "A^other"));
  EXPECT_THAT(log.context, ElementsAre(2, 0));
}

TEST(RoundTrip, CsvToOtherFormatsKnowsAllActionsFromTheFirstRow) {
  const TempFile file("x_1,a,p,r,c\n1,b,0.5,1,0.25\n0,a,0.5,0,\n", ".csv");
  const Log log = read_log(file.path()).value();
  for (const char* ending : {".rlog", ".jsonl", ".csv"}) {
    const TempFile out("", ending);
    convert_log(file.path(), {}, out.path()).value();
    EXPECT_EQ(shown(read_log(out.path()).value()), shown(log)) << ending;
  }
  const TempFile out("", ".dsjson");
  convert_log(file.path(), {}, out.path()).value();
  const Log back = read_log(out.path()).value();
  EXPECT_EQ(back.actions, 2);
  EXPECT_EQ(back.names.features.at(1).str(), "Action^id=b");
  EXPECT_EQ(back.reward, log.reward);
}

TEST(RoundTrip, DamageOfColumnsIsFound) {
  const TempFile file(made({}, 300), ".jsonl");
  const TempFile whole("", ".rlog");
  convert_log(file.path(), {}, whole.path()).value();
  std::ifstream in(whole.path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ASSERT_EQ(read_log(whole.path()).value().rows(), 300);
  Rng rng(3);
  for (int i = 0; i < 300; ++i) {
    std::string changed = bytes;
    changed[rng.below(changed.size())] ^= static_cast<char>(1 + rng.below(255));
    const auto read = read_log(TempFile(changed, ".rlog").path());
    EXPECT_FALSE(read.ok());
    const auto cut = read_log(TempFile(bytes.substr(0, rng.below(bytes.size())), ".rlog").path());
    EXPECT_FALSE(cut.ok());
  }
  EXPECT_THAT(read_log(TempFile("abc", ".rlog").path()).error(),
              HasSubstr("does not begin with REINLOG1"));
}

}  // namespace
}  // namespace rein
