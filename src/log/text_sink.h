// TextSink: lines into a file that appears whole; gzip if its name ends in .gz.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/atomic_file.h"
#include "rein/result.h"

namespace rein {

class TextSink {
 public:
  static Result<TextSink> open(const std::string& path);
  ~TextSink();
  TextSink(TextSink&&) noexcept;
  TextSink& operator=(TextSink&&) noexcept;

  // The text to append to. Call flush_some() now and then.
  std::string& text() { return text_; }
  // Writes the text if it is long.
  Result<> flush_some() { return text_.size() < kBytes ? Result<>() : flush(false); }
  Result<> finish();

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 18;
  struct Gzip;
  TextSink(PieceFile file, std::unique_ptr<Gzip> gzip);
  Result<> flush(bool last);

  PieceFile file_;
  std::unique_ptr<Gzip> gzip_;
  std::string text_;
};

}  // namespace rein
