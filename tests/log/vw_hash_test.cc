// The slots of features are those of Vowpal Wabbit 9.11: the numbers were printed by its --audit.
#include "log/vw_hash.h"

#include <gtest/gtest.h>

#include <map>

#include "temp_file.h"

namespace rein {
namespace {

constexpr std::uint64_t kMask = (1U << 18U) - 1;

std::uint64_t slot(const FeatureName& name, bool text = true) {
  return vw_feature_hash(name, text) & kMask;
}

TEST(VwHash, NamesOfTextHaveTheSlotsOfVowpalWabbit) {
  EXPECT_EQ(slot({"User", "age", ""}), 143891U);
  EXPECT_EQ(slot({"User", "word", ""}), 148984U);
  EXPECT_EQ(slot({"User", "17", ""}), 3846U) << "digits are a number";
  EXPECT_EQ(slot({"User", "city", "Paris", true}), 107245U) << "name:text";
  EXPECT_EQ(slot({"Other", "x", ""}), 115037U);
  EXPECT_EQ(slot({"Action", "f", ""}), 209188U);
  EXPECT_EQ(slot({"Action", "05", ""}), 225263U);
  EXPECT_EQ(slot({"Action", "-5", ""}), 190417U) << "a sign makes it a text";
  EXPECT_EQ(slot({"Action", "1.5", ""}), 193195U);
  EXPECT_EQ(slot({"", "bare", ""}), 35848U);
  EXPECT_EQ(slot({"", "1", ""}), 1U);
}

TEST(VwHash, NamesOfJsonHaveTheSlotsOfVowpalWabbit) {
  EXPECT_EQ(slot({"A", "f", "1", true}, false), 94185U);
  EXPECT_EQ(slot({"User", "city", "New York", true}, false), 85309U);
  EXPECT_EQ(slot({"arr", "[0]", ""}, false), 19604U);
  EXPECT_EQ(slot({"list", "[1]", ""}, false), 189432U);
  EXPECT_EQ(slot({"h", "deep", ""}, false), 37982U);
  EXPECT_EQ(slot({"", "word", "hi", true}, false), 102127U);
  EXPECT_EQ(slot({"", "red", ""}, false), 9981U);
}

TEST(VwHash, ProductsHaveTheSlotsOfVowpalWabbit) {
  EXPECT_EQ(vw_product(143891U, 209188U) & kMask, 254669U);
  EXPECT_EQ(vw_product(3846U, 225270U) & kMask, 51588U);
}

constexpr const char* kText =
    "shared |User age:31 city:Paris word 17 |Other x\n"
    "|Action f:1 12:2\n"
    "0:-1:0.7 |Action g:3 -5\n";

// The features of an action of the first row, by name.
std::map<std::string, double> features_of(const Log& log, std::size_t action) {
  std::map<std::string, double> out;
  for (auto j = log.features_begin[action]; j < log.features_begin[action + 1]; ++j) {
    const auto at = static_cast<std::size_t>(j);
    out[log.names.features[static_cast<std::size_t>(log.features_index[at])].str()] =
        log.features_value[at];
  }
  return out;
}

TEST(VwHash, AReaderWithBitsNamesFeaturesByTheirSlots) {
  const TempFile file(kText, ".vw");
  const Log log = read_log(file.path(), {.bits = 18, .quadratic = {"UA"}}).value();
  const auto first = features_of(log, 0);
  EXPECT_EQ(first.at("209188"), 1.0);
  EXPECT_EQ(first.at("225270"), 2.0);
  EXPECT_EQ(first.at("254669"), 31.0);  // User^age*Action^f
  EXPECT_EQ(first.at("244767"), 62.0);  // User^age*Action^12
  EXPECT_EQ(first.at("18995"), 1.0);    // User^city^Paris*Action^f
  EXPECT_EQ(first.at("51588"), 2.0);    // User^17*Action^12
  EXPECT_EQ(first.size(), 2U + 8U);
  const auto second = features_of(log, 1);
  EXPECT_EQ(second.at("125426"), 93.0);  // User^age*Action^g
  EXPECT_EQ(second.at("82339"), 1.0);    // User^17*Action^-5
  EXPECT_EQ(log.shared_index.size(), 5U);
  EXPECT_TRUE(log.report.notes.empty());
}

TEST(VwHash, ProductsWithoutBitsHaveBothNames) {
  const TempFile file(kText, ".vw");
  const Log log = read_log(file.path(), {.quadratic = {"UA", "OO"}}).value();
  EXPECT_EQ(features_of(log, 0).at("User^age*Action^12"), 62.0);
  EXPECT_EQ(features_of(log, 0).at("User^city=Paris*Action^f"), 1.0);
  EXPECT_EQ(log.shared_index.size(), 6U) << "Other^x*Other^x is of the context";
}

TEST(VwHash, FeaturesThatShareASlotAreAddedAndCounted) {
  const TempFile file(kText, ".vw");
  const Log log = read_log(file.path(), {.bits = 1}).value();
  EXPECT_LE(log.shared_index.size(), 2U);
  double sum = 0.0;
  for (const double value : log.shared_value) sum += value;
  EXPECT_EQ(sum, 31.0 + 4.0);
  ASSERT_EQ(log.report.notes.size(), 1U);
  EXPECT_NE(log.report.notes[0].what.find("share a slot"), std::string::npos);
  EXPECT_EQ(log.report.notes[0].count, 1);
}

TEST(VwHash, RefusesWhatIsNoPairAndTooManyBits) {
  const TempFile file(kText, ".vw");
  EXPECT_FALSE(read_log(file.path(), {.bits = 31}).ok());
  EXPECT_FALSE(read_log(file.path(), {.quadratic = {"U"}}).ok());
  EXPECT_FALSE(read_log(file.path(), {.quadratic = {"::"}}).ok());
}

}  // namespace
}  // namespace rein
