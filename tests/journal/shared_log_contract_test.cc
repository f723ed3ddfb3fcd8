// Every SharedLog keeps what its interface promises.
#include <fmt/format.h>

#include <thread>

#include "journal/archived_journal.h"
#include "journal/entry_size.h"
#include "journal/memory_log.h"
#include "journal/shared_log_contract.h"

namespace rein {
namespace {

using std::chrono::milliseconds;

TEST_P(SharedLogContract, AModelThatNobodyMadeIsUnknown) {
  EXPECT_EQ(log_->head("m").reason(), Reason::kUnknown);
  EXPECT_EQ(log_->claim("m", "a", false).reason(), Reason::kUnknown);
  EXPECT_EQ(log_->read("m", 1, 100).reason(), Reason::kUnknown);
  EXPECT_EQ(LogJournal::follow(log_, "m").reason(), Reason::kUnknown);
}

TEST_P(SharedLogContract, EntriesComeBackInOrderToEveryReader) {
  const auto journal = claim(log_, "a");
  for (int group = 1; group <= 9; ++group) append_next(*journal, group).check();
  EXPECT_EQ(journal->last(), 45);
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 45);
  EXPECT_EQ(other_->head("m").value().chain, journal->chain());
  const auto again = LogJournal::follow(other_, "m").value();
  for (std::int64_t number = 0; number <= 45; ++number) {
    EXPECT_EQ(again->chain_at(number).value(), journal->chain_at(number).value());
  }
  EXPECT_FALSE(again->append({}).ok());
}

TEST_P(SharedLogContract, AFollowerReadsOnWhereItWas) {
  const auto owner = claim(log_, "a");
  const auto follower = LogJournal::follow(other_, "m").value();
  std::int64_t last = 0;
  for (int group = 1; group <= 20; ++group) {
    append_next(*owner, group).check();
    while (follower->last() < owner->last()) {
      follower
          ->read_new(300,
                     [&](std::int64_t number, std::string_view bytes) -> Result<bool> {
                       EXPECT_EQ(number, ++last);
                       EXPECT_EQ(bytes, entry_bytes(number));
                       return true;
                     })
          .check();
    }
    EXPECT_EQ(follower->chain(), owner->chain());
  }
}

TEST_P(SharedLogContract, AnEarlierOwnerAppendsNothing) {
  const auto first = claim(log_, "a");
  append_next(*first, 3).check();
  const auto second = claim(other_, "b");
  EXPECT_GT(second->epoch(), first->epoch());
  EXPECT_EQ(append_next(*first, 2).reason(), Reason::kFenced);
  EXPECT_EQ(first->drop_before(2).reason(), Reason::kFenced);
  EXPECT_EQ(log_->head("m").value().last, 3);
  append_next(*second, 2).check();
  EXPECT_EQ(append_next(*first, 2).reason(), Reason::kFenced);
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 5);
  EXPECT_EQ(log_->head("m").value().owner, "b");
}

// A group is as a zombie would send it: with the right end, and an epoch that is over; or the reverse.
TEST_P(SharedLogContract, EpochAndPlaceMustBothBeRight) {
  const std::string bytes = entry_bytes(1);
  const std::vector<std::string_view> entries{bytes};
  const LogHead old = log_->claim("m", "a", true).value();
  const LogHead head = log_->claim("m", "b", true).value();
  EXPECT_EQ(log_->append("m", {.epoch = old.epoch, .last = 0, .chain = head.chain, .entries = entries}).reason(),
            Reason::kFenced);
  EXPECT_EQ(log_->append("m", {.epoch = head.epoch, .last = 1, .chain = head.chain, .entries = entries}).reason(),
            Reason::kFenced);
  EXPECT_EQ(
      log_->append("m", {.epoch = head.epoch, .last = 0, .chain = head.chain + 1, .entries = entries}).reason(),
      Reason::kFenced);
  EXPECT_EQ(
      log_->append("m", {.epoch = head.epoch + 1, .last = 0, .chain = head.chain, .entries = entries}).reason(),
      Reason::kFenced);
  EXPECT_EQ(log_->head("m").value().last, 0);
  log_->append("m", {.epoch = head.epoch, .last = 0, .chain = head.chain, .entries = entries}).check();
}

TEST_P(SharedLogContract, AGroupThatIsSentAgainIsThereOnce) {
  const LogHead head = log_->claim("m", "a", true).value();
  const std::vector<std::string> owned{entry_bytes(1), entry_bytes(2), entry_bytes(3)};
  const std::vector<std::string_view> entries(owned.begin(), owned.end());
  const LogGroup group{.epoch = head.epoch, .last = 0, .chain = head.chain, .entries = entries};
  log_->append("m", group).check();
  other_->append("m", group).check();
  EXPECT_EQ(log_->head("m").value().last, 3);
  // Also after its owner has lost the model: it was committed.
  const auto next = claim(other_, "b");
  append_next(*next, 4).check();
  log_->append("m", group).check();
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 7);
}

// Two owners may make equal entries for different callers. Only one of the two may answer.
TEST_P(SharedLogContract, EqualBytesOfAnotherOwnerAreAnotherGroup) {
  const std::string bytes = entry_bytes(1);
  const std::vector<std::string_view> entries{bytes};
  const LogHead first = log_->claim("m", "a", true).value();
  const LogHead second = log_->claim("m", "b", true).value();
  log_->append("m", {.epoch = second.epoch, .last = 0, .chain = second.chain, .entries = entries}).check();
  EXPECT_EQ(
      log_->append("m", {.epoch = first.epoch, .last = 0, .chain = first.chain, .entries = entries}).reason(),
      Reason::kFenced);
}

TEST_P(SharedLogContract, OfOwnersThatAppendAtOnceOneWins) {
  constexpr int kRaces = 20;
  for (int race = 0; race < kRaces; ++race) {
    const LogHead head = log_->claim("m", "a", true).value();
    const std::vector<std::string> owned{fmt::format("left {}", race), fmt::format("right {}", race)};
    std::vector<Result<>> done(2);
    const auto send = [&](int side) {
      const std::vector<std::string_view> entries{owned[static_cast<std::size_t>(side)]};
      done[static_cast<std::size_t>(side)] = (side == 0 ? log_ : other_)
                     ->append("m", {.epoch = head.epoch, .last = head.last, .chain = head.chain, .entries = entries});
    };
    std::thread left(send, 0);
    send(1);
    left.join();
    ASSERT_NE(done[0].ok(), done[1].ok());
    EXPECT_EQ((done[0].ok() ? done[1] : done[0]).reason(), Reason::kFenced);
    EXPECT_EQ(log_->head("m").value().last, race + 1);
  }
}

TEST_P(SharedLogContract, DroppedEntriesAreGoneAndTheRestIsStillProved) {
  const auto journal = claim(log_, "a");
  append_next(*journal, 40).check();
  const std::uint64_t chain = journal->chain_at(29).value();
  journal->drop_before(30).check();
  EXPECT_EQ(journal->first(), 30);
  EXPECT_EQ(journal->chain_at(29).value(), chain);
  EXPECT_EQ(other_->head("m").value().before, chain);
  EXPECT_EQ(log_->read("m", 29, 100).reason(), Reason::kInvalid);
  append_next(*journal, 5).check();
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 45);
  journal->drop_before(46).check();
  EXPECT_EQ(other_->head("m").value().first, 46);
  const auto next = claim(other_, "b");
  EXPECT_EQ(next->last(), 45);
  append_next(*next, 2).check();
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 47);
}

TEST_P(SharedLogContract, AnEntryThatIsTooLongIsRefusedAndNothingHappens) {
  const auto journal = claim(log_, "a");
  append_next(*journal, 2).check();
  const std::string longest(kMostEntryBytes + 1, 'x');
  EXPECT_EQ(journal->append(std::vector<std::string_view>{"short", longest}).reason(), Reason::kInvalid);
  append_next(*journal, 2).check();
  EXPECT_TRUE(reading().exact);
  EXPECT_EQ(reading().last, 4);
}

// As retention does it: another thread drops entries, which the archive has, while the owner appends.
TEST_P(SharedLogContract, EntriesMoveToAnArchiveWhileTheOwnerAppends) {
  const Folder folder("log_archive");
  auto owner = ArchivedJournal::open(claim(log_, "a"), folder.at("archive")).value();
  std::uint64_t chain = kChainStart;
  for (int group = 0; group < 20; ++group) append_next(*owner, 10).check();
  for (std::int64_t number = 51; number <= 151; number += 50) {
    ArchivePacker packer(number - 50, chain);
    for (std::int64_t entry = number - 50; entry < number; ++entry) packer.add(entry_bytes(entry));
    chain = packer.head().chain;
    const ArchiveSpan span = Archive::write(folder.at("archive"), std::move(packer)).value();
    Result<> dropped;
    std::thread beside([&, drop = owner->drop_beside()] { dropped = drop(number); });
    for (int group = 0; group < 5; ++group) append_next(*owner, 3).check();
    beside.join();
    ASSERT_TRUE(dropped.ok()) << dropped.error();
    owner->archive().note(span);
    owner->dropped_beside(number, chain);
    EXPECT_EQ(owner->first_kept(), number);
  }
  EXPECT_EQ(other_->head("m").value().first, 151);
  const auto again = ArchivedJournal::open(LogJournal::follow(other_, "m").value(), folder.at("archive")).value();
  for (const ArchivedJournal* each : {owner.get(), again.get()}) {
    EXPECT_EQ(each->first(), 1);
    const Reading reading = reading_of(*each, 1);
    EXPECT_TRUE(reading.result.ok()) << reading.result.error();
    EXPECT_TRUE(reading.exact);
    EXPECT_EQ(reading.last, 245);
  }
  // An owner that was replaced drops nothing.
  const auto drop = owner->drop_beside();
  claim(other_, "b");
  EXPECT_EQ(drop(200).reason(), Reason::kFenced);
  EXPECT_EQ(other_->head("m").value().first, 151);
}

TEST_P(SharedLogContract, TheTwoNewestSnapshotsAreKept) {
  const auto journal = claim(log_, "a");
  append_next(*journal, 9).check();
  const LogSnapshots here(log_, "m"), there(other_, "m");
  EXPECT_TRUE(here.positions().value().empty());
  EXPECT_FALSE(here.latest().value().snapshot);
  const std::string large(5 << 20, 's');
  EXPECT_EQ(here.write(3, "three", 33).value(), 0);
  EXPECT_EQ(there.write(5, large, 55).value(), 3);
  EXPECT_EQ(here.write(8, "eight", 88).value(), 5);
  EXPECT_THAT(there.positions().value(), testing::ElementsAre(8, 5));
  EXPECT_EQ(there.latest().value().snapshot->bytes, "eight");
  EXPECT_EQ(there.latest().value().snapshot->chain, 88);
  EXPECT_EQ(there.read(5).value().bytes, large);
  EXPECT_FALSE(there.read(3).ok());
  // The same position again: the states are equal.
  EXPECT_EQ(here.write(8, "eight", 88).value(), 5);
}

TEST_P(SharedLogContract, ALeaseIsHeldByOne) {
  claim(log_, "a");
  EXPECT_TRUE(log_->take_lease("m", "a", kLease).value());
  EXPECT_FALSE(other_->take_lease("m", "b", kLease).value());
  EXPECT_TRUE(log_->take_lease("m", "a", kLease).value());
  const ClusterView view = beat("a", {"m"});
  ASSERT_EQ(view.models.size(), 1U);
  EXPECT_EQ(view.models[0].holder, "a");
  EXPECT_GT(view.models[0].lease_millis, 50'000);
  EXPECT_EQ(view.models[0].head.owner, "a");
  beat("a");  // it does not hold the model any more
  EXPECT_TRUE(other_->take_lease("m", "b", kLease).value());
  EXPECT_FALSE(log_->take_lease("m", "a", kLease).value());
}

TEST_P(SharedLogContract, ALeaseEndsByTheClockOfTheStore) {
  claim(log_, "a");
  EXPECT_TRUE(log_->take_lease("m", "a", milliseconds(20)).value());
  std::this_thread::sleep_for(milliseconds(40));
  EXPECT_TRUE(other_->take_lease("m", "b", kLease).value());
  const ClusterView view = beat("a", {"m"});  // an old holder gets nothing back
  EXPECT_EQ(view.models[0].holder, "b");
}

TEST_P(SharedLogContract, ALeaseIsGivenToAnother) {
  claim(log_, "a");
  EXPECT_TRUE(log_->take_lease("m", "a", kLease).value());
  EXPECT_EQ(other_->give_lease("m", "b", "b", kLease).reason(), Reason::kFenced);
  log_->give_lease("m", "a", "b", kLease).check();
  beat("a");
  beat("b");  // it has not noticed yet, and keeps what it was given
  EXPECT_FALSE(log_->take_lease("m", "a", kLease).value());
  EXPECT_TRUE(other_->take_lease("m", "b", kLease).value());
}

TEST_P(SharedLogContract, ABeatWithoutANameOnlyReads) {
  claim(log_, "a");
  ASSERT_TRUE(log_->take_lease("m", "a", kLease).value());
  const ClusterView view = beat("");
  EXPECT_TRUE(view.nodes.empty());
  ASSERT_EQ(view.models.size(), 1U);
  EXPECT_EQ(view.models[0].holder, "a");
}

TEST_P(SharedLogContract, TheDirectoryKnowsNodesModelsAndPins) {
  claim(log_, "a");
  log_->pin("m", "b").check();
  beat("a");
  const ClusterView view =
      other_->beat({.node = "b", .address = "b:2", .lease = kLease, .held = {}, .followed = {{"m", 7}}}).value();
  ASSERT_EQ(view.nodes.size(), 2U);
  EXPECT_EQ(view.nodes[0].name, "a");
  EXPECT_EQ(view.nodes[0].address, "a:1");
  EXPECT_LT(view.nodes[0].age_millis, 30'000);
  ASSERT_EQ(view.nodes[1].followed.size(), 1U);
  EXPECT_EQ(view.nodes[1].followed[0].position, 7);
  EXPECT_EQ(view.models.at(0).pinned, "b");
  EXPECT_GT(view.now, 1'700'000'000);
  EXPECT_EQ(log_->pin("none", "b").reason(), Reason::kUnknown);
}

std::shared_ptr<SharedLog>& memory_log() {
  static std::shared_ptr<SharedLog> log;
  return log;
}

INSTANTIATE_TEST_SUITE_P(Memory, SharedLogContract,
                         testing::Values(LogMaker{"memory", [] { return memory_log() = make_memory_log(); },
                                                  [] { return memory_log(); }}),
                         name_of_maker);

}  // namespace
}  // namespace rein
