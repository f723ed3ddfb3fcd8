// Text of the caller's own in a message.
#include "base/shown.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rein {
namespace {

std::string xs(std::size_t count) { return std::string(count, 'x'); }

TEST(Shown, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(shown("a\nb\x7F"), "a?b?");
  EXPECT_EQ(shown(std::string(40, 'x')), std::string(40, 'x'));
  EXPECT_EQ(shown(std::string(41, 'x')), fmt::format("{}{}", xs(40), "..."));
  EXPECT_EQ(shown(fmt::format("{}{}", xs(39), "\xC3\xA9")), fmt::format("{}{}", xs(39), "..."));
  EXPECT_EQ(shown(std::string(50, '\x80')).size(), 39U);  // not UTF-8: cut anyway
}

}  // namespace
}  // namespace rein
