#include "engine/encoding_parts.h"

#include <fmt/format.h>

#include <cstring>

#include "engine/hash.h"

namespace rein {
namespace {

constexpr std::int64_t kMostHeld = std::int64_t{1} << 62;  // coins (money/micros.h)

}  // namespace

void write(ByteWriter& out, const Numbers& numbers) {
  out.u64(numbers.size());
  out.f64s(numbers);
}

void write(ByteWriter& out, const Indices& indices) {
  out.u64(indices.size());
  for (std::int32_t index : indices) out.i64(index);
}

std::size_t read_count(ByteReader& in) {
  const std::uint64_t count = in.u64();
  if (count <= in.left() / 8) return count;
  in.fail(fmt::format("record: a list of {} numbers in {} bytes", count, in.left()));
  return 0;
}

void read(ByteReader& in, Numbers& numbers) {
  numbers.resize(read_count(in));
  in.f64s(numbers);
}

std::int32_t read_index(ByteReader& in) {
  const std::int64_t index = in.i64();
  if (index >= INT32_MIN && index <= INT32_MAX) return static_cast<std::int32_t>(index);
  in.fail(fmt::format("record: an index of {}", index));
  return 0;
}

void read(ByteReader& in, Indices& indices) {
  indices.resize(read_count(in));
  for (std::int32_t& index : indices) index = read_index(in);
}

void write(ByteWriter& out, const Costs& costs) {
  out.u64(static_cast<std::uint64_t>(costs.size()));
  out.f64s(costs.span());
}

Costs read_costs(ByteReader& in) {
  const std::size_t count = read_count(in);
  if (count > static_cast<std::size_t>(kMaxCosts)) {
    in.fail(fmt::format("record: {} costs; accepted: at most {}", count, kMaxCosts));
    return {};
  }
  Costs costs(static_cast<int>(count));
  in.f64s(costs);
  return costs;
}

void write(ByteWriter& out, const StoredRound& round) {
  out.i64(round.actions);
  write(out, round.context);
  write(out, round.features);
  write(out, round.sparse_begin);
  write(out, round.sparse_index);
  write(out, round.sparse_value);
  write(out, round.ids);
}

void read(ByteReader& in, StoredRound& round) {
  round.actions = read_index(in);
  read(in, round.context);
  read(in, round.features);
  read(in, round.sparse_begin);
  read(in, round.sparse_index);
  read(in, round.sparse_value);
  read(in, round.ids);
}

void write(ByteWriter& out, const Decision& decision) {
  out.i64(decision.action);
  out.f64(decision.probability);
  out.f64(decision.gamma);
  out.f64(decision.log_scale);
  out.i64(decision.best);
  out.i64(decision.learned);
  write(out, decision.prices);
  write(out, decision.predicted);
  const Estimates& estimates = decision.estimates;
  // below 0: with a width per head
  out.i64(estimates.apart() ? -estimates.heads() : estimates.heads());
  for (int h = 0; h < estimates.heads(); ++h) out.f64s(estimates.mean(h));
  for (int h = 0; h < (estimates.apart() ? estimates.heads() : 1); ++h) {
    out.f64s(estimates.width(h));
  }
  out.f64s(decision.probabilities());
  out.f64s(decision.scores());
}

void read(ByteReader& in, int actions, Decision& decision) {
  decision.action = read_index(in);
  decision.probability = in.f64();
  decision.gamma = in.f64();
  decision.log_scale = in.f64();
  decision.best = read_index(in);
  decision.learned = in.i64();
  decision.prices = read_costs(in);
  decision.predicted = read_costs(in);
  const std::int64_t signed_heads = in.i64();
  const bool apart = signed_heads < 0;
  const std::int64_t heads = apart && signed_heads >= -1 - kMaxCosts ? -signed_heads : signed_heads;
  const std::int64_t widths = apart ? heads : 1;
  if (actions < 0 || heads < 1 || heads > 1 + kMaxCosts ||
      in.left() / 8 / static_cast<std::uint64_t>(heads + widths + 2) <
          static_cast<std::uint64_t>(actions)) {
    in.fail(fmt::format("record: {} heads of {} actions in {} bytes", heads, actions, in.left()));
    return;
  }
  decision.prepare(static_cast<int>(heads), actions);
  decision.estimates.set_apart(apart);
  for (int h = 0; h < heads; ++h) in.f64s(decision.estimates.mean(h));
  for (int h = 0; h < widths; ++h) in.f64s(decision.estimates.width(h));
  in.f64s(decision.probabilities());
  in.f64s(decision.scores());
}

void write(ByteWriter& out, const ScopeKeys& keys) {
  for (const KeyDigest& key : keys) {
    out.u64(key.low);
    out.u64(key.high);
  }
}

ScopeKeys read_keys(ByteReader& in) {
  ScopeKeys keys;
  for (KeyDigest& key : keys) {
    key.low = in.u64();
    key.high = in.u64();
  }
  return keys;
}

void write_names(ByteWriter& writer, std::span<const KeyName> names) {
  writer.u64(names.size());
  for (const KeyName& each : names) {
    writer.i64(each.dimension);
    writer.text(each.name);
  }
}

void read_names(ByteReader& in, std::vector<KeyName>& names) {
  const std::int64_t count = in.between("names of keys", 0, kMaxScopes);
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    const auto dimension = static_cast<int>(in.between("scope of a key", 0, kMaxScopes - 1));
    names.push_back({dimension, in.text()});
  }
}

// What a decision holds where that was learned, and its run.
void write_holds(ByteWriter& writer, const DecideRecord& record) {
  writer.u64(record.holds.size());
  for (const DecideRecord::LearnedHold& each : record.holds) {
    writer.i64(each.hold);
    writer.i64(each.base);
  }
  writer.u64(record.run);
}

void read_holds(ByteReader& in, DecideRecord& record) {
  const std::int64_t count = in.between("holds", 0, kMaxCosts);
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    const std::int64_t hold = in.between("coins that are held", 0, kMostHeld);
    record.holds.push_back({hold, in.between("coins that are held", 0, kMostHeld)});
  }
  record.run = in.u64();
  if (record.holds.empty() && record.run == 0) in.fail("record: accepted: holds and a run only where there are some");
}

Error corrupt(const std::string& message) { return Error{message, Reason::kCorrupt}; }

void write(ByteWriter& out, const Outcome& outcome) {
  out.f64(outcome.reward);
  write(out, outcome.costs);
}

Outcome read_outcome(ByteReader& in) {
  Outcome outcome;
  outcome.reward = in.f64();
  outcome.costs = read_costs(in);
  return outcome;
}

std::string seal(ByteWriter& out) {
  out.u64(hash_of(out.bytes()));
  return out.take();
}

Result<std::string_view> unseal(std::string_view bytes, std::string_view what) {
  std::uint64_t hash = 0;
  if (bytes.size() < sizeof hash) {
    return corrupt(fmt::format("{}: found {} bytes; it was truncated", what, bytes.size()));
  }
  const std::string_view body = bytes.substr(0, bytes.size() - sizeof hash);
  std::memcpy(&hash, body.data() + body.size(), sizeof hash);
  if (hash != hash_of(body)) {
    return corrupt(
        fmt::format("{}: its {} bytes do not match their hash; they were truncated or changed",
                    what, bytes.size()));
  }
  return body;
}

}  // namespace rein
