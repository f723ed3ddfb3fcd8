// SquareMatrix: the few operations on small square matrices that a confidence bound is refreshed
// with. Matrices are row by row, d x d. Symmetric ones have both halves.
#pragma once

namespace rein {

// With the Cholesky factor l of the symmetric positive definite a = l l', writes l^-1 to the lower
// half of `inverse`, and returns ln det a. NaN if some pivot is not above 0: then what was written
// is unspecified. `row` holds d numbers.
double invert_factor(int d, const double* a, double* inverse, double* row);
// Writes the inverse of the symmetric positive definite `a`, and returns ln det a. NaN if some
// pivot is not above 0: then the inverse is unspecified. `room` holds d x d numbers.
double invert(int d, const double* a, double* inverse, double* room);
// c = a b, for symmetric a.
void multiply(int d, const double* a, const double* b, double* c);
// out = a x.
void apply(int d, const double* a, const double* x, double* out);
// x' a x, for symmetric a.
double form(int d, const double* a, const double* x);
// a += weight x x'.
void add_outer(int d, double weight, const double* x, double* a);
// The sum of a_ij b_ij.
double inner(int d, const double* a, const double* b);

}  // namespace rein
