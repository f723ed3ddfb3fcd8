// RowBuffer: the memory of one row, which a reader fills and a LogRow refers to.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/size.h"
#include "rein/log.h"

namespace rein {

// Features of the context, or of one action, sorted by index.
class FeatureList {
 public:
  void clear() { begin_list(count_ = 0); }
  std::size_t size() const { return count_; }
  // From here on, a new list.
  void begin_list() { begin_list(count_); }
  void add(std::int32_t index, double value) {
    if (count_ == index_.size()) [[unlikely]]
      grow();
    index_[count_] = index;
    value_[count_] = value;
    ++count_;
    ascends_ = ascends_ && index > last_;
    last_ = index;
  }
  // Room for many features, written without a check for each: begin with more(), which may move the
  // list, then write number and value at [0], [1], ... and say with took() how many they are.
  struct Room {
    std::int32_t* index;
    double* value;
  };
  Room more(std::size_t count) {
    while (index_.size() < count_ + count) grow();
    return {index_.data() + count_, value_.data() + count_};
  }
  // Their numbers ascend, from the first of them on.
  void took(std::size_t count) {
    ascends_ = ascends_ && index_[count_] > last_;
    count_ += count;
    last_ = index_[count_ - 1];
  }
  // Sorts the list since begin_list(). Features that come twice are added; returns whether any did.
  bool end_list() { return ascends_ ? false : sort(); }
  std::span<const std::int32_t> index() const { return {index_.data(), count_}; }
  std::span<const double> value() const { return {value_.data(), count_}; }

 private:
  void begin_list(std::size_t from) {
    begin_ = from;
    last_ = -1;
    ascends_ = true;
  }
  void grow();
  bool sort();
  std::vector<std::int32_t> index_;  // longer than the list
  std::vector<double> value_;
  std::size_t count_ = 0;
  std::size_t begin_ = 0;
  std::int32_t last_ = -1;
  bool ascends_ = true;
};

struct RowBuffer {
  std::vector<double> context, costs, probabilities;
  std::vector<std::int32_t> offered, begin;
  FeatureList shared, features;
  std::string id, unit;

  void clear() {
    context.clear();
    costs.clear();
    probabilities.clear();
    offered.clear();
    begin.clear();
    shared.clear();
    features.clear();
    id.clear();
    unit.clear();
  }
  // Makes the row refer to what is here.
  void show(LogRow& row) const {
    row.id = id;
    row.unit = unit;
    row.context = context;
    row.costs = costs;
    row.offered = offered;
    row.probabilities = probabilities;
    row.shared = {shared.index(), shared.value()};
    row.features = {};
    if (features.size() > 0) row.features = {begin, features.index(), features.value()};
  }
};

// The message about a wrong propensity; empty if it is in (0, 1] and at least `least`.
std::string wrong_propensity(double p, double least);
// The message about wrong probabilities, which are negative or do not add up to 1; empty if they
// are right.
std::string wrong_probabilities(std::span<const double> p);

// Seconds since 1970, or a time of ISO 8601 in UTC, as nanoseconds. False if it is neither.
bool read_seconds(std::string_view text, std::int64_t& nanoseconds);
bool read_timestamp(std::string_view text, std::int64_t& nanoseconds);
// The shortest texts that read back exactly.
std::string write_seconds(std::int64_t nanoseconds);
std::string write_timestamp(std::int64_t nanoseconds);

}  // namespace rein
