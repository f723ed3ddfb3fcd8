// World `table` with key schema: rows are encoded as rein/schema.h encodes them, in the order of the
// rounds.
#include "world/table_schema.h"

#include <gtest/gtest.h>

#include "allocations.h"
#include "temp_file.h"
#include "world/worlds.h"

namespace rein {
namespace {

constexpr const char* kTableSchemaKinds =
    "schema=columns(x_age=number(missing=1),x_land=category(most=2),x_text=text(buckets=4),"
    "x_vip=bool)";
const Column kColumns[] = {{"x_id", "number(scale=none)"},
                           {"x_age", "number(missing=1)"},
                           {"x_land", "category(most=2)"},
                           {"x_text", "text(buckets=4)"},
                           {"x_vip", "bool"}};

std::string cells_of(int i) {
  constexpr const char* kLands[] = {"DE", "FR", "IT", "", "NA"};
  constexpr const char* kTexts[] = {"\"red, shoes\"", "Blue", ""};
  const std::string age = i % 7 == 3 ? (i % 2 == 0 ? "NA" : "") : fmt::format("{}", 20 + i % 13);
  constexpr const char* kVips[] = {"true", "0", "", "No"};
  return fmt::format("{},{},{},{},{}", i, age, kLands[i % 5], kTexts[i % 3], kVips[i % 4]);
}

std::vector<Cell> row_of(int i) {
  constexpr const char* kLands[] = {"DE", "FR", "IT", "", "NA"};
  constexpr const char* kTexts[] = {"red, shoes", "Blue", ""};
  const Cell vips[] = {Cell::of(true), Cell::of(false), Cell::missing(), Cell::of(false)};
  return {Cell::of(static_cast<double>(i)), i % 7 == 3 ? Cell::missing() : Cell::of(20.0 + i % 13),
          Cell::of(kLands[i % 5]), Cell::of(kTexts[i % 3]), vips[i % 4]};
}

std::string text_of(int rows) {
  std::string text = "r0,r1,x_id,x_age,x_land,x_text,x_vip\n";
  for (int i = 0; i < rows; ++i) text += fmt::format("{},{},{}\n", i % 2, 1 - i % 2, cells_of(i));
  return text;
}

std::unique_ptr<World> table_of(const TempFile& file, std::string_view keys,
                                std::int64_t rounds = 0) {
  const std::string spec = fmt::format("table(file=\"{}\",{})", file.path(), keys);
  return make_world(std::string_view(spec), 1, rounds).value();
}

std::string refused(std::string_view text, std::string_view keys) {
  const TempFile file(text);
  try {
    table_of(file, keys);
    return "accepted";
  } catch (const Failure& failure) {
    std::string message = failure.what();
    const auto at = message.find(file.path());
    return at == std::string::npos ? message : message.replace(at, file.path().size(), "FILE");
  }
}

TEST(TableSchema, RowsAreEncodedInTheOrderOfTheRounds) {
  constexpr int kRows = 60;
  const TempFile file(text_of(kRows));
  for (const char* order : {"file", "shuffled"}) {
    const auto world =
        table_of(file, fmt::format("{},order={},repeat=1", kTableSchemaKinds, order));
    Schema schema = Schema::make(kColumns).value();
    ASSERT_EQ(world->shape().context, schema.size());
    std::vector<double> expected(static_cast<std::size_t>(schema.size()));
    Outcome outcome;
    for (int t = 0; t < 2 * kRows; ++t) {
      const Round& round = world->next();
      const int id = static_cast<int>(round.context[0]);
      schema.take(row_of(id), expected).check();
      ASSERT_EQ(std::vector<double>(round.context.begin(), round.context.end()), expected) << t;
      world->outcome(1, outcome);
      EXPECT_EQ(outcome.reward, 1 - id % 2);
    }
  }
}

TEST(TableSchema, NoRoundAllocates) {
  const TempFile file(text_of(60));
  for (const char* order : {"file", "shuffled"}) {
    const auto world = table_of(file, fmt::format("{},order={}", kTableSchemaKinds, order));
    const long before = allocations;
    for (int t = 0; t < 60; ++t) world->next();
    EXPECT_EQ(allocations, before) << order;
  }
}

TEST(TableSchema, CellsOfTheWrongKindAreRefusedByLineAndColumn) {
  EXPECT_EQ(refused("x_a,r0\n1,0\nfoo,0\n", "schema=columns(x_a=number)"),
            "table FILE, line 3, column \"x_a\": found \"foo\"; accepted: a finite number or an "
            "empty cell");
  EXPECT_EQ(
      refused("x_a,r0\nmaybe,0\n", "schema=columns(x_a=bool)"),
      "table FILE, line 2, column \"x_a\": found \"maybe\"; accepted: true, false, 1, 0 or an "
      "empty cell");
  EXPECT_EQ(refused("x_a,x_b,r0\n1,,0\n", "schema=columns(x_a=number)"),
            "table FILE, line 2, column \"x_b\": found an empty cell; accepted: a finite number");
}

TEST(TableSchema, TheKeyNamesColumnsOfTheContext) {
  const char* text = "x_a,b,r0\n1,2,0\n";
  EXPECT_EQ(refused(text, "schema=columns(x_c=bool)"),
            "table FILE, line 1: no column \"x_c\" for the schema; found: x_a, b, r0");
  EXPECT_EQ(refused(text, "schema=columns(b=number)"),
            "table FILE, line 1: key \"schema\" names column \"b\", which is not in the context; "
            "accepted: columns that key \"context\" names");
  EXPECT_NE(refused(text, "schema=columns(x_a=numbr)").find("unknown kind \"numbr\""),
            std::string::npos);
  EXPECT_NE(refused(text, "schema=[x_a]").find("accepted: columns(NAME=KIND,...)"),
            std::string::npos);
  EXPECT_NE(refused(text, "schema=columns(x_a=3)").find("accepted: columns(NAME=KIND,...)"),
            std::string::npos);
}

}  // namespace
}  // namespace rein
