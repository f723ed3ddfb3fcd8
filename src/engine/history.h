// The points of rein/history.h as rows of numbers, so that noting a decision allocates nothing.
#pragma once

#include <span>
#include <vector>

#include "rein/bytes.h"
#include "rein/history.h"
#include "rein/record.h"

namespace rein {

class History {
 public:
  History(int actions, int costs);

  // Counts a decision. True if a point is due.
  bool count(std::int32_t action, const Costs& prices);
  // Completes a point with the present numbers, and keeps it.
  void add(HistoryPoint point);
  // Completes a point without keeping it.
  HistoryPoint complete(HistoryPoint point) const;
  std::vector<HistoryPoint> points() const;
  // Another action was added.
  void grow();

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  std::size_t width() const { return 5 + 3 * static_cast<std::size_t>(costs_) + plays_.size(); }
  HistoryPoint read(std::span<const double> row) const;
  void thin();

  int actions_;
  int costs_;
  std::int64_t decided_ = 0;
  std::int64_t every_ = 1;  // decisions between two points
  Costs prices_;
  std::vector<double> plays_;  // counts, by action id; empty: too many actions
  std::vector<double> rows_;   // one per point
};

}  // namespace rein
