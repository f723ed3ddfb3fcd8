// Values that go to PostgreSQL and come back, in the binary form of its protocol. Used by
// postgres_*.cc only.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rein::postgres {

// The values of $1, $2, ... of a statement, in order. Views must live until the statement was sent;
// everything else is copied.
class Values {
 public:
  Values& number(std::int64_t value);  // bigint
  Values& number_or_null(std::optional<std::int64_t> value);
  Values& text(std::string_view value);                          // text
  Values& bytes(std::string_view value);                         // bytea; a view
  Values& numbers(std::span<const std::int64_t> values);         // bigint[]
  Values& texts(std::span<const std::string> values);            // text[]
  Values& many_bytes(std::span<const std::string_view> values);  // bytea[]

  int count() const { return static_cast<int>(parts_.size()); }
  // What libpq takes. The pointers are valid while this object lives and nothing is added.
  std::vector<const char*> pointers() const;
  std::vector<int> lengths() const;

 private:
  struct Part {
    std::string owned;
    std::string_view view;
    bool is_view = false;
    bool is_null = false;
  };
  Values& add(std::string owned);
  std::vector<Part> parts_;
};

// The rows of an answer, in binary form. A column that is read as another type than it has is a bug.
class Rows {
 public:
  Rows() = default;
  explicit Rows(PGresult* result) : result_(result) {}

  int count() const { return result_ ? PQntuples(result_.get()) : 0; }
  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  std::int64_t number(int row, int column) const;     // bigint
  bool truth(int row, int column) const;              // boolean
  std::string_view bytes(int row, int column) const;  // bytea or text
  std::string text(int row, int column) const { return std::string(bytes(row, column)); }
  std::vector<std::int64_t> numbers(int row, int column) const;  // bigint[]
  std::vector<std::string> texts(int row, int column) const;     // text[]
  // Rows that the statement inserted, changed or deleted.
  std::int64_t touched() const;

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

}  // namespace rein::postgres
