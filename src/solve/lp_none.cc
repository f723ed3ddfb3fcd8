// Lp in a library that was built without CLP: it compiles, and throws if it is made.
#include "base/check.h"
#include "solve/lp.h"

namespace rein {

bool has_lp() { return false; }

struct Lp::Clp {};

Lp::Lp() { check(has_lp(), "no Lp is made in a library that was built without CLP"); }
Lp::~Lp() = default;
Lp::Lp(Lp&&) noexcept = default;
Lp& Lp::operator=(Lp&&) noexcept = default;

int Lp::add_row(double, double) { return 0; }
int Lp::add_column(double, std::span<const int>, std::span<const double>) { return 0; }
void Lp::set_row(int, double, double) {}
void Lp::set_value(int, double) {}
void Lp::drop(int) {}
int Lp::rows() const { return 0; }
int Lp::columns() const { return 0; }
LpStatus Lp::maximize() { return LpStatus::kStopped; }
double Lp::value() const { return 0.0; }
double Lp::x(int) const { return 0.0; }
double Lp::price(int) const { return 0.0; }

}  // namespace rein
