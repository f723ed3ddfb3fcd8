// Out-of-memory errors that say who asked for how much, and what would need less.
//
// They are exceptions, as in the standard library: any allocation may throw. OutOfMemory is a
// std::bad_alloc, so a handler for that catches it too. In Python it is a MemoryError.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <utility>

namespace rein {

// Thrown by an allocation that knows its size. The exception itself must not allocate.
class TooMuch : public std::bad_alloc {
 public:
  explicit TooMuch(std::size_t bytes) : bytes_(bytes) {}
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
};

class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// `WHO: out of memory: 16.3 GB were asked for at once; accepted: LESS`. An existing OutOfMemory
// keeps its message, which is closer to the cause.
OutOfMemory out_of_memory(const std::bad_alloc& thrown, const std::string& who,
                          const std::string& less);

}  // namespace rein
