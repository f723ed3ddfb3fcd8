// A table for people: a header, rows, and columns as wide as necessary.
#pragma once

#include <string>
#include <vector>

namespace rein::app {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // The first column is left-aligned, the others right-aligned.
  std::string str() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// 1234.5 -> "1234", 0.01234 -> "0.0123": three or four digits, exponents only if necessary.
std::string brief(double value);

}  // namespace rein::app
