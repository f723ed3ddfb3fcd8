// What is read does not depend on the rows before, whose features are expected to come again.
#include <gtest/gtest.h>

#include <map>

#include "rein/log.h"
#include "rein/rng.h"
#include "temp_file.h"

namespace rein {
namespace {

using Features = std::map<std::string, double>;

// The features of the context and of the first action of a row.
std::vector<Features> features_of(const LogRow& row, const LogNames& names) {
  std::vector<Features> out(2);
  const auto name = [&](std::int32_t i) {
    return names.features[static_cast<std::size_t>(i)].str();
  };
  for (std::size_t j = 0; j < row.shared.index.size(); ++j) {
    out[0][name(row.shared.index[j])] = row.shared.value[j];
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(row.features.begin[1]); ++j) {
    out[1][name(row.features.index[j])] = row.features.value[j];
  }
  return out;
}

std::vector<std::vector<Features>> read_all(const std::string& text,
                                            const std::string& ending = ".vw") {
  const TempFile file(text, ending);
  const auto reader = open_log(file.path()).value();
  std::vector<std::vector<Features>> out;
  LogRow row;
  while (reader->next(row).value()) out.push_back(features_of(row, reader->names()));
  return out;
}

// Words of all kinds: brief numbers, whole ones, zeros, exponents, names alone, categories, names of
// more than eight bytes, other names, nothing between two blanks, and other namespaces and scales.
std::string line_of(Rng& rng) {
  const char* const names[] = {"a0", "b", "c", "long_name_1", "d", "e5"};
  const char* const values[] = {":0.25", ":-0.1234567", ":3",    ":0",   ":0.0", ":1e-3", "",
                                ":red",  ":0.12345678", ":12.5", ":-.5", ":+2",  ":7.",   ":-0"};
  std::string out;
  for (const char* space : {"|A", "|Bee"}) {
    out += std::string(space) + (rng.below(8) == 0 ? ":0.5 " : rng.below(8) == 0 ? "  " : " ");
    for (const char* name : names) {
      const bool other = rng.below(12) == 0;
      const bool plain = rng.below(3) != 0;
      out += (other ? std::string("z") : std::string(name)) +
             (plain ? ":0.5" : values[static_cast<std::size_t>(rng.below(14))]);
      if (rng.below(15) == 0) break;
      out += rng.below(10) == 0 ? "  " : rng.below(20) == 0 ? "\t" : " ";
    }
    if (rng.below(4) == 0 && out.back() == ' ') out.pop_back();  // the bar follows at once
  }
  return out;
}

TEST(VwExpected, RowsAreReadTheSameAloneAndAfterOthers) {
  Rng rng(5, 1);
  std::string all;
  std::vector<std::string> events;
  for (int i = 0; i < 400; ++i) {
    events.push_back("shared " + line_of(rng) + "\n0:-1:0.5 " + line_of(rng) + "\n\n");
    all += events.back();
  }
  const auto together = read_all(all);
  ASSERT_EQ(together.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto alone = read_all(events[i]);
    ASSERT_EQ(alone.size(), 1U) << events[i];
    EXPECT_EQ(alone[0], together[i]) << events[i];
  }
}

std::string object_of(Rng& rng) {
  const char* const names[] = {"a0", "b", "c", "long_name_1", "d", "e\\u0035"};
  const char* const values[] = {"0.25",  "-0.1234567", "3",       "0",          "0.0",
                                "1e-3",  "true",       "\"red\"", "0.12345678", "12.5",
                                "[1,2]", "null",       "false",   "{\"f\":2}"};
  std::string out = "{";
  for (const char* name : names) {
    const bool other = rng.below(12) == 0;
    const bool plain = rng.below(3) != 0;
    out += out.size() > 1 ? (rng.below(10) == 0 ? " , " : ",") : "";
    out += std::string("\"") + name + (other ? "z" : "") + "\"" +
           (rng.below(10) == 0 ? " : " : ":") +
           (plain ? "0.5" : values[static_cast<std::size_t>(rng.below(14))]);
    if (rng.below(15) == 0) break;
  }
  return out + "}";
}

TEST(VwExpected, EventsOfDsjsonAreReadTheSameAloneAndAfterOthers) {
  Rng rng(6, 1);
  std::string all;
  std::vector<std::string> events;
  for (int i = 0; i < 400; ++i) {
    events.push_back(
        "{\"_label_cost\":-1,\"_label_probability\":0.5,\"_labelIndex\":0,\"c\":{\"A\":" +
        object_of(rng) + ",\"x\":1.5,\"_multi\":[{\"Bee\":" + object_of(rng) +
        "},{\"Bee\":" + object_of(rng) + "}]}}\n");
    all += events.back();
  }
  const auto together = read_all(all, ".dsjson");
  ASSERT_EQ(together.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto alone = read_all(events[i], ".dsjson");
    ASSERT_EQ(alone.size(), 1U) << events[i];
    EXPECT_EQ(alone[0], together[i]) << events[i];
  }
}

}  // namespace
}  // namespace rein
