// The fast ways of reading words and numbers give what the slow ones give.
#include "log/known_words.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <span>

#include "../sanitized.h"
#include "log/fast_number.h"
#include "rein/log.h"
#include "rein/rng.h"
#include "temp_file.h"

namespace rein {
namespace {

std::vector<const Kernels*> levels() {
  std::vector<const Kernels*> found;
  for (const char* level : kLevels) {
    if (const Kernels* k = kernels_at(level)) found.push_back(k);
  }
  return found;
}

double exact(std::string_view text) {
  double out = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// `-0.1234`: a sign or none, one digit, one to seven decimals.
std::string brief(Rng& rng) {
  std::string out = rng.below(2) == 0 ? "-" : "";
  out += static_cast<char>('0' + rng.below(10));
  out += '.';
  for (auto i = 1 + rng.below(7); i > 0; --i) out += static_cast<char>('0' + rng.below(10));
  return out;
}

// Words `name:number` in one text, which is padded.
struct Batch {
  std::vector<std::string> names, numbers;
  std::string blanks;  // what stands after each word
  void add(const std::string& name, const std::string& number, char blank = ' ') {
    names.push_back(name);
    numbers.push_back(number);
    blanks += blank;
  }
  // How many were read.
  std::size_t read(const Kernels& kernels, std::vector<double>& out) const {
    std::string text = "|";
    std::vector<std::size_t> places;
    std::vector<ExpectedText> expected;
    for (std::size_t i = 0; i < names.size(); ++i) {
      expected.push_back(FeatureTable::expect(' ' + names[i] + ':'));
      --expected.back().size;
      text += names[i] + ':' + numbers[i];
      places.push_back(text.size());
      text += blanks[i];
    }
    text += std::string(kLinePadding, '\0');
    std::vector<const char*> ends;
    for (const std::size_t place : places) ends.push_back(text.data() + place);
    out.assign(names.size() + 3, 0.0);
    return kernels.read_words(text.data() + 1, ends.data(), expected.data(), names.size(),
                              out.data());
  }
  // Whether the numbers are those that from_chars reads, up to `count`.
  testing::AssertionResult holds(std::span<const double> found, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (std::bit_cast<std::uint64_t>(found[i]) == std::bit_cast<std::uint64_t>(exact(numbers[i])))
        continue;
      return testing::AssertionFailure() << numbers[i] << " is read as " << found[i];
    }
    return testing::AssertionSuccess();
  }
};

std::string name_of(Rng& rng) {
  std::string out;
  for (auto i = 1 + rng.below(14); i > 0; --i) out += static_cast<char>('a' + rng.below(26));
  return out;
}

TEST(KnownWords, AreRoundedAsFromCharsRoundsThem) {
  for (const Kernels* kernels : levels()) {
    Rng rng(11, 1);
    std::vector<double> values;
    for (std::uint64_t round = 0; round < repeats(30'000); ++round) {
      Batch batch;
      for (auto i = 1 + rng.below(64); i > 0; --i) {
        std::string number = brief(rng);
        if (exact(number) == 0.0) number = "7.";
        batch.add(name_of(rng), number);
      }
      ASSERT_EQ(batch.read(*kernels, values), batch.names.size()) << kernels->level;
      ASSERT_TRUE(batch.holds(values, batch.names.size())) << kernels->level;
    }
  }
}

// One word of some is wrong: nothing is read from it on, and at most three words before it are left.
TEST(KnownWords, WrongWordsAreNotRead) {
  for (const Kernels* kernels : levels()) {
    Rng rng(12, 1);
    std::vector<double> values;
    for (std::uint64_t round = 0; round < repeats(40'000); ++round) {
      Batch batch;
      const auto count = 1 + static_cast<std::size_t>(rng.below(11));
      const auto odd = static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(count)));
      const auto kind = rng.below(4);
      for (std::size_t i = 0; i < count; ++i) {
        std::string number = "-1.2345";
        if (i == odd && kind == 0) number = rng.below(2) == 0 ? "-0.00" : "1.12345678";
        if (i == odd && kind == 1) {  // no digit, or no point
          char wrong = static_cast<char>(rng.below(256));
          if ((wrong >= '0' && wrong <= '9') || wrong == '.') wrong = '/';
          number[1 + static_cast<std::size_t>(rng.below(6))] = wrong;
        }
        if (i == odd && kind == 2) number = rng.below(2) == 0 ? "" : "12";
        // A word after a bar is another one, even if it looks the same.
        const bool bar = kind == 3 && i + 1 == odd;
        batch.add(name_of(rng), number, bar ? '|' : ' ');
      }
      if (kind == 3 && odd == 0) continue;
      const std::size_t found = batch.read(*kernels, values);
      ASSERT_LE(found, odd) << kernels->level;
      ASSERT_GE(found + 3, odd) << kernels->level;
      ASSERT_TRUE(batch.holds(values, found)) << kernels->level;
    }
  }
}

TEST(Marks, AreFoundWhereTheyAre) {
  for (const Kernels* kernels : levels()) {
    Rng rng(13, 1);
    for (int round = 0; round < 3000; ++round) {
      const auto size = static_cast<std::size_t>(rng.below(300));
      const auto kinds = 5 + rng.below(60);
      std::string text(size, ' ');
      for (char& c : text) c = " |\t\nx"[std::min<std::int64_t>(4, rng.below(kinds))];
      for (char& c : text) {  // bytes that share bits with the marks
        if (c == 'x') c = "xlj\x0c\x00\x19"[rng.below(6)];
      }
      const bool high = size > 0 && rng.below(2) == 0;
      if (high) text[static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(size)))] = '\x8a';
      const std::string padded = text + std::string(kLinePadding, '\xff');
      std::vector<const char*> expected, places(size + 8);
      std::vector<std::uint32_t> ends, lines(size + 2);
      for (const char* at = padded.data(); at < padded.data() + size; ++at) {
        if (*at == '\n') ends.push_back(static_cast<std::uint32_t>(expected.size()));
        if (std::string_view(" |\t\n").find(*at) != std::string_view::npos) expected.push_back(at);
      }
      const MarkedLines found =
          kernels->find_lines(padded.data(), size, {' ', '|', '\t'}, places.data(), lines.data());
      places.resize(found.places);
      lines.resize(found.lines);
      ASSERT_EQ(places, expected) << kernels->level;
      ASSERT_EQ(lines, ends) << kernels->level;
      ASSERT_EQ(found.ascii, !high) << kernels->level;
    }
  }
}

TEST(Shorts, AreDividedWithOneRounding) {
  std::vector<std::int16_t> all;
  for (int x = -32768; x <= 32767; ++x) all.push_back(static_cast<std::int16_t>(x));
  std::vector<double> found(all.size());
  for (const Kernels* kernels : levels()) {
    for (int decimals = 0; decimals <= 9; ++decimals) {
      const double scale = kTens[decimals];
      kernels->divide_shorts(reinterpret_cast<const char*>(all.data()), all.size(), scale,
                             found.data());
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(found[i]),
                  std::bit_cast<std::uint64_t>(static_cast<double>(all[i]) / scale))
            << all[i] << " / " << scale << " at level " << kernels->level;
      }
    }
  }
}

// Numbers of all forms, and texts that are none.
TEST(Words, AreReadAsFromCharsReadsThem) {
  Rng rng(14, 1);
  for (std::uint64_t round = 0; round < repeats(1'000'000); ++round) {
    std::string word = rng.below(3) == 0 ? "-" : "";
    for (auto i = rng.below(4); i > 0; --i) word += static_cast<char>('0' + rng.below(10));
    if (rng.below(4) != 0) word += '.';
    for (auto i = rng.below(19); i > 0; --i) word += static_cast<char>('0' + rng.below(10));
    if (rng.below(6) == 0) word += rng.below(2) == 0 ? "e-12" : "E5";
    if (rng.below(20) == 0) word += 'x';
    const std::string padded = word + std::string(kLinePadding, ' ');
    const char* const end = padded.data() + word.size();
    double known = 0.0, found = 0.0;
    bool zero = false;
    const auto [stop, code] = std::from_chars(padded.data(), end, known);
    const bool accepted = !word.empty() && code == std::errc() && stop == end;
    ASSERT_EQ(read_word(padded.data(), end, found, zero), accepted) << word;
    if (!accepted) continue;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(known)) << word;
    ASSERT_EQ(zero, known == 0.0) << word;
  }
}

// What is no JSON stays so where the features are known.
TEST(KnownWords, HoldNoNumbersThatJsonDoesNotHave) {
  const auto event = [](std::string_view number) {
    return "{\"_label_cost\":-1,\"_label_probability\":0.5,\"_labelIndex\":0,\"c\":{\"_multi\":"
           "[{\"A\":{\"first\":0.5,\"second\":" +
           std::string(number) + ",\"third\":0.25}}]}}\n";
  };
  for (const char* number : {"+1", ".5", "+0.5", "0.5x", "x.5", "0.5.5", "-", "", "0,5", "\"0.5",
                             "-0.5", "0.0", "1e-3", "12", " 0.5 ", "null", "0.12345678"}) {
    for (const char* before : {"0.125", "7"}) {
      std::vector<LogReport> reports;
      for (const std::string& text : {event(number), event(before) + event(number)}) {
        const TempFile file(text, ".dsjson");
        const auto reader = open_log(file.path()).value();
        LogRow row;
        while (reader->next(row).value()) {
        }
        reports.push_back(reader->report());
      }
      EXPECT_EQ(reports[0].refused, reports[1].refused) << number;
      EXPECT_EQ(reports[0].kept + 1, reports[1].kept) << number;
    }
  }
}

// Every line is read as if it stood alone, whatever keys the line before had at the same places.
TEST(KnownKeys, MayChangeFromLineToLine) {
  const std::string label = "\"_label_cost\":-0.5", p = "\"_label_probability\":0.25";
  const std::string index = "\"_labelIndex\":1", id = "\"EventId\":\"seven\"";
  const std::string c = "\"c\":{\"_multi\":[{\"A\":{\"x\":0.5}},{\"A\":{\"x\":0.25}}]}";
  const std::vector<std::string> lines = {
      "{" + label + "," + p + "," + index + "," + id + "," + c + "}",
      "{" + id + "," + label + "," + p + "," + index + "," + c + "}",
      "{" + c + "," + id + "," + index + "," + p + "," + label + "}",
      "{\"\\u005flabel_cost\":-0.5," + p + "," + index + "," + id + "," + c + "}",
      "{ " + label + " , " + p + ", " + index + " ," + id + " , " + c + " }",
      "{\"_label_cos\":7," + label + "," + p + "," + index + "," + id + "," + c + "}",
      "{\"_label_cost\" :-0.5," + p + "," + index + "," + id + "," + c + ",\"more\":[{}]}"};
  for (const std::string& first : lines) {
    for (const std::string& second : lines) {
      const TempFile file(first + "\n" + second + "\n", ".dsjson");
      const auto reader = open_log(file.path()).value();
      LogRow row;
      for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(reader->next(row).value()) << first << second;
        EXPECT_EQ(row.reward, 0.5) << first << second;
        EXPECT_EQ(row.propensity, 0.25) << first << second;
        EXPECT_EQ(row.played, 1) << first << second;
        EXPECT_EQ(row.id, "seven") << first << second;
        EXPECT_EQ(row.features.value[1], 0.25) << first << second;
      }
    }
  }
}

TEST(KnownKeys, ListsOfWholeNumbersAreReadAsJson) {
  const auto kept = [](const std::string& list) {
    const TempFile file(
        "{\"_label_cost\":-1,\"_label_probability\":0.5,\"_labelIndex\":0,\"a\":" + list +
            ",\"p\":[0.5,0.5],\"c\":{\"_multi\":[{\"A\":{\"x\":1}},{\"A\":{\"x\":2}}]}}\n",
        ".dsjson");
    const auto reader = open_log(file.path()).value();
    LogRow row;
    while (reader->next(row).value()) {
    }
    return reader->report().kept == 1;
  };
  for (const char* list : {"[1,2]", "[2,1]", "[ 1 , 2 ]", "[1, 2]"})
    EXPECT_TRUE(kept(list)) << list;
  for (const char* list : {"[1,]", "[1,,2]", "[,1,2]", "[1 2]", "[12]", "[1,2", "[1,2,]", "[1.5,2]",
                           "[-1,2]", "[1,2,3]", "[1,x]", "[1,2e0]", "[]", "1,2"}) {
    EXPECT_FALSE(kept(list)) << list;
  }
}

}  // namespace
}  // namespace rein
