// Reads JSON on standard input and writes the report page to standard output, without any runs.
#include <iostream>
#include <iterator>
#include <string>

#include "evaluate/report.h"

int main() {
  const std::string json(std::istreambuf_iterator<char>(std::cin), {});
  std::cout << rein::report_page(json);
  return std::cout ? 0 : 1;
}
