// The few loops that take most of the time. On x86 they are compiled for several levels of the
// instruction set, and the best one is chosen at run time. Elsewhere there is one level, "plain".
//
// All levels give the same bits. Either a lane is an action (or a row), and every lane does the
// same scalar sequence. Or a sum is kept in eight fixed partial sums that are added in a fixed
// order. All multiply-adds are explicit fma. The environment variable REIN_CPU=v2, v3 or v4 selects
// an x86 level.
//
// A packed factor is a lower triangular matrix L with d (d + 1) / 2 numbers, stored in panels of
// eight rows. Inside a panel it is stored column by column. So one column of a panel is contiguous,
// both for a solve that broadcasts it over actions and for an update along its rows. The panels
// without their triangles come first, then the triangles. So every column of eight is one cache
// line, if the factor starts at one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rein {

inline constexpr int kLanes = 8;

constexpr int round_up_to_lanes(int n) { return (n + kLanes - 1) / kLanes * kLanes; }
constexpr std::size_t packed_size(int d) {
  return static_cast<std::size_t>(d) * static_cast<std::size_t>(d + 1) / 2;
}
// Working memory of Kernels::update(), in doubles.
constexpr std::size_t update_work(int d) { return 4 * static_cast<std::size_t>(d) + 8; }
// The index of L(row, column). REQUIRES column <= row < d.
std::size_t packed_at(int d, int row, int column);

using Solve = void(const double* factor, int d, double* columns, int blocks, const double* c,
                   int heads, double* squares, double* dots);

// Bytes to look for; a byte may be listed twice. All are ASCII. Different bytes differ in their
// lowest four bits, from each other and from the end of a line.
struct Marks {
  char a, b, c;
};

// What find_lines() found.
struct MarkedLines {
  std::size_t places, lines;
  bool ascii;  // no byte of the text is above 127
};

// The word that is expected at some place of a text, with the byte before it.
struct ExpectedText {
  // Its bytes, and which of them count. Without a text these are no bytes of UTF-8.
  std::uint64_t head[2] = {~std::uint64_t{0}, 0}, mask[2] = {~std::uint64_t{0}, 0};
  // size without the byte before it; 0: no word is expected, or it has over 15 bytes
  std::size_t size = 0;
};

struct Kernels {
  const char* level;

  // block[8 j + lane] = row[lane][j], j < n; lanes from `count` (1 to 8) on repeat the last row.
  // Row i starts at rows + i stride.
  void (*pack)(const double* rows, std::size_t stride, int count, int n, double* block);
  // For `blocks` blocks of eight columns x, each d x 8 numbers: y = L^-1 x in place, then
  // squares[lane] = y . y and dots[head * 8 blocks + lane] = y . c_head, c being heads x d, heads
  // >= 1.
  Solve* solve;
  // Adds x x' to A = L L' and x y_h to b_h, where c_h = L^-1 b_h. work holds update_work(d).
  // On return residuals[h] = y_h - x' A^-1 b_h (before the update), work holds L^-1 x of before,
  // and from work + 2 d on L^-1 x of after; returns 1 + x' A^-1 x.
  double (*update)(double* factor, int d, const double* x, double* c, int heads,
                   const double* outcomes, double* work, double* residuals);
  // y = L^-1 x for one vector, with the same bits as a lane of solve().
  void (*solve_one)(const double* factor, int d, const double* x, double* y);
  // x = L'^-1 y for one vector.
  void (*solve_transposed)(const double* factor, int d, const double* y, double* x);

  // One lane of solve(), with the same bits: y = L^-1 x for one vector, its square, and dots[head].
  void (*solve_lane)(const double* factor, int d, const double* x, double* y, const double* c,
                     int heads, double* square, double* dots);

  double (*dot)(const double* a, const double* b, int n);
  // out[i] = row i . weights. Row i has n numbers from rows + i stride on. The bits of a row do not
  // depend on the number of rows.
  void (*dots)(const double* rows, std::size_t stride, int count, int n, const double* weights,
               double* out);
  // sum of value[i] weights[index[i]].
  double (*sparse_dot)(const std::int32_t* index, const double* value, int count,
                       const double* weights);
  // out = weights + sum over i of x[i] row i, for `count` contiguous rows of n numbers.
  void (*fold)(const double* weights, const double* rows, int count, int n, const double* x,
               double* out);
  // out = every x[i] times the n numbers y: first those of x[0], then those of x[1], ...
  void (*products)(const double* x, int count, const double* y, int n, double* out);
  // AdaGrad's step on one head: g = slope x; G += g^2; w -= rate g / sqrt(G), clamped to +-radius.
  void (*adagrad)(double* weights, double* squares, const double* x, int n, double slope,
                  double rate, double radius);
  // AdaGrad's step for a sparse x: only for the coordinates index[i], where x is value[i].
  void (*sparse_adagrad)(double* weights, double* squares, const std::int32_t* index,
                         const double* value, int count, double slope, double rate, double radius);
  // h = sum 1 / (lambda + c), dh = sum 1 / (lambda + c)^2.
  void (*inverse_sums)(const double* c, int n, double lambda, double* h, double* dh);
  // The spend of inverse gap weighting at these prices over a window of rounds, and its decrease as
  // prices rise; see kernels_window.h. work holds 8 actions numbers.
  void (*window_spend)(const double* reward, const double* cost, int actions, int rounds, int costs,
                       const double* prices, double twice_gamma, double* work, double* spend,
                       double* slopes);
  // exp and log of base/math.h.
  double (*exp)(double x);
  double (*log)(double x);
  // x = cos x for n numbers, clamped to |x| <= 1e6 first. x = exp(-x), clamped to [0, 40] first.
  // The absolute errors are below 1e-15 and 1e-13.
  void (*cosines)(double* x, int n);
  void (*decays)(double* x, int n);
  // out[i] = scale |z - point i|^2; number j of point i is points[j stride + i]. REQUIRES count a
  // multiple of 8.
  void (*distances)(const double* points, long stride, int count, const double* z, int n,
                    double scale, double* out);
  // out = rows, number j of every row times factors[j]; `count` contiguous rows of n numbers.
  void (*rescale)(const double* rows, int count, int n, const double* factors, double* out);
  // False if some |x| exceeds `limit` or is NaN; at the limit itself, exact up to rounding.
  bool (*all_within)(const double* x, std::size_t n, double limit);

  // Where the marks and the ends of lines are in text[0], ..., text[size - 1], ascending. lines[j] is
  // which of the places ends line j. 64 bytes after the text can be read; `places` has room for 8 more
  // than are found, and `lines` for 2 more.
  MarkedLines (*find_lines)(const char* text, std::size_t size, const Marks& marks,
                            const char** places, std::uint32_t* lines);
  // Reads words, each of them an expected text and a brief number: a minus sign or none, one digit,
  // a point, up to seven decimals. The first word begins at `at`, every other word right after the
  // end of the word before it. Writes the numbers, correctly rounded, and returns how many were
  // read. Reading ends up to three words before the first word of another form or with the number
  // 0. 64 bytes after the words and one before them can be read, and `out` has room for three more.
  std::size_t (*read_words)(const char* at, const char* const* ends, const ExpectedText* expected,
                            std::size_t count, double* out);
  // out[i] = whole number i over `scale`, a power of ten up to 10^9, correctly rounded. The numbers are
  // 2 bytes each, at any address.
  void (*divide_shorts)(const char* numbers, std::size_t count, double scale, double* out);
};

// The best level of this machine, or the one that REIN_CPU names; chosen once.
const Kernels& kernels();
// For tests: a level by name; null if the machine lacks it. The first level always exists.
const Kernels* kernels_at(std::string_view level);
#if defined(__x86_64__)
inline constexpr const char* kLevels[] = {"v2", "v3", "v4"};
#else
inline constexpr const char* kLevels[] = {"plain"};
#endif

}  // namespace rein
