// Many rows at once give what one call per row gives, to the bit.
#include <gtest/gtest.h>

#include "rein/rng.h"
#include "schema/rows.h"

namespace rein {
namespace {

constexpr std::size_t kRows = 300;

// Columns for every_kind(), in every form that values may have.
struct Values {
  Numbers ages, members;
  std::vector<std::string_view> words = {"DE", "FR", "IT", "ES", ""};
  std::vector<std::int32_t> codes;
  std::vector<Cell> queries;

  Values() {
    Rng rng(3);
    for (std::size_t i = 0; i < kRows; ++i) {
      ages.push_back(rng.below(10) == 0 ? NAN : 20.0 + 50.0 * rng.uniform());
      members.push_back(rng.below(10) == 0 ? NAN : static_cast<double>(rng.below(2)));
      codes.push_back(static_cast<std::int32_t>(rng.below(6)) - 1);
      constexpr const char* kQueries[] = {"red shoes", "Blue", "", "a b c a"};
      queries.push_back(Cell::of(kQueries[rng.below(4)]));
    }
  }
  std::vector<ColumnValues> columns() const {
    return {{.numbers = ages},
            {.codes = codes, .words = words},
            {.cells = queries},
            {.numbers = members, .booleans = true}};
  }
  std::vector<Cell> row(std::size_t i) const {
    std::vector<Cell> cells;
    for (const ColumnValues& column : columns()) cells.push_back(column.at(i));
    return cells;
  }
};

TEST(SchemaBatch, TakingAllRowsIsTakingThemOneByOne) {
  const Values values;
  Schema batch = every_kind();
  Schema single = every_kind();
  Numbers all(kRows * static_cast<std::size_t>(batch.size()));
  batch.take(values.columns(), all).check();
  Numbers each;
  for (std::size_t i = 0; i < kRows; ++i) {
    Numbers one(static_cast<std::size_t>(single.size()));
    single.take(values.row(i), one).check();
    each.insert(each.end(), one.begin(), one.end());
  }
  EXPECT_EQ(all, each);
  EXPECT_EQ(batch.snapshot(), single.snapshot());
}

TEST(SchemaBatch, EncodingAllRowsUsesTheStatisticsOfNow) {
  const Values values;
  Schema schema = every_kind();
  schema.observe(values.columns()).check();
  const std::string before = schema.snapshot();
  Numbers all(kRows * static_cast<std::size_t>(schema.size()));
  schema.encode(values.columns(), all).check();
  EXPECT_EQ(schema.snapshot(), before);
  const Numbers last = encoded(schema, values.row(kRows - 1));
  EXPECT_TRUE(std::equal(last.rbegin(), last.rend(), all.rbegin()));
  Schema single = every_kind();
  for (std::size_t i = 0; i < kRows; ++i) single.observe(values.row(i)).check();
  EXPECT_EQ(single.snapshot(), before);
}

TEST(SchemaBatch, AWrongRowIsNamedAndNothingChanges) {
  Schema schema = schema_of({{"a", "number"}, {"b", "bool"}});
  const Numbers a = {1.0, 2.0, 3.0};
  const Numbers b = {0.0, 1.0, 5.0};
  const std::string before = schema.snapshot();
  const ColumnValues columns[] = {{.numbers = a}, {.numbers = b}};
  EXPECT_EQ(schema.observe(columns).error(),
            "row 2: schema: column \"b\": found 5; accepted: true, false, 1, 0 or a missing value");
  const ColumnValues uneven[] = {{.numbers = a}, {.numbers = std::span(b).first(2)}};
  EXPECT_EQ(schema.observe(uneven).error(), "schema: column \"b\" has 2 rows; the first one has 3");
  const std::vector<std::string_view> words = {"x"};
  const std::vector<std::int32_t> codes = {0, 1, 0};
  const ColumnValues coded[] = {{.codes = codes, .words = words}, {.numbers = a}};
  EXPECT_EQ(schema.observe(coded).error(), "schema: column \"a\" has code 1; accepted: -1 to 0");
  EXPECT_EQ(schema.snapshot(), before);
}

TEST(SchemaBatch, NoRowsAreFine) {
  Schema schema = every_kind();
  const std::vector<ColumnValues> none(4);
  EXPECT_TRUE(schema.take(none, {}));
}

}  // namespace
}  // namespace rein
