// Zeroed: an array of fixed size, filled with zero bytes. The system provides its pages when they
// are first written, so a large array that stays nearly empty uses almost no memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace rein {

template <class T>
class Zeroed {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit Zeroed(std::size_t size) : size_(size) {
    if (size == 0) return;
    numbers_.reset(static_cast<T*>(std::calloc(size, sizeof(T))));
    if (!numbers_) throw std::bad_alloc();
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return numbers_.get(); }
  const T* data() const { return numbers_.get(); }
  T& operator[](std::size_t i) { return numbers_.get()[i]; }
  const T& operator[](std::size_t i) const { return numbers_.get()[i]; }

 private:
  struct Free {
    void operator()(T* numbers) const { std::free(numbers); }
  };
  std::size_t size_;
  std::unique_ptr<T, Free> numbers_;
};

}  // namespace rein
