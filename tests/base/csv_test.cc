// CsvReader: valid files are read as written, and others are refused with their place.
#include "base/csv.h"

#include <gtest/gtest.h>

#include "property.h"
#include "temp_file.h"

namespace rein {
namespace {

using Record = std::vector<std::string>;

// Every record, or one record with the error, its path replaced by FILE.
std::vector<Record> read_csv(const std::string& path) {
  const auto refused = [&](std::string message) {
    if (const auto at = message.find(path); at != std::string::npos) {
      message.replace(at, path.size(), "FILE");
    }
    return std::vector<Record>{{message}};
  };
  auto opened = CsvReader::open(path);
  if (!opened) return refused(opened.error());
  CsvReader reader = std::move(opened).value();
  std::vector<Record> records;
  for (;;) {
    auto more = reader.next();
    if (!more) return refused(more.error());
    if (!more.value()) return records;
    records.emplace_back(reader.fields().begin(), reader.fields().end());
  }
}

std::vector<Record> read_text(std::string_view text) { return read_csv(TempFile(text).path()); }

TEST(Csv, TakesWhatProgramsWrite) {
  const std::vector<Record> two = {{"a", "b"}, {"1", "2"}};
  EXPECT_EQ(read_text("a,b\n1,2\n"), two);
  EXPECT_EQ(read_text("a,b\n1,2"), two);
  EXPECT_EQ(read_text("a,b\r\n1,2\r\n"), two);
  EXPECT_EQ(read_text("a,b\r1,2\r"), two);
  EXPECT_EQ(read_text("\xEF\xBB\xBF"
                      "a,b\n1,2\n"),
            two);
  EXPECT_EQ(read_text("\"a\",\"b\"\r\n\"1\",2\n"), two);
  EXPECT_EQ(read_text("a,b\n1,2\n\n\r\n\n"), two);
  EXPECT_EQ(read_csv(TempFile(gzipped("a,b\n1,2\n"), ".csv.gz").path()), two);
  EXPECT_EQ(read_csv(TempFile(gzipped("a,b\n1,2\n"), ".csv").path()), two);
  EXPECT_EQ(read_csv(TempFile(gzipped("a,b\n") + gzipped("1,2\n"), ".gz").path()), two);
}

TEST(Csv, QuotesHoldCommasLineEndsAndQuotes) {
  EXPECT_EQ(read_text("\"a,b\",\"c\"\"d\"\n\"1\n2\",\"\"\n,\n"),
            (std::vector<Record>{{"a,b", "c\"d"}, {"1\n2", ""}, {"", ""}}));
  EXPECT_EQ(read_text("a,\n"), (std::vector<Record>{{"a", ""}}));
  EXPECT_EQ(read_text("a,"), (std::vector<Record>{{"a", ""}}));
}

TEST(Csv, LinesAreCountedThroughQuotedOnes) {
  const TempFile file("a\n\"1\n2\r\n3\"\n4\n");
  CsvReader reader = CsvReader::open(file.path()).value();
  std::vector<std::int64_t> lines;
  while (reader.next().value()) lines.push_back(reader.line());
  EXPECT_EQ(lines, (std::vector<std::int64_t>{1, 2, 5}));
}

TEST(Csv, RewindStartsAgain) {
  for (const bool zipped : {false, true}) {
    const std::string text =
        "\xEF\xBB\xBF"
        "a\n1\n";
    const TempFile file(zipped ? gzipped(text) : text);
    CsvReader reader = CsvReader::open(file.path()).value();
    for (int twice = 0; twice < 2; ++twice) {
      ASSERT_TRUE(reader.next().value());
      EXPECT_EQ(reader.fields()[0], "a");
      EXPECT_EQ(reader.line(), 1);
      ASSERT_TRUE(reader.next().value());
      ASSERT_FALSE(reader.next().value());
      reader.rewind().check();
    }
  }
}

TEST(Csv, RefusesWhatIsAmbiguous) {
  const auto refused = [](std::string_view text, std::string_view message) {
    EXPECT_EQ(read_text(text), (std::vector<Record>{{std::string(message)}})) << text;
  };
  refused("", "table FILE: is empty; accepted: a header, then one row per round");
  refused("a,b\n1,2\n\n\n3,4\n",
          "table FILE, line 3: is blank; accepted: blank lines only at the end");
  refused("\na,b\n", "table FILE, line 1: is blank; accepted: blank lines only at the end");
  refused("a\n1\n\"2\n3\n4\n", "table FILE, line 3: a quoted field opens here and never closes");
  refused("a\n1,2\"3\n",
          "table FILE, line 2: field 2 has a quote in its middle; accepted: a field wholly in "
          "quotes, with \"\" for a quote");
  refused("a\n\"1\"2\n",
          "table FILE, line 2: field 1 has a quote in its middle; accepted: a field wholly in "
          "quotes, with \"\" for a quote");
  refused(std::string_view("\xFF\xFE"
                           "a\0,\0",
                           6),
          "table FILE: is UTF-16; accepted: UTF-8");
}

TEST(Csv, RefusesFilesThatAreNone) {
  EXPECT_EQ(CsvReader::open("/nowhere/at/all.csv").error(),
            "table /nowhere/at/all.csv: cannot be opened: No such file or directory");
  EXPECT_EQ(CsvReader::open("/").error(),
            "table /: is not a regular file; accepted: a CSV file, plain or gzip");
  EXPECT_EQ(CsvReader::open("/dev/null").error(),
            "table /dev/null: is not a regular file; accepted: a CSV file, plain or gzip");
}

TEST(Csv, RefusesGzipThatIsNotOrIsBroken) {
  const auto refused = [](std::string_view text) {
    return read_csv(TempFile(text, ".csv.gz").path()).at(0).at(0);
  };
  EXPECT_EQ(refused("a,b\n1,2\n"),
            "table FILE: is not gzip, though its name ends in .gz; accepted: gzip, or plain CSV "
            "under another name");
  const std::string whole = gzipped("a,b\n1,2\n");
  EXPECT_EQ(refused(whole.substr(0, whole.size() - 6)),
            "table FILE, line 3: the gzip data is cut off (byte 22 of the file)");
  std::string flipped = whole;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);  // the checksum
  EXPECT_EQ(refused(flipped),
            "table FILE, line 3: the gzip data is damaged: incorrect data check (byte 24 of the "
            "file)");
}

// A changed byte of a second member, above all its first ones, must not make its rows disappear.
TEST(Csv, NothingButGzipFollowsAMember) {
  const std::string first = gzipped("a,b\n1,2\n"), second = gzipped("3,4\n");
  const std::vector<Record> whole = {{"a", "b"}, {"1", "2"}, {"3", "4"}};
  EXPECT_EQ(read_csv(TempFile(first + second, ".gz").path()), whole);
  EXPECT_EQ(read_csv(TempFile(first + second + std::string(1000, '\0'), ".gz").path()), whole);
  for (std::size_t i = 0; i < second.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = second;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const auto read = read_csv(TempFile(first + damaged, ".gz").path());
      // The time, the flags and the padding have no meaning; the first two bytes are essential.
      const bool refused = read.size() == 1 && read[0][0].starts_with("table FILE, line ");
      ASSERT_TRUE(refused || (i >= 2 && read == whole)) << i;
    }
  }
  for (const char* after : {"x", "\x1F", "more text, and more", "3,4\n"}) {
    EXPECT_EQ(read_csv(TempFile(first + after, ".gz").path()).at(0).at(0),
              fmt::format("table FILE, line 3: what follows the gzip data is not gzip; accepted: "
                          "another gzip member (byte {} of the file)",
                          first.size()));
  }
}

// Buffers may end anywhere: in a header, between members, inside a member.
TEST(Csv, ManyMembersOfAnySize) {
  std::string zipped = gzipped("a,b\n");
  std::vector<Record> expected = {{"a", "b"}};
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int row = 0; row < i % 7; ++row) {
      expected.push_back({fmt::format("{}", i * 7919), fmt::format("{}", row)});
      text += fmt::format("{},{}\n", i * 7919, row);
    }
    zipped += gzipped(text);
  }
  EXPECT_GT(zipped.size(), std::size_t{1} << 16);
  EXPECT_EQ(read_csv(TempFile(zipped, ".gz").path()), expected);
}

// A truncated gzip file gives an error or nothing, and is never taken for a complete file.
TEST(Csv, CutGzipIsNeverTakenForWhole) {
  std::string text = "a,b\n";
  for (int i = 0; i < 300; ++i) text += fmt::format("{},{}\n", i * i, i);
  const std::string whole = gzipped(text);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = read_csv(TempFile(whole.substr(0, size), ".csv.gz").path());
    ASSERT_EQ(read.size(), 1U) << size;
    ASSERT_TRUE(read[0][0].starts_with("table FILE")) << read[0][0];
  }
}

TEST(Csv, RefusesARecordWithoutEnd) {
  const std::string endless(kMaxRecordBytes + 100'000, 'x');
  for (const char* start : {"a\n", "a\n\""}) {
    EXPECT_EQ(read_csv(TempFile(gzipped(start + endless)).path()).at(0).at(0),
              "table FILE, line 2: is too long; accepted: at most 16777216 bytes");
  }
}

TEST(Csv, WhatIsWrittenInQuotesComesBack) {
  EXPECT_TRUE(rc::check("any bytes in quotes", [](const std::vector<Record>& records) {
    std::string text;
    std::vector<Record> expected;
    for (const Record& record : records) {
      if (record.empty() || (record.size() == 1 && record[0].empty())) continue;  // blank
      for (std::size_t i = 0; i < record.size(); ++i) {
        text += i == 0 ? "\"" : ",\"";
        for (const char c : record[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
        text += '"';
      }
      text += *rc::gen::element<std::string>("\n", "\r\n", "\r");
      expected.push_back(record);
    }
    RC_PRE(!expected.empty());
    RC_ASSERT(read_text(text) == expected);
    RC_ASSERT(read_csv(TempFile(gzipped(text), ".gz").path()) == expected);
  }));
}

// For any bytes, reading ends with an error or with records.
TEST(Csv, AnyBytesAreReadOrRefused) {
  EXPECT_TRUE(rc::check("any bytes", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('a', '1', ',', '"', '\n', '\r', '\0', ' ', '\xEF', '\x1F', '\x8B'));
    const auto read = read_text(text);
    RC_ASSERT(read.size() <= text.size() + 1);
  }));
}

}  // namespace
}  // namespace rein
