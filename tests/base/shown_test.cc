// Text of the caller's own in a message.
#include "base/shown.h"

#include <gtest/gtest.h>

namespace rein {
namespace {

TEST(Shown, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(shown("a\nb\x7F"), "a?b?");
  EXPECT_EQ(shown(std::string(40, 'x')), std::string(40, 'x'));
  EXPECT_EQ(shown(std::string(41, 'x')), std::string(40, 'x') + "...");
  EXPECT_EQ(shown(std::string(39, 'x') + "\xC3\xA9"), std::string(39, 'x') + "...");
  EXPECT_EQ(shown(std::string(50, '\x80')).size(), 39U);  // not UTF-8: cut anyway
}

}  // namespace
}  // namespace rein
