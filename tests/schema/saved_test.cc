// A schema comes back from its bytes; a log moves its statistics without rows.
#include <gtest/gtest.h>

#include "schema/rows.h"

namespace rein {
namespace {

const Cell kRow[] = {Cell::of(31.5), Cell::of("DE"), Cell::of("red shoes"), Cell::of(true)};
const Cell kOther[] = {Cell::of(40.0), Cell::of("FR"), Cell::missing(), Cell::missing()};
const Cell kThird[] = {Cell::missing(), Cell::of("IT"), Cell::missing(), Cell::of(false)};

Schema used() {
  Schema schema = every_kind();
  for (const auto* row : {kRow, kOther, kThird}) schema.observe(std::span(row, 4)).check();
  return schema;
}

TEST(SavedSchema, GoesOnWhereItWas) {
  Schema schema = used();
  Schema again = Schema::restore(schema.snapshot()).value();
  EXPECT_EQ(again.columns(), schema.columns());
  EXPECT_EQ(again.names(), schema.names());
  EXPECT_EQ(encoded(again, kRow), encoded(schema, kRow));
  again.observe(kRow).check();
  schema.observe(kRow).check();
  EXPECT_EQ(again.snapshot(), schema.snapshot());
}

TEST(SavedSchema, OptionsAreSaved) {
  for (const bool extra : {false, true}) {
    for (const bool absent : {false, true}) {
      const SchemaOptions options{.ignore_extra = extra, .absent_missing = absent};
      const Schema schema = schema_of({{"a", "number"}}, options);
      EXPECT_EQ(Schema::restore(schema.snapshot()).value().options(), options);
    }
  }
}

TEST(SavedSchema, ACopyGoesItsOwnWay) {
  const Schema schema = used();
  Schema copy = schema;
  EXPECT_EQ(copy.snapshot(), schema.snapshot());
  copy.observe(kRow).check();
  EXPECT_NE(copy.snapshot(), schema.snapshot());
}

TEST(SavedSchema, IsAPartOfOtherState) {
  ByteWriter out;
  out.tag("agent");
  used().save(out);
  out.i64(7);
  ByteReader in(out.bytes());
  in.tag("agent");
  Schema schema = schema_of({{"other", "bool"}});
  schema.load(in).check();
  EXPECT_EQ(in.i64(), 7);
  EXPECT_EQ(schema.snapshot(), used().snapshot());
}

TEST(SavedSchema, ChangedOrCutBytesAreRefused) {
  const std::string bytes = used().snapshot();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto restored = Schema::restore(changed);
    ASSERT_FALSE(restored.ok()) << i;
    EXPECT_EQ(restored.reason(), Reason::kCorrupt);
    ASSERT_FALSE(Schema::restore(std::string_view(bytes).substr(0, i)).ok()) << i;
  }
  Schema schema = schema_of({{"other", "bool"}});
  const std::string before = schema.snapshot();
  ByteReader in(std::string_view(bytes).substr(0, bytes.size() - 20));
  EXPECT_FALSE(schema.load(in));
  EXPECT_EQ(schema.snapshot(), before);
}

TEST(SavedSchema, ALogMovesStatisticsWithoutRows) {
  Schema live = every_kind();
  Schema replica = every_kind();
  for (const auto* row : {kRow, kOther, kThird, kRow}) {
    ByteWriter log;
    live.write_change(std::span(row, 4), log);
    live.observe(std::span(row, 4)).check();
    ByteReader in(log.bytes());
    replica.fold(in).check();
    EXPECT_TRUE(in.finish());
    EXPECT_EQ(replica.snapshot(), live.snapshot());
  }
}

TEST(SavedSchema, AWrongChangeChangesNothing) {
  Schema schema = every_kind();
  schema.observe(kRow).check();
  const std::string before = schema.snapshot();
  for (const auto& [number, category] : {std::pair(1e60, ""), {1.0, "DE"}}) {
    ByteWriter log;
    log.f64(number);
    log.text(category);
    ByteReader in(log.bytes());
    EXPECT_FALSE(schema.fold(in));
    EXPECT_EQ(schema.snapshot(), before);
  }
}

}  // namespace
}  // namespace rein
