// infer_column: the kind that fits values. parse_cell: cells of files.
#include <gtest/gtest.h>

#include <deque>

#include "schema/rows.h"

namespace rein {
namespace {

std::string kind_of(const ColumnValues& values) { return infer_column("x", values).kind; }

TEST(InferColumn, NumbersAndBooleansStayWhatTheyAre) {
  const Numbers numbers = {1.0, 0.0};
  const Numbers holes = {1.0, NAN};
  EXPECT_EQ(kind_of({.numbers = numbers}), "number");
  EXPECT_EQ(kind_of({.numbers = numbers, .booleans = true}), "bool");
  EXPECT_EQ(kind_of({.numbers = holes}), "number(missing=1)");
  EXPECT_EQ(kind_of({.numbers = holes, .booleans = true}), "bool(missing=1)");
  EXPECT_EQ(kind_of({}), "number");
}

TEST(InferColumn, FewTextsAreNamedCategories) {
  const std::vector<Cell> cells = {Cell::of("b"), Cell::of("a"), Cell::of("b"), Cell::missing()};
  EXPECT_EQ(kind_of({.cells = cells}), "category(missing=1,of=[\"a\",\"b\"])");
  const std::vector<std::string_view> words = {"z", "a"};
  const std::vector<std::int32_t> codes = {0, 0};
  EXPECT_EQ(kind_of({.codes = codes, .words = words}), "category(of=[\"a\",\"z\"])");
}

TEST(InferColumn, ManyTextsAreTextIfTheyHaveWords) {
  std::deque<std::string> texts;
  std::vector<Cell> queries;
  std::vector<Cell> ids;
  for (int i = 0; i < 50; ++i) {
    queries.push_back(Cell::of(texts.emplace_back("buy item " + std::to_string(i))));
    ids.push_back(Cell::of(texts.emplace_back("id" + std::to_string(i))));
  }
  ids.push_back(ids.back());
  EXPECT_EQ(kind_of({.cells = queries}), "text");
  const std::string kind = kind_of({.cells = ids});
  EXPECT_TRUE(kind.starts_with("category(buckets=8,of=[")) << kind;
  EXPECT_NE(kind.find("\"id49\""), std::string::npos);  // the most frequent one
  EXPECT_EQ(schema_of({{"x", kind}}).size(), 40);
}

TEST(ParseCell, ReadsWhatPeopleWrite) {
  const auto read = [](ColumnKind kind, std::string_view text) -> std::string {
    Cell cell;
    if (!parse_cell(kind, text, cell)) return "refused";
    if (cell.kind == Cell::Kind::kNone) return "missing";
    if (cell.kind == Cell::Kind::kText) return std::string(cell.text);
    return std::to_string(cell.number);
  };
  using enum ColumnKind;
  EXPECT_EQ(read(kNumber, " +1.5 "), "1.500000");
  EXPECT_EQ(read(kNumber, "1.5x"), "refused");
  EXPECT_EQ(read(kNumber, "+-1"), "refused");
  EXPECT_EQ(read(kNumber, "inf"), "refused");
  for (const char* text : {"", " ", "NA", "n/a", "NaN", "NULL", "None"}) {
    EXPECT_EQ(read(kNumber, text), "missing") << text;
    EXPECT_EQ(read(kBool, text), "missing") << text;
  }
  for (const char* text : {"1", "true", "True", "YES"}) EXPECT_EQ(read(kBool, text), "1.000000");
  for (const char* text : {"0", "false", "FALSE", "no"}) EXPECT_EQ(read(kBool, text), "0.000000");
  EXPECT_EQ(read(kBool, "2"), "refused");
  EXPECT_EQ(read(kCategory, "NA"), "NA");  // Namibia
  EXPECT_EQ(read(kCategory, ""), "missing");
  EXPECT_EQ(read(kCategory, " DE"), " DE");  // text is never changed
  EXPECT_EQ(read(kText, " a b "), " a b ");
}

}  // namespace
}  // namespace rein
