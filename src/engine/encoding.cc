#include "engine/encoding.h"

#include <fmt/format.h>

#include "engine/encoding_parts.h"

namespace rein {
namespace {

// A kind of record and the version of its form, in one word: four letters and a number.
constexpr std::uint64_t kRecordVersion = 4;
constexpr std::uint64_t kDecide = kRecordVersion << 32 | 0x4943'4544;   // "DECI"
constexpr std::uint64_t kLearn = kRecordVersion << 32 | 0x5241'454C;    // "LEAR"
constexpr std::uint64_t kExpect = kRecordVersion << 32 | 0x4550'5845;   // "EXPE"
constexpr std::uint64_t kTick = kRecordVersion << 32 | 0x4B43'4954;     // "TICK"
constexpr std::uint64_t kCancel = kRecordVersion << 32 | 0x434E'4143;   // "CANC"
constexpr std::uint64_t kBudget = kRecordVersion << 32 | 0x4744'5542;   // "BUDG"
constexpr std::uint64_t kAction = kRecordVersion << 32 | 0x4954'4341;   // "ACTI"
constexpr std::uint64_t kPlace = kRecordVersion << 32 | 0x4341'4C50;    // "PLAC"
constexpr std::uint64_t kObserve = kRecordVersion << 32 | 0x4553'424F;  // "OBSE"
constexpr std::uint64_t kWarm = kRecordVersion << 32 | 0x4D52'4157;     // "WARM"
constexpr std::uint64_t kRulesKind = kRecordVersion << 32 | 0x454C'5552;  // "RULE"
constexpr std::uint64_t kLimits = kRecordVersion << 32 | 0x494D'494C;   // "LIMI"
constexpr std::uint64_t kClock = kRecordVersion << 32 | 0x4B43'4C43;   // "CLCK"
constexpr std::uint64_t kSkip = kRecordVersion << 32 | 0x5049'4B53;    // "SKIP"
constexpr std::uint64_t kAgentRun = kRecordVersion << 32 | 0x4E55'5241;  // "ARUN"

// The words of a logged round: its sizes, its action and an outcome without costs.
constexpr std::uint64_t kRowWords = 11;

// Replaces `out` with a record of this kind, whose numbers the function writes.
template <class Write>
void write_record(std::uint64_t kind, std::string& out, const Write& numbers) {
  ByteWriter writer(std::move(out));
  writer.u64(kind);
  numbers(writer);
  out = seal(writer);
}

void write_tick(ByteWriter& writer, std::int64_t now,
                std::span<const TickRecord::Opened> windows) {
  writer.i64(now);
  writer.u64(windows.size());
  for (const TickRecord::Opened& opened : windows) {
    writer.i64(opened.budget);
    writer.i64(opened.window.number);
    writer.i64(opened.window.first);
    writer.i64(opened.window.last);
  }
}

TickRecord read_tick(ByteReader& in) {
  TickRecord tick{.now = in.i64(), .opened = {}};
  const std::uint64_t count = in.u64();
  if (count > kMaxBudgets) in.fail(fmt::format("record: {} windows", count));
  for (std::uint64_t n = 0; n < count && in.ok(); ++n) {
    TickRecord::Opened opened;
    opened.budget = read_index(in);
    opened.window.number = in.i64();
    opened.window.first = in.i64();
    opened.window.last = in.i64();
    tick.opened.push_back(opened);
  }
  return tick;
}

BudgetRecord read_budget_record(ByteReader& in) {
  BudgetRecord record;
  record.change = static_cast<BudgetRecord::Change>(in.between("change of a budget", 0, 4));
  record.budget = read_index(in);
  record.keys = read_keys(in);
  record.amount = in.f64();
  if (in.ok() && in.left() > 0) record.name = in.text();
  return record;
}

// Additions at a used place have a kind of their own: other records keep their form.
ActionRecord read_action(ByteReader& in, bool at_place) {
  ActionRecord record;
  if (at_place) {
    record.place = static_cast<std::int32_t>(in.between("place of an action", 0, kMaxActions - 1));
  } else {
    record.added = in.between("change of an action", 0, 1) == 1;
  }
  record.id = read_index(in);
  record.name = in.text();
  record.largest = read_costs(in);
  record.expected = read_costs(in);
  return record;
}

ObserveRecord read_observed(ByteReader& in) {
  ObserveRecord record;
  record.rows = in.between("rows that were observed", 1, kMaxWarmRounds);
  record.changes = in.text();
  return record;
}

WarmRecord read_warm(ByteReader& in) {
  WarmRecord record;
  const std::size_t words = read_count(in);
  if (words % kRowWords != 0) in.fail(fmt::format("record: {} words of logged rounds", words));
  if (in.ok()) record.rows.resize(words / kRowWords);
  for (WarmRecord::Row& row : record.rows) {
    if (!in.ok()) break;
    read(in, row.round);
    read(in, row.round.expected_costs);
    row.action = read_index(in);
    row.outcome = read_outcome(in);
  }
  return record;
}

AgentRunRecord read_agent_run(ByteReader& in) {
  AgentRunRecord record;
  record.opened = in.between("change of a run", 0, 1) == 1;
  record.run = in.u64();
  record.parent = in.u64();
  record.expire_after = in.i64();
  record.amounts = read_costs(in);
  return record;
}

Result<std::string_view> unseal_record(std::string_view bytes) {
  // The version is read first, because another version may be hashed in another way.
  const std::uint64_t kind = ByteReader(bytes).u64();
  for (std::uint64_t known :
       {kDecide, kLearn, kTick, kCancel, kBudget, kExpect, kAction, kPlace, kObserve, kWarm,
        kRulesKind, kLimits, kClock, kSkip, kAgentRun}) {
    const std::uint64_t version = kind >> 32;
    if ((kind ^ known) << 32 != 0 || version == kRecordVersion || version > 1000) continue;
    return corrupt(
        fmt::format("record: found version {}; accepted: version {}", version, kRecordVersion));
  }
  return unseal(bytes, "record");
}

}  // namespace

bool is_decision(std::string_view bytes) { return ByteReader(bytes).u64() == kDecide; }

Result<> decode(std::string_view bytes, DecideRecord& out) {
  auto body = unseal_record(bytes);
  if (!body) return body.failure();
  ByteReader in(body.value());
  if (in.u64() != kDecide) return corrupt("record: found another kind; accepted: a decision");
  out.id = in.u64();
  out.at = in.i64();
  out.draws = in.u64();
  out.offered = read_index(in);
  read(in, out.places);
  read(in, out.round);
  if (in.ok()) read(in, out.round.actions, out.decision);
  out.keys = read_keys(in);
  out.largest = read_costs(in);
  out.round.expected_costs.clear();
  out.decision.paces = Costs();
  out.decision.holdout = Holdout::kNone;
  out.observed.clear();
  out.round.baseline.clear();
  const bool more = in.ok() && in.left() > 0;
  if (more) read(in, out.round.expected_costs);
  const bool paced = in.ok() && in.left() > 0;
  if (paced) out.decision.paces = read_costs(in);
  const bool marked = in.ok() && in.left() > 0;
  if (marked) {
    const int last = static_cast<int>(Holdout::kBarred);
    out.decision.holdout = static_cast<Holdout>(in.between("holdout of a decision", 0, last));
  }
  const bool named = in.ok() && in.left() > 0;
  if (named) out.observed = in.text();
  const bool based = in.ok() && in.left() > 0;
  if (based) read(in, out.round.baseline);
  out.names.clear();
  const bool keyed = in.ok() && in.left() > 0;
  if (keyed) read_names(in, out.names);
  out.holds.clear();
  out.run = 0;
  const bool held = in.ok() && in.left() > 0;
  if (held) read_holds(in, out);
  if (keyed && !held && out.names.empty()) in.fail("record: accepted: names of keys only where there are some");
  const bool none_named = named && !based && out.observed.empty();
  const bool none_marked = marked && !named && out.decision.holdout == Holdout::kNone;
  if ((based && !keyed && out.round.baseline.empty()) || none_named || none_marked) {
    in.fail(
        "record: accepted: a control group, what was observed and a baseline only where there are "
        "some");
  }
  if ((paced && !marked && out.decision.paces.empty()) ||
      (more && !paced && out.round.expected_costs.empty())) {
    in.fail("record: accepted: expected costs and paces only where there are some");
  }
  if (auto done = in.finish(); !done) return corrupt(done.error());
  if (!out.places.empty() && out.places.size() != static_cast<std::size_t>(out.round.actions)) {
    return corrupt("record: accepted: one place per action, or none");
  }
  return {};
}

void encode(const DecideRecord& record, std::string& out) {
  write_record(kDecide, out, [&](ByteWriter& writer) {
    writer.u64(record.id);
    writer.i64(record.at);
    writer.u64(record.draws);
    writer.i64(record.offered);
    write(writer, record.places);
    write(writer, record.round);
    write(writer, record.decision);
    write(writer, record.keys);
    write(writer, record.largest);
    // Last, and only where there are some: records without them keep their form.
    const bool held = !record.holds.empty() || record.run != 0;
    const bool keyed = held || !record.names.empty();
    const bool based = keyed || !record.round.baseline.empty();
    const bool named = based || !record.observed.empty();
    const bool marked = named || record.decision.holdout != Holdout::kNone;
    const bool paced = marked || !record.decision.paces.empty();
    if (paced || !record.round.expected_costs.empty()) write(writer, record.round.expected_costs);
    if (paced) write(writer, record.decision.paces);
    if (marked) writer.i64(static_cast<std::int64_t>(record.decision.holdout));
    if (named) writer.text(record.observed);
    if (based) write(writer, record.round.baseline);
    if (keyed) write_names(writer, record.names);
    if (held) write_holds(writer, record);
  });
}

void encode(const LearnRecord& record, std::string& out) {
  write_record(kLearn, out, [&](ByteWriter& writer) {
    writer.u64(record.id);
    write(writer, record.outcome);
    if (record.lesson) write(writer, *record.lesson);  // others keep their form
  });
}

void encode(const TickRecord& record, std::string& out) {
  write_record(kTick, out, [&](ByteWriter& writer) {
    write_tick(writer, record.now, record.opened);
  });
}

void encode(const ClockRecord& record, std::string& out) {
  write_record(kClock, out, [&](ByteWriter& writer) {
    write_tick(writer, record.now, record.opened);
  });
}

void encode(const SkipRecord& record, std::string& out) {
  write_record(kSkip, out, [&](ByteWriter& writer) {
    writer.u64(record.ids);
  });
}

void encode(const AgentRunRecord& record, std::string& out) {
  write_record(kAgentRun, out, [&](ByteWriter& writer) {
    writer.i64(record.opened ? 1 : 0);
    writer.u64(record.run);
    writer.u64(record.parent);
    writer.i64(record.expire_after);
    write(writer, record.amounts);
  });
}

bool sets_clock(std::string_view record) { return ByteReader(record).u64() == kClock; }

void encode(const CancelRecord& record, std::string& out) {
  write_record(kCancel, out, [&](ByteWriter& writer) {
    writer.u64(record.id);
  });
}

void encode(const BudgetRecord& record, std::string& out) {
  write_record(kBudget, out, [&](ByteWriter& writer) {
    writer.i64(static_cast<std::int64_t>(record.change));
    writer.i64(record.budget);
    write(writer, record.keys);
    writer.f64(record.amount);
    if (!record.name.empty()) writer.text(record.name);  // others keep their form
  });
}

void encode(const ExpectRecord& record, std::string& out) {
  write_record(kExpect, out, [&](ByteWriter& writer) {
    write(writer, record.costs);
  });
}

void encode(const ActionRecord& record, std::string& out) {
  const bool at_place = record.added && record.place >= 0;
  write_record(at_place ? kPlace : kAction, out, [&](ByteWriter& writer) {
    writer.i64(at_place ? record.place : record.added ? 1 : 0);
    writer.i64(record.id);
    writer.text(record.name);
    write(writer, record.largest);
    write(writer, record.expected);
  });
}

void encode(const ObserveRecord& record, std::string& out) {
  write_record(kObserve, out, [&](ByteWriter& writer) {
    writer.i64(record.rows);
    writer.text(record.changes);
  });
}

// The count is the smallest number of words that the rows can have, so that it can be checked.
void encode(const WarmRecord& record, std::string& out) {
  write_record(kWarm, out, [&](ByteWriter& writer) {
    writer.u64(record.rows.size() * kRowWords);
    for (const WarmRecord::Row& row : record.rows) {
      write(writer, row.round);
      write(writer, row.round.expected_costs);
      writer.i64(row.action);
      write(writer, row.outcome);
    }
  });
}

void encode(const RulesRecord& record, std::string& out) {
  write_record(kRulesKind, out, [&](ByteWriter& writer) {
    writer.i64(record.rules);
    writer.i64(record.began);
  });
}

void encode(const LimitsRecord& record, std::string& out) {
  write_record(kLimits, out, [&](ByteWriter& writer) {
    writer.i64(record.most_open);
    writer.i64(record.expire_after);
  });
}

void encode(const Record& record, std::string& out) {
  std::visit([&out](const auto& one) { encode(one, out); }, record);
}

Result<Record> decode(std::string_view bytes) {
  auto body = unseal_record(bytes);
  if (!body) return body.failure();
  ByteReader in(body.value());
  const std::uint64_t kind = in.u64();
  if (kind == kDecide) {
    DecideRecord record;
    if (auto done = decode(bytes, record); !done) return done.failure();
    return record;
  }
  Record record;
  if (kind == kLearn) {
    LearnRecord learn{.id = in.u64()};
    learn.outcome = read_outcome(in);
    if (in.ok() && in.left() > 0) learn.lesson = read_outcome(in);
    record = learn;
  } else if (kind == kTick) {
    record = read_tick(in);
  } else if (kind == kClock) {
    TickRecord clock = read_tick(in);
    record = ClockRecord{.now = clock.now, .opened = std::move(clock.opened)};
  } else if (kind == kAgentRun) {
    record = read_agent_run(in);
  } else if (kind == kSkip) {
    record = SkipRecord{.ids = in.u64()};
  } else if (kind == kCancel) {
    record = CancelRecord{.id = in.u64()};
  } else if (kind == kBudget) {
    record = read_budget_record(in);
  } else if (kind == kExpect) {
    ExpectRecord expect;
    read(in, expect.costs);
    record = expect;
  } else if (kind == kAction || kind == kPlace) {
    record = read_action(in, kind == kPlace);
  } else if (kind == kObserve) {
    record = read_observed(in);
  } else if (kind == kWarm) {
    record = read_warm(in);
  } else if (kind == kRulesKind) {
    RulesRecord rules{.rules = static_cast<int>(in.between("rules", 1, INT32_MAX))};
    rules.began = in.count();
    record = rules;
  } else if (kind == kLimits) {
    LimitsRecord limits{.most_open = in.i64()};
    limits.expire_after = in.i64();
    record = limits;
  } else {
    return corrupt(fmt::format(
        "record: found kind {:#x}; accepted: decide, learn, tick, cancel, budget, expect, action, "
        "place, observe, warm, rules, limits, clock, skip, run",
        kind));
  }
  if (auto done = in.finish(); !done) return corrupt(done.error());
  return record;
}

}  // namespace rein
