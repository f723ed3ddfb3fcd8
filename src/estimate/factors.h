// Factors: packed Cholesky factors of d x d matrices, stored one after the other, each aligned to a
// cache line. All start as the factor of reg I. Only the numbers are saved.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "base/aligned.h"
#include "base/kernels.h"
#include "rein/bytes.h"

namespace rein {

class Factors {
 public:
  Factors(int d, int count, double reg)
      : size_(packed_size(d)),
        stride_((size_ + kLineDoubles - 1) / kLineDoubles * kLineDoubles),
        count_(static_cast<std::size_t>(count)),
        numbers_(stride_ * count_) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (int j = 0; j < d; ++j) numbers_[stride_ * i + packed_at(d, j, j)] = std::sqrt(reg);
    }
  }

  double* at(int i) { return numbers_.data() + stride_ * static_cast<std::size_t>(i); }
  const double* at(int i) const { return numbers_.data() + stride_ * static_cast<std::size_t>(i); }
  // The count of numbers in all factors together.
  std::size_t size() const { return size_ * count_; }

  void save(ByteWriter& out) const {
    for (std::size_t i = 0; i < count_; ++i) out.f64s({numbers_.data() + stride_ * i, size_});
  }
  void load(ByteReader& in) { load(in, count_); }
  // The first `saved` of them; the others stay as they are.
  void load(ByteReader& in, std::size_t saved) {
    for (std::size_t i = 0; i < saved; ++i) in.f64s({numbers_.data() + stride_ * i, size_});
  }
  // Loads factors in blocks, one block per set of parameters. A reader may leave out blocks
  // (ByteReader::grow) or put a block back (ByteReader::renew).
  void load_sets(ByteReader& in, int sets) {
    const std::size_t each = count_ / static_cast<std::size_t>(sets);
    if (in.renews(sets)) {
      const std::size_t block = each * stride_;
      in.keep(std::span<double>(numbers_.data(), numbers_.size())
                  .subspan(block * static_cast<std::size_t>(in.renewed()), block));
    }
    load(in, each * static_cast<std::size_t>(in.saved(sets)));
    in.put_back();
  }

 private:
  std::size_t size_;
  std::size_t stride_;
  std::size_t count_;
  AlignedDoubles numbers_;
};

}  // namespace rein
