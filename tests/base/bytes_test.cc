#include "rein/bytes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "property.h"

namespace rein {
namespace {

std::string a_record() {
  ByteWriter out;
  out.tag("record");
  out.u64(7);
  out.i64(-3);
  out.f64(0.1);
  out.f64s(std::vector<double>{1.0, 2.0, 3.0});
  out.text("words");
  return out.bytes();
}

// Reads a record, and says how that went.
Result<> read_record(std::string_view bytes) {
  ByteReader in(bytes);
  in.tag("record");
  in.u64();
  in.i64();
  in.f64();
  double three[3];
  in.f64s(three);
  in.text();
  return in.finish();
}

TEST(Bytes, WhatWasWrittenIsRead) {
  const std::string bytes = a_record();
  ByteReader in(bytes);
  in.tag("record");
  EXPECT_EQ(in.u64(), 7U);
  EXPECT_EQ(in.i64(), -3);
  EXPECT_EQ(in.f64(), 0.1);
  double three[3];
  in.f64s(three);
  EXPECT_EQ(three[2], 3.0);
  EXPECT_EQ(in.text(), "words");
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.finish().ok());
}

TEST(Bytes, EveryBitOfADoubleComesBack) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint64_t>& bits) {
    ByteWriter out;
    for (std::uint64_t x : bits) out.f64(std::bit_cast<double>(x));
    ByteReader in(out.bytes());
    for (std::uint64_t x : bits) RC_ASSERT(std::bit_cast<std::uint64_t>(in.f64()) == x);
    RC_ASSERT(in.finish().ok());
  }));
  ByteWriter out;
  out.f64(-0.0);
  out.f64(std::numeric_limits<double>::quiet_NaN());
  ByteReader in(out.bytes());
  EXPECT_TRUE(std::signbit(in.f64()));
  EXPECT_TRUE(std::isnan(in.f64()));
}

TEST(Bytes, LiesInMemoryOrderSmallEndFirst) {
  ByteWriter out;
  out.u64(0x0102030405060708ULL);
  EXPECT_EQ(out.bytes(), std::string("\x08\x07\x06\x05\x04\x03\x02\x01", 8));
}

TEST(Bytes, EveryTruncationIsRefused) {
  const std::string bytes = a_record();
  ASSERT_TRUE(read_record(bytes).ok());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = read_record(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.error(), "saved state ends too early") << size;
  }
}

TEST(Bytes, TrailingBytesAreRefused) {
  EXPECT_EQ(read_record(a_record() + "xyz").error(), "saved state has 3 bytes too many");
}

TEST(Bytes, ForeignRecordsAreRefusedByName) {
  ByteWriter out;
  out.tag("other");
  EXPECT_EQ(read_record(out.bytes()).error(), "saved state is of \"other\", expected \"record\"");
  EXPECT_EQ(read_record("just some text that is no record at all").error(),
            "saved state ends too early");
}

TEST(Bytes, AnUnexpectedCountIsRefused) {
  ByteWriter out;
  out.i64(5);
  ByteReader in(out.bytes());
  in.expect("features", in.i64(), 4);
  EXPECT_EQ(in.status().error(), "saved state has features = 5, expected 4");
}

TEST(Bytes, TheFirstFailureIsKeptAndTheRestReadsAsZeros) {
  ByteWriter out;
  out.i64(5);
  out.i64(6);
  ByteReader in(out.bytes());
  in.expect("features", in.i64(), 4);
  EXPECT_EQ(in.i64(), 0);
  double two[2] = {1.0, 1.0};
  in.f64s(two);
  EXPECT_EQ(two[0], 0.0);
  EXPECT_EQ(two[1], 0.0);
  EXPECT_EQ(in.text(), "");
  in.tag("never");
  EXPECT_EQ(in.finish().error(), "saved state has features = 5, expected 4");
}

TEST(Bytes, AHugeLengthAllocatesNothing) {
  ByteWriter out;
  out.u64(~std::uint64_t{0});
  ByteReader in(out.bytes());
  EXPECT_EQ(in.text(), "");
  EXPECT_EQ(in.status().error(), "saved state ends too early");
}

TEST(Bytes, RandomBytesNeverThrow) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) { (void)read_record(bytes).ok(); }));
}

}  // namespace
}  // namespace rein
