// JSON on standard input, the report page on standard output: the page without the runs behind it.
#include <iostream>
#include <iterator>
#include <string>

#include "evaluate/page.h"

int main() {
  const std::string json(std::istreambuf_iterator<char>(std::cin), {});
  std::cout << rein::report_page(json);
  return std::cout ? 0 : 1;
}
