// Sparse features by their slots (-b of Vowpal Wabbit), and products of namespaces (-q).
#include <fmt/format.h>

#include <unordered_map>

#include "log/readers.h"
#include "log/row_buffer.h"
#include "log/vw_hash.h"

namespace rein {
namespace {

// A feature of the row at hand: its number among the names of the file, and whose it is.
struct Given {
  std::int32_t index;
  double value;
  bool shared;
};

class DerivedReader final : public LogReader {
 public:
  DerivedReader(std::unique_ptr<LogReader> of, const LogOptions& options, bool text)
      : of_(std::move(of)),
        quadratic_(options.quadratic),
        text_(text),
        mask_(options.bits == 0 ? 0 : (std::uint64_t{1} << options.bits) - 1) {}

  Result<bool> next(LogRow& row) override {
    auto found_row = of_->next(row);
    if (!found_row || !found_row.value()) return found_row;
    full_ = collided_ = false;
    const LogNames& from = of_->names();
    const std::size_t actions = row.features.begin.empty() ? 0 : row.features.begin.size() - 1;
    shared_.clear();
    features_.clear();
    begin_.assign(1, 0);
    given_.clear();
    add_given(row.shared.index, row.shared.value, true);
    for (const Given& each : given_) shared_.add(own(from, each.index), each.value);
    for (const std::string& pair : quadratic_) multiply(from, pair, true, shared_);
    collided_ = shared_.end_list() || collided_;
    for (std::size_t a = 0; a < actions; ++a) add_action(row, a);
    if (full_) {
      return Error{
          fmt::format("log {}: line {}: found more than {} different features; accepted: "
                      "fewer, or fewer bits",
                      of_->report().path, row.line, kMaxLogNames)};
    }
    if (collided_ && mask_ != 0) {
      if (collisions_.count++ == 0) collisions_.first = row.line;
      collisions_.last = row.line;
    }
    row.shared = {shared_.index(), shared_.value()};
    if (actions > 0) row.features = {begin_, features_.index(), features_.value()};
    return true;
  }

  const LogNames& names() const override {
    const LogNames& from = of_->names();
    if (names_.context.size() != from.context.size()) names_.context = from.context;
    if (names_.actions.size() != from.actions.size()) names_.actions = from.actions;
    if (names_.costs.size() != from.costs.size()) names_.costs = from.costs;
    return names_;
  }

  const LogReport& report() const override {
    report_ = of_->report();
    if (collisions_.count > 0) report_.notes.push_back(collisions_);
    return report_;
  }
  std::int64_t bytes_read() const override { return of_->bytes_read(); }
  std::int64_t bytes() const override { return of_->bytes(); }

 private:
  void add_given(std::span<const std::int32_t> index, std::span<const double> value, bool shared) {
    for (std::size_t i = 0; i < index.size(); ++i) given_.push_back({index[i], value[i], shared});
  }

  void add_action(const LogRow& row, std::size_t a) {
    const LogNames& from = of_->names();
    const auto first = as_size(row.features.begin[a]), last = as_size(row.features.begin[a + 1]);
    // An action has its own features first, then those of the context, as in Vowpal Wabbit.
    given_.clear();
    add_given(row.features.index.subspan(first, last - first),
              row.features.value.subspan(first, last - first), false);
    add_given(row.shared.index, row.shared.value, true);
    features_.begin_list();
    for (const Given& each : given_) {
      if (!each.shared) features_.add(own(from, each.index), each.value);
    }
    for (const std::string& pair : quadratic_) multiply(from, pair, false, features_);
    collided_ = features_.end_list() || collided_;
    begin_.push_back(static_cast<std::int32_t>(features_.size()));
  }

  // Products of two features of the context (`both_shared`), or all others. A namespace multiplied
  // with itself gives each pair once.
  void multiply(const LogNames& from, const std::string& pair, bool both_shared, FeatureList& out) {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (letter(from, given_[i]) != pair[0]) continue;
      for (std::size_t j = pair[0] == pair[1] ? i : 0; j < given_.size(); ++j) {
        if (letter(from, given_[j]) != pair[1]) continue;
        if ((given_[i].shared && given_[j].shared) != both_shared) continue;
        if (out.size() > kMaxLogFeatures) {
          full_ = true;
          return;
        }
        out.add(product(from, given_[i].index, given_[j].index), given_[i].value * given_[j].value);
      }
    }
  }

  static char letter(const LogNames& from, const Given& given) {
    const std::string& space = from.features[as_size(given.index)].space;
    return space.empty() ? ' ' : space[0];
  }

  std::uint64_t hash_of(const LogNames& from, std::int32_t index) {
    while (hashes_.size() <= as_size(index)) {
      hashes_.push_back(vw_feature_hash(from.features[hashes_.size()], text_) & mask_);
    }
    return hashes_[as_size(index)];
  }

  // The number here of a feature of the file.
  std::int32_t own(const LogNames& from, std::int32_t index) {
    if (mask_ != 0) return slot(hash_of(from, index));
    const auto [at, is_new] = numbers_.try_emplace(static_cast<std::uint64_t>(index) << 32U, 0);
    if (is_new) at->second = named(from.features[as_size(index)]);
    return at->second;
  }
  std::int32_t product(const LogNames& from, std::int32_t first, std::int32_t second) {
    if (mask_ != 0) return slot(vw_product(hash_of(from, first), hash_of(from, second)) & mask_);
    // 0 stands for "no second feature".
    const std::uint64_t key =
        (static_cast<std::uint64_t>(first) << 32U) | (static_cast<std::uint64_t>(second) + 1);
    const auto [at, is_new] = numbers_.try_emplace(key, 0);
    if (is_new) {
      at->second = named(
          {.space = {},
           .name = from.features[as_size(first)].str() + '*' + from.features[as_size(second)].str(),
           .value = {}});
    }
    return at->second;
  }
  std::int32_t slot(std::uint64_t hash) {
    const auto [at, is_new] = numbers_.try_emplace(hash, 0);
    if (is_new) at->second = named({.space = {}, .name = std::to_string(hash), .value = {}});
    return at->second;
  }
  std::int32_t named(FeatureName name) {
    if (names_.features.size() >= kMaxLogNames) {
      full_ = true;
      return 0;
    }
    names_.features.push_back(std::move(name));
    return static_cast<std::int32_t>(names_.features.size() - 1);
  }

  std::unique_ptr<LogReader> of_;
  std::vector<std::string> quadratic_;
  bool text_;
  std::uint64_t mask_;                 // 0: features keep their names
  std::vector<std::uint64_t> hashes_;  // by the number of the feature in the file
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
  mutable LogNames names_;
  mutable LogReport report_;
  LogNote collisions_{
      .what =
          "features of one row share a slot; they are added up. More bits have fewer collisions"};
  std::vector<Given> given_;
  FeatureList shared_, features_;
  std::vector<std::int32_t> begin_;
  bool full_ = false, collided_ = false;
};

}  // namespace

MadeReader derive_features(std::unique_ptr<LogReader> reader, const LogOptions& options,
                           bool text) {
  if (options.bits < 0 || options.bits > kMaxLogBits) {
    return Error{fmt::format("bits: found {}; accepted: 1 to {}, or 0", options.bits, kMaxLogBits)};
  }
  for (const std::string& pair : options.quadratic) {
    if (pair.size() == 2 && pair[0] != ':' && pair[1] != ':') continue;
    return Error{
        fmt::format("quadratic: found \"{}\"; accepted: the first letters of two "
                    "namespaces, as UA",
                    pair)};
  }
  return std::unique_ptr<LogReader>(
      std::make_unique<DerivedReader>(std::move(reader), options, text));
}

}  // namespace rein
