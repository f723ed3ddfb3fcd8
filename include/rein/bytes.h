// ByteWriter and ByteReader: exact serialisation of state. Little-endian, doubles as their bits.
// Every record starts with a tag, so bytes of another kind are refused by name.
//
// The state of a part of a policy is mostly a tag, sizes and numbers. state() takes them as one
// list, and the same list reads them back:
//
//     out.state("ons", heads_.known(d, sets), factors_, theta_, loss_);
//     return in.state("ons", heads_.known(d, sets), factors_, theta_, loss_);
//
// Saved state has a version (rein/state_version.h). Writer and reader carry the version to every
// part. A part whose form changed asks for the version, so that older bytes stay readable and older
// hashes equal:
//
//     if (out.version() >= 7) out.i64(since_);
//     since_ = in.version() >= 7 ? in.count() : 0;
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rein/result.h"

namespace rein {

// The version of bytes that were given no other version: every part has its newest form.
inline constexpr int kNewestForm = 1 << 30;

// A size that both sides know. The value read must be equal.
struct Known {
  std::string_view what;
  std::int64_t is;
};

class ByteWriter {
 public:
  ByteWriter() = default;
  // Reuses the memory of this string, so that repeated writes allocate only once.
  explicit ByteWriter(std::string room) : bytes_(std::move(room)) { bytes_.clear(); }
  // Writes state in the form that this version has.
  explicit ByteWriter(int version) : version_(version) {}
  int version() const { return version_; }

  void u64(std::uint64_t value);
  void i64(std::int64_t value) { u64(static_cast<std::uint64_t>(value)); }
  void f64(double value);
  void f64s(std::span<const double> values);  // without a length: the reader knows it
  void text(std::string_view value);          // length, then bytes
  void tag(std::string_view name) { text(name); }
  // Each part is a double, a list of doubles, sizes, or an object with save().
  template <class... Parts>
  void parts(const Parts&... each) {
    (put(each), ...);
  }
  template <class... Parts>
  void state(std::string_view name, const Parts&... each) {
    tag(name);
    parts(each...);
  }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Part>
  void put(const Part& part) {
    if constexpr (std::is_same_v<Part, double>) {
      f64(part);
    } else if constexpr (std::is_same_v<Part, Known>) {
      i64(part.is);
    } else if constexpr (requires { part.save(*this); }) {
      part.save(*this);
    } else if constexpr (std::is_convertible_v<const Part&, std::span<const Known>>) {
      for (const Known& size : part) put(size);
    } else {
      f64s(part);
    }
  }

  std::string bytes_;
  int version_ = kNewestForm;
};

// After the first failure every read returns zeros, and finish() returns the error.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes, int version = kNewestForm)
      : rest_(bytes), version_(version) {}
  // The version of the state that these bytes hold. The caller that reads the number sets it.
  int version() const { return version_; }
  void set_version(int version) { version_ = version; }
  // Reads the number of a version and sets version(). Fails unless the number is from `oldest` to
  // `newest`; the message names what was found and what this program reads.
  void read_version(std::string_view what, int oldest, int newest);

  std::uint64_t u64();
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  // A count, of rounds for example. Fails unless it is from 0 to 2^53, so that additions are safe.
  std::int64_t count();
  double f64();
  void f64s(std::span<double> out);
  std::string text();
  // Fails unless the next text is this name.
  void tag(std::string_view name);
  // Fails unless `found`, a number that was just read, equals `expected`.
  void expect(std::string_view what, std::int64_t found, std::int64_t expected);
  // The next number. Fails and returns `low` if it is not from low to high.
  std::int64_t between(std::string_view what, std::int64_t low, std::int64_t high);
  // Reads what the writer's parts() and state() wrote.
  template <class... Parts>
  void parts(Parts&&... each) {
    (get(each), ...);
  }
  template <class... Parts>
  Result<> state(std::string_view name, Parts&&... each) {
    tag(name);
    parts(each...);
    return status();
  }

  // From here on, arrays with `to` blocks of numbers, one block per action, were saved with `from`
  // blocks (Policy::load). The blocks of the other actions keep their numbers.
  void grow(int from, int to) {
    from_ = from;
    to_ = to;
  }
  bool grows() const { return to_ > from_; }
  // How many of these blocks were saved, and their part of the numbers of all blocks.
  int saved(int blocks) const { return blocks == to_ ? from_ : blocks; }
  template <class Numbers>
  auto saved(Numbers& all, int blocks) {
    const std::size_t each = all.size() / static_cast<std::size_t>(blocks);
    if (renews(blocks)) keep(std::span(all).subspan(each * static_cast<std::size_t>(new_), each));
    return std::span(all).first(each * static_cast<std::size_t>(saved(blocks)));
  }

  // From here on, arrays with `of` blocks of numbers, one block per action, do not take over the
  // block of the action at `place` (Shape::new_place). The block is read and then put back to its
  // numbers before, as if the action were new. saved() notes such blocks; the caller of saved()
  // calls put_back() after reading them.
  void renew(int place, int of) {
    new_ = place;
    from_ = to_ = of;
  }
  bool renews(int blocks) const { return new_ >= 0 && blocks == to_; }
  int renewed() const { return new_; }
  // Notes a block that put_back() restores.
  template <class Number>
  void keep(std::span<Number> block) {
    put_back_.push_back([block, before = std::vector<Number>(block.begin(), block.end())] {
      std::copy(before.begin(), before.end(), block.begin());
    });
  }
  void put_back() {
    for (const auto& each : put_back_) each();
    put_back_.clear();
  }

  // For callers that find an error in what they read.
  void fail(std::string message);
  // Number of unread bytes: an upper limit for counts that were read.
  std::size_t left() const { return rest_.size(); }
  bool ok() const { return error_.empty(); }
  // The first failure, if any.
  Result<> status() const;
  // status(), and a failure if bytes are left unread.
  Result<> finish() const;

 private:
  template <class Part>
  void get(Part& part) {
    if constexpr (std::is_same_v<Part, double>) {
      part = f64();
    } else if constexpr (std::is_same_v<std::remove_const_t<Part>, Known>) {
      expect(part.what, i64(), part.is);
    } else if constexpr (requires { part.load(*this); }) {
      static_cast<void>(part.load(*this));  // a failure is stored in the reader
    } else if constexpr (std::is_convertible_v<Part&, std::span<const Known>>) {
      for (const Known& size : part) get(size);
    } else {
      f64s(part);
    }
  }

  std::string_view rest_;
  int version_ = kNewestForm;
  std::string error_;
  int from_ = 0;
  int to_ = -1;
  int new_ = -1;
  std::vector<std::function<void()>> put_back_;
};

}  // namespace rein
