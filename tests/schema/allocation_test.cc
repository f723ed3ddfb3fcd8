// A schema allocates nothing once it is made: this program counts every operator new.
#include <gtest/gtest.h>

#include "allocations.h"
#include "schema/rows.h"

namespace rein {
namespace {

TEST(Allocation, NoRowAllocates) {
  const Schema made = schema_of({{"age", "number(missing=1)"},
                                 {"country", "category(most=500)"},
                                 {"query", "text"},
                                 {"zip", "category(most=200)"}});
  Schema schema = made;  // a copy has room too
  Numbers out(static_cast<std::size_t>(schema.size()));
  std::vector<std::string> countries;
  for (int i = 0; i < 1000; ++i) countries.push_back(std::string(40, 'x') + std::to_string(i));
  const long before = allocations;
  for (int i = 0; i < 1000; ++i) {
    const Cell row[] = {Cell::of(0.5 * i), Cell::of(countries[static_cast<std::size_t>(i)]),
                        Cell::of("how much is a red shoe"), Cell::of(10000.0 + i)};
    schema.take(row, out).check();
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace rein
