// The archive of a journal: what was packed is read, whatever was changed is refused, and at any moment
// of a move every entry is in the journal or in the archive.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "journal/archive.h"
#include "journal/archived_journal.h"
#include "journal/calls_model.h"
#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"
#include "rein/rng.h"

namespace rein {
namespace {

ArchivePacker packed_entries(std::int64_t first, std::int64_t last) {
  std::uint64_t before = kChainStart;
  for (std::int64_t number = 1; number < first; ++number) before = chained(before, number, entry_bytes(number));
  ArchivePacker packer(first, before);
  for (std::int64_t number = first; number <= last; ++number) packer.add(entry_bytes(number));
  return packer;
}

// What a file gives, with every entry checked.
struct FileReading {
  std::int64_t entries = 0;
  bool exact = true;
  Result<bool> result = true;
};
FileReading read_archive_bytes(const std::string& path, std::int64_t first, std::int64_t last) {
  FileReading reading;
  const auto file = ArchiveFile::open(path);
  if (!file) {
    reading.result = file.failure();
    return reading;
  }
  if (file.value().head().first != first || file.value().head().last != last) {
    reading.result = Error{"another head", Reason::kCorrupt};
    return reading;
  }
  std::uint64_t chain = 0;
  reading.result =
      file.value().read(first, last, nullptr, chain, [&](std::int64_t number, std::string_view bytes) {
        reading.exact = reading.exact && bytes == entry_bytes(number) && number == first + reading.entries;
        ++reading.entries;
        return Result<bool>(true);
      });
  return reading;
}

// Moves the entries before `number` as the service does: first the file, then the drop.
Result<> move_before(ArchivedJournal& journal, std::int64_t number) {
  if (number <= journal.first_kept()) return {};
  ArchivePacker packer(journal.first_kept(), journal.chain_at(journal.first_kept() - 1).value());
  auto read = journal.read(journal.first_kept(), [&](std::int64_t at, std::string_view bytes) -> Result<bool> {
    if (at >= number) return false;
    packer.add(bytes);
    return true;
  });
  if (!read) return read;
  auto span = Archive::write(journal.archive().folder(), std::move(packer));
  if (!span) return span.failure();
  journal.archive().note(span.value());
  return journal.drop_before(number);
}

std::unique_ptr<ArchivedJournal> opened_with_archive(const Folder& folder) {
  auto journal = open_sqlite_journal(folder.at("journal"), {.page_bytes = 1024, .checkpoint_pages = 16});
  EXPECT_TRUE(journal.ok()) << journal.error();
  return ArchivedJournal::open(std::move(journal).value(), folder.at("archive")).value();
}

void expect_all(const Journal& journal, std::int64_t last) {
  EXPECT_EQ(journal.first(), 1);
  EXPECT_EQ(journal.last(), last);
  const Reading reading = reading_of(journal, 1);
  EXPECT_TRUE(reading.result.ok()) << reading.result.error();
  EXPECT_TRUE(reading.exact);
  EXPECT_EQ(reading.last, last);
}

TEST(ArchiveTest, EveryEntryOfAFileIsReadFromAnyPlace) {
  const Folder folder("archive_places");
  const ArchiveSpan span = Archive::write(folder.path(), packed_entries(100, 2000)).value();  // several blocks
  const Archive archive = Archive::open(folder.path()).value();
  EXPECT_EQ(archive.first_up_to(2000), 100);
  EXPECT_EQ(archive.first_up_to(2001), 2002);
  EXPECT_EQ(archive.file_bytes(), span.file_bytes);
  for (std::int64_t from = 100; from <= 2000; from += 95) {
    std::int64_t next = from;
    std::uint64_t chain = 0;
    const auto read = archive.read(from, 2000, chain, [&](std::int64_t number, std::string_view bytes) {
      EXPECT_EQ(number, next++);
      EXPECT_EQ(bytes, entry_bytes(number));
      return Result<bool>(true);
    });
    EXPECT_TRUE(read.ok()) << read.error();
    EXPECT_EQ(next, 2001);
    EXPECT_EQ(chain, packed_entries(100, 2000).head().chain);
  }
}

TEST(ArchiveTest, EveryChangedByteIsFound) {
  const Folder folder("archive_bytes", true);
  std::string file = packed_entries(7, 30).finish();
  const std::string path = folder.at("file");
  put_bytes(path, file);
  const FileReading whole = read_archive_bytes(path, 7, 30);
  ASSERT_TRUE(whole.result.ok() && whole.exact) << whole.result.error();
  ASSERT_EQ(whole.entries, 24);
  for (std::size_t i = 0; i < file.size(); ++i) {
    file[i] = static_cast<char>(file[i] ^ 0x10);
    put_bytes(path, file);
    const FileReading changed = read_archive_bytes(path, 7, 30);
    EXPECT_FALSE(changed.result.ok()) << "byte " << i;
    EXPECT_TRUE(changed.exact) << "byte " << i;
    file[i] = static_cast<char>(file[i] ^ 0x10);
  }
}

TEST(ArchiveTest, EveryLengthButTheRightOneIsRefused) {
  const Folder folder("archive_lengths", true);
  const std::string file = packed_entries(7, 30).finish();
  const std::string path = folder.at("file");
  for (std::size_t length = 0; length < file.size(); ++length) {
    put_bytes(path, std::string_view(file).substr(0, length));
    EXPECT_FALSE(read_archive_bytes(path, 7, 30).result.ok()) << length;
  }
  put_bytes(path, file + "x");
  EXPECT_FALSE(read_archive_bytes(path, 7, 30).result.ok());
}

TEST(ArchiveTest, ANewerFormatIsNotCalledDamage) {
  const Folder folder("archive_newer");
  std::string file = packed_entries(1, 3).finish();
  file[8] = 2;
  put_bytes(folder.at("file"), file);
  const auto opened = ArchiveFile::open(folder.at("file"));
  EXPECT_EQ(opened.reason(), Reason::kFailed);
  EXPECT_NE(opened.error().find("newer program"), std::string::npos) << opened.error();
}

TEST(ArchivedJournalTest, ReadsArchiveAndJournalAsOne) {
  const Folder folder("archived_one");
  auto journal = opened_with_archive(folder);
  for (int i = 0; i < 20; ++i) append_next(*journal, 10).check();
  move_before(*journal, 51).check();
  move_before(*journal, 121).check();
  EXPECT_EQ(journal->first_kept(), 121);
  expect_all(*journal, 200);
  append_next(*journal, 10).check();
  journal.reset();
  auto again = opened_with_archive(folder);
  expect_all(*again, 210);
  std::uint64_t chain = kChainStart;
  for (std::int64_t number = 1; number <= 210; ++number) {
    EXPECT_EQ(again->chain_at(number - 1).value(), chain) << number;
    chain = chained(chain, number, entry_bytes(number));
  }
  EXPECT_EQ(again->chain(), chain);
  EXPECT_EQ(again->drop_before(150).reason(), Reason::kInvalid);  // the archive does not have them
  EXPECT_EQ(again->first_kept(), 121);
}

TEST(ArchivedJournalTest, FilesOfTwoOwnersMayOverlap) {
  const Folder folder("archived_overlap");
  auto journal = opened_with_archive(folder);
  append_next(*journal, 200).check();
  for (const auto& [first, last] : {std::pair{1, 60}, {1, 90}, {41, 120}, {80, 110}}) {
    journal->archive().note(Archive::write(folder.at("archive"), packed_entries(first, last)).value());
  }
  journal->drop_before(121).check();
  expect_all(*journal, 200);
}

TEST(ArchivedJournalTest, WhatIsGoneIsNamed) {
  const Folder folder("archived_gone");
  auto journal = opened_with_archive(folder);
  append_next(*journal, 200).check();
  for (const std::int64_t number : {51, 101, 151}) move_before(*journal, number).check();
  journal.reset();
  std::filesystem::remove(folder.at("archive/entries-000000000051-000000000100.rein"));
  journal = opened_with_archive(folder);
  EXPECT_EQ(journal->first(), 101);  // entries before a gap are history of their own
  EXPECT_EQ(reading_of(*journal, 60).result.reason(), Reason::kInvalid);
  EXPECT_TRUE(reading_of(*journal, 101).exact);
}

TEST(ArchivedJournalTest, AForeignArchiveIsRefused) {
  const Folder folder("archived_foreign");
  auto journal = opened_with_archive(folder);
  append_next(*journal, 100).check();
  move_before(*journal, 51).check();
  journal.reset();
  ArchivePacker other(1, kChainStart);
  for (int i = 0; i < 50; ++i) other.add("something else");
  Archive::write(folder.at("archive"), std::move(other)).value();
  journal = opened_with_archive(folder);
  const Reading reading = reading_of(*journal, 1);
  EXPECT_EQ(reading.result.reason(), Reason::kCorrupt);
  EXPECT_NE(reading.result.error().find("does not continue"), std::string::npos) << reading.result.error();
}

// Files that fail: the move fails, nothing leaves the journal, and the next move succeeds.
TEST(ArchivedJournalTest, AFailedCallMovesNothing) {
  const Folder folder("archived_calls", true);
  std::int64_t calls = 0;  // of a move in which none fails
  for (std::int64_t nth = 0; nth <= calls; ++nth) {
    std::filesystem::remove_all(folder.path());
    std::filesystem::create_directory(folder.path());
    auto journal = opened_with_archive(folder);
    append_next(*journal, 100).check();
    calls::fail(nth, ENOSPC, true);
    const auto moved = move_before(*journal, 61);
    const std::int64_t made = calls::stop();
    if (nth == 0) calls = made;
    EXPECT_TRUE(nth > 0 || moved.ok()) << moved.error();
    EXPECT_EQ(journal->first_kept(), moved ? 61 : 1) << nth;
    expect_all(*journal, 100);
    move_before(*journal, 61).check();
    expect_all(*journal, 100);
    journal.reset();
    expect_all(*opened_with_archive(folder), 100);
  }
  EXPECT_GE(calls, 8);
}

// The process ends before each of its calls that change a file.
TEST(ArchivedJournalTest, AnEndAtAnyCallLosesNothing) {
  const Folder folder("archived_end", true);
  bool done = false;
  std::int64_t nth = 1;
  for (; !done && nth < 100; ++nth) {
    std::filesystem::remove_all(folder.path());
    std::filesystem::create_directory(folder.path());
    opened_with_archive(folder)->append(std::vector<std::string_view>{}).check();
    const int code = in_child([&] {
      auto journal = opened_with_archive(folder);
      append_next(*journal, 100).check();
      calls::end_process(nth);
      for (const std::int64_t number : {31, 61, 91}) move_before(*journal, number).check();
      calls::stop();
      return 0;
    });
    done = code == 0;
    ASSERT_TRUE(done || code == calls::kEnded) << code;
    expect_all(*opened_with_archive(folder), 100);
  }
  EXPECT_GT(nth, 20);
}

// kill -9 at random times, also inside SQLite.
TEST(ArchivedJournalTest, AKillAtAnyTimeLosesNothing) {
  const Folder folder("archived_kill", true);
  Rng rng(5);
  std::int64_t last = 0;
  for (int kills = 0; kills < 40; ++kills) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto journal = opened_with_archive(folder);
      while (append_next(*journal, 7).ok()) {
        const std::int64_t now = journal->last();
        if (::write(told[1], &now, sizeof now) != sizeof now) break;
        if (now % 3 == 0 && now > 60 && !move_before(*journal, now - 40).ok()) break;
      }
      ::_exit(1);
    }
    ::close(told[1]);
    for (std::uint64_t i = 1 + rng.below(20); i > 0; --i) {
      ASSERT_EQ(::read(told[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
    }
    ::usleep(static_cast<useconds_t>(rng.below(400)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(told[0], &last, sizeof last) == static_cast<ssize_t>(sizeof last)) {
    }
    ::close(told[0]);
    const auto journal = opened_with_archive(folder);
    ASSERT_GE(journal->last(), last);
    expect_all(*journal, journal->last());
    if (HasFailure()) return;
  }
  EXPECT_GT(opened_with_archive(folder)->first_kept(), 100);
}

// The file of the journal stays about as large as what is kept, however much goes through it.
TEST(ArchivedJournalTest, TheFileIsBounded) {
  const Folder folder("archived_bound", true);
  auto journal = opened_with_archive(folder);
  std::uintmax_t early = 0, late = 0;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 25; ++i) append_next(*journal, 10).check();
    if (journal->last() > 1000) move_before(*journal, journal->last() - 1000).check();
    const auto bytes = std::filesystem::file_size(folder.at("journal"));
    (round < 10 ? early : late) = std::max(round < 10 ? early : late, bytes);
  }
  EXPECT_LE(late, early + early / 4);
  expect_all(*journal, 10'000);
}

}  // namespace
}  // namespace rein
