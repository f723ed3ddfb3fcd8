// Options with defaults and limits, and the messages for those that do not fit.
#include "base/spec_reader.h"

#include <gtest/gtest.h>

#include <limits>

namespace rein {
namespace {

// Reads one key in every possible way.
std::string read_error(std::string_view text) {
  const Spec spec = parse_spec(text).value();
  SpecReader read(spec, "test spec");
  read.number("number", 1.0);
  read.number("positive", 1.0, {.above = 0.0});
  read.number("share", 0.5, {.low = 0.0, .high = 1.0});
  read.number("half_open", 0.5, {.above = 0.0, .high = 1.0});
  read.number("at_least", 2.0, {.low = 2.0});
  read.number("at_most", 2.0, {.high = 2.0});
  read.integer("count", 3, 1, 10);
  read.flag("flag", true);
  read.word("word", "a", {"a", "b"});
  read.text("text", "");
  read.numbers("numbers", {.low = 0.0});
  read.spec("spec", "vaw");
  const auto done = read.finish();
  return done.ok() ? "ok" : done.error();
}

TEST(SpecReader, TakesWhatFits) {
  for (std::string_view text :
       {"x", "x(number=-3e10)", "x(positive=5e-324)", "x(share=0)", "x(share=1)", "x(half_open=1)",
        "x(at_least=2)", "x(at_most=2)", "x(count=1)", "x(count=10)", "x(flag=0)", "x(word=b)",
        "x(text=word)", R"x(x(text="any, (text)"))x", "x(numbers=3)", "x(numbers=[1,2,0])",
        "x(spec=ons(eta=1))"}) {
    EXPECT_EQ(read_error(text), "ok") << text;
  }
}

TEST(SpecReader, RefusalsSayWhatIsAccepted) {
  const std::pair<std::string_view, std::string_view> table[] = {
      {"x(number=a)", "key \"number\" has a at 9; accepted: a number"},
      {"x(number=[1])", "key \"number\" has [1] at 9; accepted: a number"},
      {"x(positive=0)", "key \"positive\" has 0 at 11; accepted: a number above 0"},
      {"x(share=1.5)", "key \"share\" has 1.5 at 8; accepted: a number from 0 to 1"},
      {"x(share=-1)", "key \"share\" has -1 at 8; accepted: a number from 0 to 1"},
      {"x(half_open=0)", "key \"half_open\" has 0 at 12; accepted: a number above 0 and at most 1"},
      {"x(at_least=1)", "key \"at_least\" has 1 at 11; accepted: a number of at least 2"},
      {"x(at_most=3)", "key \"at_most\" has 3 at 10; accepted: a number of at most 2"},
      {"x(count=0)", "key \"count\" has 0 at 8; accepted: a whole number from 1 to 10"},
      {"x(count=1.5)", "key \"count\" has 1.5 at 8; accepted: a whole number from 1 to 10"},
      {"x(count=a)", "key \"count\" has a at 8; accepted: a whole number from 1 to 10"},
      {"x(flag=2)", "key \"flag\" has 2 at 7; accepted: a whole number from 0 to 1"},
      {"x(word=c)", "key \"word\" has c at 7; accepted: a, b"},
      {"x(word=a(b=1))", "key \"word\" has a(b=1) at 7; accepted: a, b"},
      {"x(word=\"a\")", "key \"word\" has \"a\" at 7; accepted: a, b"},
      {"x(text=3)", "key \"text\" has 3 at 7; accepted: \"text\" in quotes"},
      {"x(numbers=[1,-1])", "key \"numbers\" has -1 at 13; accepted: a number of at least 0"},
      {"x(numbers=[1,a])", "key \"numbers\" has a at 13; accepted: a number of at least 0"},
      {"x(numbers=[])", "key \"numbers\" has [] at 10; accepted: one number per cost"},
      {"x(spec=3)", "key \"spec\" has 3 at 7; accepted: a name such as vaw"},
      // The first in the order of reading, whatever the order in the text.
      {"x(word=c,number=a)", "key \"number\" has a at 16; accepted: a number"},
      // An unknown key is reported before any value.
      {"x(number=a,nubmer=1)",
       "unknown key \"nubmer\" at 11; x takes at_least, at_most, count, flag, half_open, number, "
       "numbers, positive, share, spec, text, word"},
  };
  for (const auto& [text, message] : table) {
    EXPECT_EQ(read_error(text), "test spec: " + std::string(message)) << text;
  }
}

TEST(SpecReader, GivesTheDefaultsOfWhatIsNotThere) {
  const Spec spec("x");
  SpecReader read(spec, "test spec");
  EXPECT_EQ(read.number("a", 1.5), 1.5);
  EXPECT_EQ(read.number("a", Limits{}), std::nullopt);
  EXPECT_EQ(read.integer("b", 7, 0, 9), 7);
  EXPECT_TRUE(read.flag("c", true));
  EXPECT_EQ(read.word("d", "e", {"e", "f"}), "e");
  EXPECT_EQ(read.text("g", "h"), "h");
  EXPECT_TRUE(read.numbers("i").empty());
  EXPECT_EQ(read.spec("j", "k(l=1)").str(), "k(l=1)");
  EXPECT_FALSE(read.has("a"));
  EXPECT_TRUE(read.finish().ok());
}

TEST(SpecReader, AThingWithoutKeysSaysSo) {
  const Spec spec = parse_spec("igw(gamma=1)").value();
  EXPECT_EQ(SpecReader(spec, "explorer spec").finish().error(),
            "explorer spec: unknown key \"gamma\" at 4; igw takes no keys");
}

TEST(SpecReader, ASpecThatWasMadeHasNoPlaces) {
  Spec spec("x");
  spec.set("a", {.is = 2.0});
  EXPECT_EQ(SpecReader(spec, "test spec").finish().error(),
            "test spec: unknown key \"a\"; x takes no keys");
}

TEST(SpecReader, NanAndInfinityInASpecThatWasMadeAreRefused) {
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    Spec spec("x");
    spec.set("a", {.is = bad});
    SpecReader number(spec, "test spec");
    number.number("a", 1.0);
    EXPECT_FALSE(number.finish().ok()) << bad;
    SpecReader integer(spec, "test spec");
    integer.integer("a", 1, 0, 5);
    EXPECT_FALSE(integer.finish().ok()) << bad;
    SpecReader numbers(spec, "test spec");
    numbers.numbers("a");
    EXPECT_FALSE(numbers.finish().ok()) << bad;
  }
}

TEST(SpecReader, TheFirstRuleThatIsBrokenIsTheOneTold) {
  const Spec spec("x");
  SpecReader read(spec, "test spec");
  read.refuse("first");
  read.refuse("second");
  EXPECT_EQ(read.finish().error(), "test spec: first");
}

}  // namespace
}  // namespace rein
