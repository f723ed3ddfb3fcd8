// JsonLists: reads a cell that is a list in JSON, of texts or of numbers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rein {

class JsonLists {
 public:
  JsonLists();
  ~JsonLists();
  JsonLists(JsonLists&&) noexcept;
  JsonLists& operator=(JsonLists&&) noexcept;

  // False if the cell is anything else. Texts may also be whole numbers.
  bool texts(std::string_view cell, std::vector<std::string>& out);
  bool numbers(std::string_view cell, std::vector<double>& out);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace rein
