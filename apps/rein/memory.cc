// operator new of this program: on failure it reports how much was asked for.
#include "base/memory.h"

#include <cstdlib>

void* operator new(std::size_t bytes) {
  void* found = std::malloc(bytes == 0 ? 1 : bytes);
  if (found == nullptr) throw rein::TooMuch(bytes);
  return found;
}

void operator delete(void* found) noexcept { std::free(found); }
void operator delete(void* found, std::size_t) noexcept { std::free(found); }
