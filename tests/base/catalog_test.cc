// The tables say what every option does, in words that fit on a line of a terminal or a page.
#include "rein/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "base/catalog.h"

namespace rein {
namespace {

constexpr std::size_t kLongest = 80;

std::vector<Entry> every_entry() {
  std::vector<Entry> all;
  for (const auto& table : {oracles(), pricers(), gains(), explorers(), policies(), worlds()}) {
    all.insert(all.end(), table.begin(), table.end());
  }
  return all;
}

bool has_word(std::string_view text, std::string_view word) {
  const std::string padded = " " + std::string(text) + " ";
  return padded.find(" " + std::string(word) + " ") != std::string::npos;
}

void expect_plain(std::string_view line) {
  EXPECT_LE(line.size(), kLongest);
  EXPECT_NE(line.find(' '), std::string_view::npos) << "one word is no description";
  for (char c : line) EXPECT_TRUE(c >= ' ' && c <= '~' && c != '|') << "not plain ASCII: " << c;
  EXPECT_EQ(std::count(line.begin(), line.end(), '('), std::count(line.begin(), line.end(), ')'));
  if (line.empty()) return;
  EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(line.front())) != 0);
  EXPECT_NE(line.front(), ' ');
  EXPECT_EQ(std::string_view(".,;: ").find(line.back()), std::string_view::npos);
  EXPECT_EQ(line.find("  "), std::string_view::npos);
  // "one per cost", never "one a cost"; and no word for readers to decode.
  for (const char* archaic : {"one a", "one an", "number a", "dear", "dearest", "whose", "shall"}) {
    EXPECT_FALSE(has_word(line, archaic)) << archaic;
  }
}

TEST(Catalog, EveryOptionOfEveryEntryHasOnePlainLine) {
  int options = 0;
  for (const Entry& entry : every_entry()) {
    for (const Option& option : entry.options) {
      SCOPED_TRACE(std::string(entry.name) + ": " + std::string(option.key) + ": " +
                   std::string(option.line));
      EXPECT_FALSE(option.key.empty());
      expect_plain(option.line);
      ++options;
    }
  }
  EXPECT_GT(options, 300);
}

TEST(Catalog, OptionsAreSortedByKeyWithoutDoubles) {
  for (const Entry& entry : every_entry()) {
    for (std::size_t i = 1; i < entry.options.size(); ++i) {
      EXPECT_LT(entry.options[i - 1].key, entry.options[i].key) << entry.name;
    }
  }
}

// A default that is no choice of its own option would be refused when it is typed.
TEST(Catalog, ADefaultIsAmongTheChoices) {
  for (const Entry& entry : every_entry()) {
    for (const Option& option : entry.options) {
      const auto choices = choices_of(option);
      if (choices.empty() || option.default_value.empty()) continue;
      EXPECT_EQ(std::count(choices.begin(), choices.end(), option.default_value), 1)
          << entry.name << ": " << option.key;
      EXPECT_GE(choices.size(), 2U);
    }
  }
}

TEST(Catalog, ChoicesComeOneByOne) {
  EXPECT_TRUE(choices_of({"k", "1", "any number"}).empty());
  EXPECT_EQ(choices_of({"k", "", "", "a"}), (std::vector<std::string_view>{"a"}));
  EXPECT_EQ(choices_of({"k", "", "", "a|bc|d"}), (std::vector<std::string_view>{"a", "bc", "d"}));
}

TEST(Catalog, AnOptionIsFoundByItsWholeKey) {
  const Option options[] = {{"cost", "1", "one"}, {"cost_range", "2", "two"}};
  const Entry entry{"x", "an entry", options};
  EXPECT_EQ(find_option(entry, "cost")->line, "one");
  EXPECT_EQ(find_option(entry, "cost_range")->line, "two");
  EXPECT_EQ(find_option(entry, "cos"), nullptr);
  EXPECT_EQ(find_option(entry, ""), nullptr);
  EXPECT_EQ(with_default(options[0], "7").default_value, "7");
  EXPECT_EQ(with_default(options[0], "7").line, "one");
}

}  // namespace
}  // namespace rein
