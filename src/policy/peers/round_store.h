// RoundStore: copies of rounds, in memory that is made at the start. Sparse rows are written out.
// Two rounds are the same if all of their numbers are the same bits: ids, context, features.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/round.h"
#include "rein/shape.h"

namespace rein {

class ByteReader;
class ByteWriter;

class RoundStore {
 public:
  // Makes room for `most` rounds of this shape, or for as many as fit into `most_doubles` numbers;
  // for at least 1.
  RoundStore(const Shape& shape, std::int64_t most, std::size_t most_doubles);

  int size() const { return size_; }
  int room() const { return room_; }
  std::size_t stride() const { return stride_; }  // numbers per round
  // Writes a round as it is kept, into stride() numbers.
  void pack(const Round& round, double* to) const;
  // Where a packed round is, or -1.
  int find(const double* packed) const;
  // Keeps a round. REQUIRES size() < room().
  void add(const Round& round);
  // A round that was kept, as a view. Ids are copied into `ids`, which has room for all actions.
  Round at(int i, std::vector<std::int32_t>& ids) const;
  std::span<const double> context(int i) const {
    return {row(i) + 1 + actions_, static_cast<std::size_t>(context_)};
  }
  void clear() { size_ = 0; }
  // Forgets the last rounds until `size` are left. REQUIRES size <= size().
  void shrink(int size) { size_ = size; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  const double* row(int i) const { return numbers_.data() + static_cast<std::size_t>(i) * stride_; }

  int actions_, context_, features_;
  std::size_t stride_;  // the number of actions, ids, context, dense features
  int room_;
  int size_ = 0;
  std::vector<double> numbers_;
};

}  // namespace rein
