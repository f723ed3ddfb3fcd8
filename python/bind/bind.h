// Helpers that the files of the binding share. The first line of each file names the public headers
// that it binds. The binding converts arrays to views, views to arrays, and refusals to exceptions.
// Logic belongs in the library; only locking is done here (engine.h).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rein/budget.h"
#include "rein/result.h"

namespace rein::bind {

namespace nb = nanobind;

// A refusal is a Failure on its way to Python; result.cc turns it into the exception for its
// reason.
template <class T>
T unwrap(Result<T> result) {
  return std::move(result).value();
}
inline void unwrap(const Result<>& result) { result.check(); }

// Arrays from numpy: contiguous rows of float64.
template <int N, class T = const double>
using Array = nb::ndarray<T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

// Amounts of keys as Python gives them.
using KeyAmounts = std::vector<std::pair<std::string, double>>;
// The quantile of the words of hold=; 0 for "largest".
inline double hold_in(const std::string& hold) { return unwrap(parse_hold(hold)); }

inline std::vector<KeyAmount> amounts_of(const KeyAmounts& given) {
  std::vector<KeyAmount> amounts;
  for (const auto& [key, amount] : given) amounts.push_back({key, amount});
  return amounts;
}

template <class Numbers>
auto span_of(const Numbers& array) {
  return std::span(array.data(), array.size());
}

// A Python object that C++ may copy, move and destroy without holding the interpreter's lock.
class Kept {
 public:
  explicit Kept(nb::object object)
      : object_(new nb::object(std::move(object)), [](nb::object* ended) {
          const nb::gil_scoped_acquire lock;
          delete ended;
        }) {}
  // REQUIRES the lock.
  const nb::object& operator*() const { return *object_; }

 private:
  std::shared_ptr<nb::object> object_;
};

// A new numpy array with a copy of these numbers.
template <class T>
nb::object copied(const T* numbers, std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (std::size_t side : shape) size *= side;
  auto* memory = new T[size > 0 ? size : 1];
  std::copy(numbers, numbers + size, memory);
  const nb::capsule owner(memory, [](void* ended) noexcept { delete[] static_cast<T*>(ended); });
  return nb::cast(nb::ndarray<nb::numpy, T>(memory, shape.size(), shape.begin(), owner));
}

void bind_result(nb::module_& module);
void bind_shape(nb::module_& module);
void bind_catalog(nb::module_& module);
void bind_own(nb::module_& module);
void bind_engine(nb::module_& module);
void bind_warm(nb::module_& module);
void bind_whatif_passes(nb::module_& module);
void bind_log(nb::module_& module);
void bind_evaluate(nb::module_& module);
void bind_explain(nb::module_& module);
void bind_run(nb::module_& module);
void bind_compare(nb::module_& module);
void bind_sweep(nb::module_& module);
void bind_verify(nb::module_& module);
void bind_report(nb::module_& module);
void bind_schema(nb::module_& module);
void bind_whatif(nb::module_& module);

}  // namespace rein::bind
