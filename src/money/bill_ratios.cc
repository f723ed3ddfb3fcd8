#include "money/bill_ratios.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "rein/bytes.h"

namespace rein {
namespace {

// The sign, the exponent and five bits of the fraction of a double: 32 bins per power of two.
constexpr int kDropped = 47;
constexpr std::int64_t kLastBin = std::int64_t{0x7FE} << 5U | 31;  // of the largest finite number

std::int64_t bin_of(double ratio) {
  if (!(ratio > 0.0)) return 0;
  return std::min(kLastBin, static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(ratio) >> kDropped));
}

// Every number of the bin is below it.
double upper_end(std::int64_t bin) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(bin + 1) << kDropped);
}

}  // namespace

BillRatios::BillRatios(int actions, std::span<const double> quantiles)
    : quantiles_(quantiles.begin(), quantiles.end()) {
  if (std::ranges::all_of(quantiles_, [](double q) { return q == 0.0; })) quantiles_.clear();
  cells_.resize(static_cast<std::size_t>(actions) * quantiles_.size());
}

std::int64_t BillRatios::block_of(int cost) const {
  return static_cast<std::int64_t>(kBlocks / (1.0 - quantiles_[static_cast<std::size_t>(cost)]));
}

void BillRatios::add(std::int32_t place, int cost, MicroSum bill, Micro base) {
  if (empty() || quantiles_[static_cast<std::size_t>(cost)] == 0.0) return;
  Cell& cell = cells_[at(place, cost)];
  if (cell.newer.bills >= block_of(cost)) {
    std::swap(cell.older, cell.newer);
    cell.newer.bills = 0;
    cell.newer.bins.clear();
  }
  const std::int64_t bin = bin_of(static_cast<double>(bill) / static_cast<double>(base));
  auto& bins = cell.newer.bins;
  const auto found = std::ranges::lower_bound(bins, bin, {}, &Bin::number);
  if (found != bins.end() && found->number == bin) {
    ++found->count;
  } else {
    bins.insert(found, {bin, 1});
  }
  ++cell.newer.bills;
}

std::int64_t BillRatios::known(std::int32_t place, int cost) const {
  if (empty()) return 0;
  const Cell& cell = cells_[at(place, cost)];
  return cell.older.bills + cell.newer.bills;
}

Micro BillRatios::hold(std::int32_t place, int cost, Micro base, Micro largest) const {
  if (empty() || quantiles_[static_cast<std::size_t>(cost)] == 0.0) return largest;
  const double beyond = 1.0 - quantiles_[static_cast<std::size_t>(cost)];
  const auto k = static_cast<std::int64_t>(static_cast<double>(known(place, cost) + 1) * beyond);
  if (k < 1) return largest;
  const Cell& cell = cells_[at(place, cost)];
  // Both blocks from their largest ratio down, until k ratios were met.
  auto older = cell.older.bins.rbegin(), newer = cell.newer.bins.rbegin();
  std::int64_t met = 0, bin = 0;
  while (met < k) {
    const bool of_older = newer == cell.newer.bins.rend() ||
                          (older != cell.older.bins.rend() && older->number > newer->number);
    auto& next = of_older ? older : newer;
    bin = next->number;
    met += next->count;
    ++next;
  }
  const double hold = std::ceil(static_cast<double>(base) * upper_end(bin));
  if (!(hold < static_cast<double>(largest))) return largest;
  return std::min(largest, std::max<Micro>(1, static_cast<Micro>(hold)));
}

void BillRatios::grow() { cells_.resize(cells_.size() + quantiles_.size()); }

void BillRatios::forget(std::int32_t place) {
  for (std::size_t i = 0; i < quantiles_.size(); ++i) cells_[at(place, static_cast<int>(i))] = {};
}

void BillRatios::save(ByteWriter& out, const Block& block) {
  out.i64(block.bills);
  out.i64(static_cast<std::int64_t>(block.bins.size()));
  for (const Bin& bin : block.bins) {
    out.i64(bin.number);
    out.i64(bin.count);
  }
}

void BillRatios::load(ByteReader& in, Block& block, std::int64_t most) {
  block.bills = in.between("bills", 0, most);
  const std::int64_t bins = in.between("bins of bills", 0, block.bills);
  std::int64_t previous = -1, sum = 0;
  block.bins.clear();
  for (std::int64_t n = 0; n < bins && in.ok(); ++n) {
    Bin bin{in.between("a bin of bills", previous + 1, kLastBin)};
    bin.count = in.between("bills of a bin", 1, most);
    previous = bin.number;
    sum += bin.count;
    block.bins.push_back(bin);
  }
  if (in.ok() && sum != block.bills) in.fail("saved state: bins of bills that do not add up");
}

void BillRatios::save(ByteWriter& out) const {
  out.tag("bill ratios");
  for (const Cell& cell : cells_) {
    save(out, cell.older);
    save(out, cell.newer);
  }
}

Result<> BillRatios::load(ByteReader& in) {
  BillRatios read = *this;
  in.tag("bill ratios");
  for (std::size_t i = 0; i < read.cells_.size() && in.ok(); ++i) {
    const int cost = static_cast<int>(i % quantiles_.size());
    const std::int64_t most = quantiles_[i % quantiles_.size()] == 0.0 ? 0 : block_of(cost);
    load(in, read.cells_[i].older, most);
    load(in, read.cells_[i].newer, most);
  }
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

}  // namespace rein
