// Lines and the ends of their words, whatever the lengths of lines are.
#include "log/line_file.h"

#include <gtest/gtest.h>

#include "../sanitized.h"
#include "rein/rng.h"
#include "temp_file.h"

namespace rein {
namespace {

struct Split {
  std::string text;
  std::vector<std::size_t> ends;
  bool operator==(const Split&) const = default;
};

Split split_of(std::string_view text) {
  Split out{std::string(text), {}};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' || text[i] == '|') out.ends.push_back(i);
  }
  out.ends.push_back(text.size());
  return out;
}

// Some words; most lines are short, some are longer than what is marked at once or read at once.
std::string words_of(Rng& rng) {
  const auto kind = rng.below(200);
  const std::int64_t most = kind == 0 ? 600'000 : kind < 4 ? 40'000 : 150;
  std::string out;
  for (auto i = rng.below(most); i > 0; --i) out += "abc |"[rng.below(5)];
  return out;
}

TEST(LineFile, ReadsLinesOfAllLengths) {
  for (std::uint64_t seed = 0; seed < repeats(30); ++seed) {
    Rng rng(seed);
    std::string file;
    std::vector<Split> expected;
    const bool last_ends = rng.below(2) == 0;
    const std::int64_t plain = rng.below(4);  // of three ends
    bool saw_lf = false, saw_crlf = false;
    const auto count = 1 + rng.below(3000);
    for (std::int64_t i = 0; i < count; ++i) {
      std::string text = words_of(rng);
      if (i + 1 == count && !last_ends && text.empty()) text = "end";
      expected.push_back(split_of(text));
      file += text;
      if (i + 1 == count && !last_ends) break;
      const bool lf = rng.below(3) < plain;
      (lf ? saw_lf : saw_crlf) = true;
      file += lf ? "\n" : "\r\n";
    }
    const TempFile temp(file, ".vw");
    auto lines = LineFile::open(temp.path(), {' ', '|', '|'}).value();
    std::string_view line;
    std::span<const char* const> ends;
    std::vector<Split> found;
    while (lines.next(line, ends).value()) {
      Split& each = found.emplace_back();
      each.text = line;
      for (const char* end : ends) each.ends.push_back(static_cast<std::size_t>(end - line.data()));
      ASSERT_EQ(lines.line(), static_cast<std::int64_t>(found.size()));
      ASSERT_TRUE(lines.is_ascii());
    }
    ASSERT_TRUE(found == expected) << "seed " << seed;
    ASSERT_EQ(lines.mixed_ends(), saw_lf && saw_crlf) << "seed " << seed;
  }
}

TEST(LineFile, OtherBytesThanAsciiAreSaid) {
  const TempFile temp("plain\n\xc3\xa9\n", ".vw");
  auto lines = LineFile::open(temp.path()).value();
  std::string_view line;
  std::span<const char* const> ends;
  while (lines.next(line, ends).value()) ASSERT_FALSE(lines.is_ascii() && line == "\xc3\xa9");
}

}  // namespace
}  // namespace rein
