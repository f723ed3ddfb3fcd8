// The entry points that take bytes of ours: records, snapshots, saved policies. The hash at the end
// is corrected; otherwise nothing would pass the first check.
#include <cmath>

#include "engine/hash.h"
#include "engine/small.h"
#include "fuzz/targets.h"
#include "rein/schema.h"
#include "schema/text_hash.h"

namespace rein::fuzz {
namespace {

constexpr const char* kPolicies[] = {"ccb(budget=50,rounds=100)",
                                     "ccb(budget=50,rounds=100,tuning=theory)",
                                     "ccb(budget=50,oracle=forest(nodes=15,trees=2),rounds=100)",
                                     "lincbwk(budget=50,rounds=100)",
                                     "squarecbwk(budget=50,rounds=100,stages=2)",
                                     "banditq(budget=50,rounds=100)",
                                     "optimistic3(budget=50,rounds=100)",
                                     "stop(at=50,null=0,of=pacer(budget=50,rounds=100))"};
constexpr std::size_t kPolicyCount = std::size(kPolicies);

std::string sealed(Bytes bytes) {
  std::string body(bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 8)));
  const std::uint64_t hash = hash_of(body);
  body.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  return body;
}

// Some decisions, some of them learned, one of them expired.
Engine played_engine() {
  Engine engine = small_engine(
      {.most_open = 8, .remember = 8, .expire_after = 5, .hard_budget = {60.0}, .safe_action = 0});
  for (std::uint64_t n = 0; n < 12; ++n) {
    const auto ticket = decide(engine, n);
    if (ticket && n % 3 != 0) {
      const double cost = ticket.value().action == 0 ? 0.0 : 0.5;
      engine.learn(ticket.value().id, {.reward = 0.25, .costs = {cost}}).value();
    }
    if (n % 4 == 3) engine.tick(static_cast<std::int64_t>(n)).value();
  }
  return engine;
}

void expect_goes_on(Engine& engine) {
  const auto ticket = decide(engine, 99);
  if (!ticket) return expect(!ticket.error().empty(), "a refusal says why");
  double sum = 0.0;
  for (double p : ticket.value().probabilities) {
    expect(p >= 0.0 && p <= 1.0, "a chance is between 0 and 1");
    sum += p;
  }
  expect(std::abs(sum - 1.0) <= 1e-9, "chances sum to 1");
}

std::unique_ptr<Policy> policy_of(std::size_t which) {
  return make_policy(kPolicies[which], small_shape()).value();
}

Schema seen_schema() {
  Schema schema = Schema::make({{"age", "number(missing=1)"},
                                {"country", "category(most=3,buckets=2)"},
                                {"query", "text(buckets=4)"},
                                {"member", "bool"}})
                      .value();
  for (const char* country : {"DE", "FR", "DE"}) {
    const Cell row[] = {Cell::of(country[0] * 1.5), Cell::of(country), Cell::of("red shoes"),
                        Cell::of(true)};
    schema.observe(row).check();
  }
  return schema;
}

}  // namespace

std::vector<std::string> record_seeds() {
  std::vector<std::string> seeds;
  Engine engine = played_engine();
  const auto ticket = decide(engine, 50);
  seeds.emplace_back(engine.record());
  engine.learn(ticket.value().id, {.reward = 1.0, .costs = {0.0}}).value();
  seeds.emplace_back(engine.record());
  engine.tick(40).value();
  seeds.emplace_back(engine.record());
  return seeds;
}

void record(Bytes bytes) {
  const std::string given = sealed(bytes);
  if (const auto decoded = decode(given)) {
    std::string again;
    encode(decoded.value(), again);
    expect(again == given, "a record that is read is written the same");
  }
  Engine engine = played_engine();
  const std::uint64_t before = engine.state_hash();
  if (const auto folded = engine.fold(given); !folded) {
    expect(!folded.error().empty(), "a refusal says why");
    expect(engine.state_hash() == before, "a refused record changes nothing");
  }
  expect_goes_on(engine);
}

std::vector<std::string> snapshot_seeds() {
  return {small_engine().snapshot(), played_engine().snapshot()};
}

void snapshot(Bytes bytes) {
  auto restored = Engine::restore(sealed(bytes));
  if (!restored) return expect(!restored.error().empty(), "a refusal says why");
  Engine& engine = restored.value();
  auto again = Engine::restore(engine.snapshot());
  expect(bool(again), "an engine takes its own snapshot");
  expect(again.value().state_hash() == engine.state_hash(), "and is the same again");
  if (engine.policy().shape().context == 2) expect_goes_on(engine);
}

std::vector<std::string> policy_seeds() {
  std::vector<std::string> seeds;
  for (std::size_t which = 0; which < kPolicyCount; ++which) {
    const auto policy = policy_of(which);
    Rng rng(1);
    Scratch scratch(*policy);
    Decision decision(*policy);
    for (std::uint64_t n = 0; n < 40; ++n) {
      const std::vector<double> x = context_of(n);
      const Round round{.actions = 3, .context = x};
      policy->decide(round, rng, scratch, decision).check();
      policy->learn(round, decision, {.reward = 0.5, .costs = {0.25}}).check();
    }
    seeds.push_back(static_cast<char>(which) + policy->save());
  }
  return seeds;
}

void policy(Bytes bytes) {
  if (bytes.empty()) return;
  const auto policy = policy_of(static_cast<unsigned char>(bytes[0]) % kPolicyCount);
  const std::string before = policy->save();
  if (const auto loaded = policy->load(bytes.substr(1)); !loaded) {
    expect(!loaded.error().empty(), "a refusal says why");
    return expect(policy->save() == before, "a refused load changes nothing");
  }
  expect(policy->save() == bytes.substr(1), "what was loaded is saved again");
}

std::vector<std::string> schema_seeds() {
  return {seen_schema().snapshot(), Schema::make({{"x", "number(scale=none)"}}).value().snapshot()};
}

void schema(Bytes bytes) {
  std::string given(bytes.substr(0, bytes.size() - std::min<std::size_t>(bytes.size(), 8)));
  const std::uint64_t hash = text_hash(given);
  given.append(reinterpret_cast<const char*>(&hash), sizeof hash);
  auto restored = Schema::restore(given);
  if (!restored) return expect(!restored.error().empty(), "a refusal says why");
  Schema& schema = restored.value();
  expect(schema.snapshot() == given, "what was read is written the same");
  const std::size_t columns = schema.columns().size();
  expect(schema.names().size() == static_cast<std::size_t>(schema.size()), "numbers have names");
  std::vector<Cell> row(columns, Cell::of(1.0));
  std::vector<double> out(static_cast<std::size_t>(schema.size()));
  expect(bool(schema.take(row, out)), "every kind of column takes the number 1");
  for (double x : out) expect(std::abs(x) <= kMaxNumber, "an encoded row is numbers");
  ByteReader change(bytes);
  const std::string before = schema.snapshot();
  if (!schema.fold(change)) expect(schema.snapshot() == before, "a refused change changes nothing");
}

}  // namespace rein::fuzz
