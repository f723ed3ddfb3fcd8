// Schema: what each kind of column becomes, which names and values are refused.
#include "rein/schema.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schema/rows.h"
#include "schema/text_hash.h"

namespace rein {
namespace {

std::string refusal(const Column& column) {
  const auto made = Schema::make({column});
  return made ? "accepted" : made.error();
}

std::string places_error(const Schema& schema, std::vector<std::string_view> names) {
  const auto places = schema.places(names);
  return places ? "accepted" : places.error();
}

TEST(Schema, TheFirstRowOfNumbersIsZero) {
  Schema schema = schema_of({{"x", "number"}});
  EXPECT_EQ(encoded(schema, {Cell::of(5e6)}), Numbers{0.0});  // nothing was observed
  EXPECT_EQ(taken(schema, {Cell::of(5e6)}), Numbers{0.0});
  EXPECT_EQ(encoded(schema, {Cell::of(7e6)}), Numbers{0.0});  // no spread yet
}

TEST(Schema, NumbersAreStandardisedByWhatWasObserved) {
  Schema schema = schema_of({{"x", "number"}});
  for (const double x : {1.0, 2.0, 3.0, 6.0}) observe(schema, {Cell::of(x)});
  const double spread = std::sqrt((4.0 + 1.0 + 0.0 + 9.0) / 4.0);
  EXPECT_NEAR(encoded(schema, {Cell::of(6.0)})[0], 3.0 / spread, 1e-15);
  EXPECT_NEAR(encoded(schema, {Cell::of(6.0)})[0], 3.0 / spread,
              1e-15);  // encode() changes nothing
  EXPECT_EQ(encoded(schema, {Cell::of(3.0)})[0], 0.0);
}

TEST(Schema, NumbersFarFromZeroKeepTheirSpread) {
  Schema near = schema_of({{"x", "number"}});
  Schema far = schema_of({{"x", "number"}});
  for (int i = 0; i < 1000; ++i) {
    observe(near, {Cell::of(std::sin(i))});
    observe(far, {Cell::of(std::sin(i) + 1e6)});
  }
  EXPECT_NEAR(encoded(far, {Cell::of(1e6 + 1.0)})[0], encoded(near, {Cell::of(1.0)})[0], 1e-8);
}

TEST(Schema, OutliersAreCutOff) {
  Schema schema = schema_of({{"x", "number"}, {"y", "number(clip=3)"}});
  for (const double x : {-1.0, 1.0}) observe(schema, {Cell::of(x), Cell::of(x)});
  EXPECT_EQ(encoded(schema, {Cell::of(9.5), Cell::of(-9.5)}), (Numbers{9.5, -3.0}));
  EXPECT_EQ(encoded(schema, {Cell::of(1e50), Cell::of(-1e50)}), (Numbers{10.0, -3.0}));
}

TEST(Schema, NumbersWithoutAScaleStayAsTheyAre) {
  Schema schema = schema_of({{"x", "number(scale=none)"}});
  EXPECT_FALSE(schema.learns());
  for (const double x : {0.1, -3e49, 7.0}) EXPECT_EQ(taken(schema, {Cell::of(x)}), Numbers{x});
}

TEST(Schema, BooleansAreOneOrMinusOne) {
  const Schema schema = schema_of({{"x", "bool(missing=1)"}});
  EXPECT_EQ(encoded(schema, {Cell::of(true)}), (Numbers{1.0, 0.0}));
  EXPECT_EQ(encoded(schema, {Cell::of(0.0)}), (Numbers{-1.0, 0.0}));
  EXPECT_EQ(encoded(schema, {Cell::missing()}), (Numbers{0.0, 1.0}));
}

TEST(Schema, CategoriesTakePlacesInTheOrderTheyAreObserved) {
  Schema schema = schema_of({{"x", "category(most=2,buckets=3)"}});
  const auto hashed = [](std::string_view text) {
    Numbers out(5, 0.0);
    out[2 + bucket_of(text_hash(text), 3)] = 1.0;
    return out;
  };
  EXPECT_EQ(encoded(schema, {Cell::of("FR")}), hashed("FR"));  // not observed
  EXPECT_EQ(taken(schema, {Cell::of("DE")}), (Numbers{1, 0, 0, 0, 0}));
  EXPECT_EQ(taken(schema, {Cell::of("FR")}), (Numbers{0, 1, 0, 0, 0}));
  EXPECT_EQ(taken(schema, {Cell::of("IT")}), hashed("IT"));  // beyond the bound
  EXPECT_EQ(taken(schema, {Cell::of("DE")}), (Numbers{1, 0, 0, 0, 0}));
  EXPECT_EQ(taken(schema, {Cell::missing()}), Numbers(5, 0.0));
  EXPECT_EQ(schema.names(), (std::vector<std::string>{"x=DE", "x=FR", "x#0", "x#1", "x#2"}));
}

TEST(Schema, NamedCategoriesKeepTheirOrder) {
  Schema schema = schema_of({{"x", "category(of=[\"b\",a,3])"}});
  EXPECT_FALSE(schema.learns());
  EXPECT_EQ(schema.size(), 4);  // one shared feature for all others
  EXPECT_EQ(encoded(schema, {Cell::of("a")}), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(encoded(schema, {Cell::of(3.0)}), (Numbers{0, 0, 1, 0}));
  EXPECT_EQ(taken(schema, {Cell::of("c")}), (Numbers{0, 0, 0, 1}));
  Schema more = schema_of({{"x", "category(buckets=0,most=2,of=[a])"}});
  EXPECT_EQ(taken(more, {Cell::of("c")}), (Numbers{0, 1}));
  EXPECT_EQ(taken(more, {Cell::of("d")}), (Numbers{0, 0}));
}

TEST(Schema, LongCategoriesAreHashed) {
  Schema schema = schema_of({{"x", "category(most=2,buckets=1)"}});
  const std::string fits(kMaxCategoryBytes, 'a');
  const std::string longer = fits + 'a';
  EXPECT_EQ(taken(schema, {Cell::of(longer)}), (Numbers{0, 0, 1}));
  EXPECT_EQ(taken(schema, {Cell::of(fits)}), (Numbers{1, 0, 0}));
}

TEST(Schema, TextIsHashedWords) {
  const Schema schema = schema_of({{"q", "text(8)"}, {"u", "text(buckets=8,signed=0)"}});
  const auto q = [&](const char* text) {
    const Numbers all = encoded(schema, {Cell::of(text), Cell::missing()});
    return Numbers(all.begin(), all.begin() + 8);
  };
  EXPECT_EQ(q("Red SHOES"), q("shoes, red!"));
  EXPECT_NE(q("red"), q("shoes"));
  EXPECT_EQ(q("..."), Numbers(8, 0.0));
  EXPECT_EQ(q("h\xC3\xA9 h\xC3\xA9"), [&] {
    Numbers twice = q("h\xC3\xA9");
    for (double& x : twice) x *= 2.0 / std::sqrt(2.0);
    return twice;
  }());
  const std::uint64_t hash = text_hash("red");
  Numbers red(16, 0.0);
  red[bucket_of(hash, 8)] = sign_of(hash);
  red[8 + bucket_of(hash, 8)] = 1.0;
  EXPECT_EQ(encoded(schema, {Cell::of("red"), Cell::of("red")}), red);
}

// What agents have learned depends on these numbers: they must never change.
TEST(Schema, HashesAreForGood) {
  EXPECT_EQ(text_hash(""), 0xefd01f60ba992926U);
  EXPECT_EQ(text_hash("DE"), 0x576a9de3703e6015U);
  EXPECT_EQ(text_hash("h\xC3\xA9"), 0xfd7d030240916aecU);
}

TEST(Schema, NamesSayWhatEachNumberIs) {
  Schema schema = every_kind();
  taken(schema, {Cell::of(1.0), Cell::of("DE"), Cell::missing(), Cell::missing()});
  EXPECT_EQ(schema.names(),
            (std::vector<std::string>{"age", "age missing", "country=DE", "country[1]", "country#0",
                                      "country#1", "query#0", "query#1", "query#2", "query#3",
                                      "query#4", "query#5", "query#6", "query#7", "member"}));
  EXPECT_EQ(schema.size(), 15);
}

TEST(Schema, NamesAreFoundInAnyOrder) {
  const Schema schema = schema_of({{"a", "number"}, {"b", "bool"}});
  EXPECT_EQ(schema.places(std::vector<std::string_view>{"b", "a"}).value(),
            (std::vector<int>{1, 0}));
  EXPECT_EQ(places_error(schema, {"a"}), "schema: no column \"b\"; expected: \"a\", \"b\"");
  EXPECT_EQ(
      places_error(schema, {"a", "b", "c"}),
      "schema: unknown column \"c\"; expected: \"a\", \"b\", or the option that ignores extra "
      "columns");
  EXPECT_EQ(
      places_error(schema, {"a", "B"}),
      "schema: no column \"b\", and unknown column \"B\"; expected: \"a\", \"b\", or the option "
      "that ignores extra columns");
  EXPECT_EQ(places_error(schema, {"a", "b", "a"}), "schema: column \"a\" appears twice");
}

TEST(Schema, ExtraAndAbsentColumnsMayBeAllowed) {
  const Schema schema =
      schema_of({{"a", "number"}, {"b", "bool"}}, {.ignore_extra = true, .absent_missing = true});
  EXPECT_EQ(schema.places(std::vector<std::string_view>{"c", "b"}).value(),
            (std::vector<int>{-1, 1}));
  EXPECT_EQ(places_error(schema, {"a", "a"}), "schema: column \"a\" appears twice");
}

TEST(Schema, AWrongValueIsRefusedByNameAndChangesNothing) {
  Schema schema = schema_of({{"n", "number"}, {"b", "bool"}});
  EXPECT_EQ(error_of(schema, {Cell::of("4"), Cell::of(true)}),
            "schema: column \"n\": found the text \"4\"; accepted: a number from -1e+50 to 1e+50, "
            "or a missing value");
  EXPECT_EQ(
      error_of(schema, {Cell::of(INFINITY), Cell::of(true)}),
      "schema: column \"n\": found inf; accepted: a number from -1e+50 to 1e+50, or a missing "
      "value");
  EXPECT_EQ(error_of(schema, {Cell::of(4.0), Cell::of(2.0)}),
            "schema: column \"b\": found 2; accepted: true, false, 1, 0 or a missing value");
  const std::string before = schema.snapshot();
  const Cell wrong[] = {Cell::of(4.0), Cell::of("yes")};
  EXPECT_FALSE(schema.observe(wrong));
  EXPECT_EQ(schema.snapshot(), before);
}

TEST(Schema, DeclarationsThatCannotBeAreRefused) {
  EXPECT_EQ(refusal({"x", "numbr"}),
            "schema: column \"x\": unknown kind \"numbr\"; accepted: number, bool, category, text");
  EXPECT_EQ(refusal({"", "number"}), "schema: found a column name of 0 bytes; accepted: 1 to 256");
  EXPECT_NE(refusal({"x", "category(0)"}).find("accepted: "), std::string::npos);
  EXPECT_NE(refusal({"x", "category(most=5000)"}).find("4096"), std::string::npos);
  EXPECT_NE(refusal({"x", "category(of=[a,a])"}).find("different texts"), std::string::npos);
  EXPECT_NE(refusal({"x", "category(most=1,of=[a,b])"}).find("most"), std::string::npos);
  EXPECT_NE(refusal({"x", "number(clip=3,scale=none)"}).find("clip"), std::string::npos);
  EXPECT_NE(refusal({"x", "text(word=1)"}).find("unknown key \"word\""), std::string::npos);
  EXPECT_EQ(Schema::make({{"x", "bool"}, {"x", "bool"}}).error(),
            "schema: two columns are called \"x\"");
  EXPECT_EQ(Schema::make({}).error(), "schema: found 0 columns; accepted: 1 to 1024");
  const std::vector<Column> wide(20, {"x", "text(buckets=1000000)"});
  EXPECT_NE(Schema::make(wide).error().find("16777216"), std::string::npos);
}

TEST(Schema, ColumnsArePrintedWithTheirKeys) {
  const Schema schema = schema_of({{"c", "category( 8 , buckets=2)"}, {"t", " text(9)"}});
  EXPECT_EQ(schema.columns(),
            (std::vector<Column>{{"c", "category(buckets=2,most=8)"}, {"t", "text(buckets=9)"}}));
}

}  // namespace
}  // namespace rein
