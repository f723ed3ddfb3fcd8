#include "http/url.h"

#include <gtest/gtest.h>

namespace rein::serve {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Url, QueriesArePairs) {
  EXPECT_EQ(query_of("").value(), Pairs{});
  EXPECT_EQ(query_of("a=1&b=two%20words&c=x+y").value(),
            (Pairs{{"a", "1"}, {"b", "two words"}, {"c", "x y"}}));
  EXPECT_EQ(query_of("a&b=&=c&&").value(), (Pairs{{"a", ""}, {"b", ""}, {"", "c"}}));
  EXPECT_EQ(query_of("a=b=c%3D%26").value(), (Pairs{{"a", "b=c=&"}}));
  EXPECT_EQ(query_of("%C3%A9=%e2%82%ac").value(), (Pairs{{"\xc3\xa9", "\xe2\x82\xac"}}));
}

TEST(Url, RefusesBrokenEscapesAndNamesThatComeTwice) {
  for (const char* query :
       {"a=%", "a=%4", "a=%4g", "a=%g4", "%=1", "a=1%", "a=1&a=2", "a=1&%61=2"}) {
    EXPECT_EQ(query_of(query).reason(), Reason::kInvalid) << query;
  }
}

TEST(Url, EscapesAtTheVeryEndAreRead) {
  EXPECT_EQ(unescaped("%41").value(), "A");
  EXPECT_EQ(unescaped("x%41").value(), "xA");
  EXPECT_EQ(unescaped("%00").value().size(), 1U);
}

}  // namespace
}  // namespace rein::serve
