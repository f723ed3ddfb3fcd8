#include "log/text_sink.h"

#include <zlib.h>

#include <new>

namespace rein {

struct TextSink::Gzip {
  Gzip() : out(kBytes, '\0') {
    constexpr int kGzipWindow = 15 + 16;  // the largest window, with a gzip header
    constexpr int kMemory = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Gzip() { deflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  z_stream stream{};
  std::string out;
};

TextSink::TextSink(PieceFile file, std::unique_ptr<Gzip> gzip)
    : file_(std::move(file)), gzip_(std::move(gzip)) {}
TextSink::~TextSink() = default;
TextSink::TextSink(TextSink&&) noexcept = default;
TextSink& TextSink::operator=(TextSink&&) noexcept = default;

Result<TextSink> TextSink::open(const std::string& path) {
  auto file = PieceFile::open(path);
  if (!file) return file.failure();
  return TextSink(std::move(file).value(),
                  path.ends_with(".gz") ? std::make_unique<Gzip>() : std::unique_ptr<Gzip>());
}

Result<> TextSink::flush(bool last) {
  if (!gzip_) {
    auto written = file_.write(text_);
    text_.clear();
    return written;
  }
  z_stream& stream = gzip_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(text_.data());
  stream.avail_in = static_cast<uInt>(text_.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(gzip_->out.data());
    stream.avail_out = static_cast<uInt>(gzip_->out.size());
    deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    const std::size_t made = gzip_->out.size() - stream.avail_out;
    if (auto written = file_.write(std::string_view(gzip_->out).substr(0, made)); !written) {
      return written;
    }
  } while (stream.avail_out == 0);
  text_.clear();
  return {};
}

Result<> TextSink::finish() {
  if (auto flushed = flush(true); !flushed) return flushed;
  return file_.finish();
}

}  // namespace rein
