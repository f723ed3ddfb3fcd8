#include "serve/requests.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "property.h"

namespace rein::serve {
namespace {

RequestMark mark_of_number(std::uint64_t n) {
  return mark_of(7, std::to_string(n), "decide", "{}");
}

// What Requests promises, in the plainest form.
class Reference {
 public:
  explicit Reference(std::int64_t remember) : remember_(remember) {}
  void forget(std::int64_t now) {
    while (static_cast<std::int64_t>(known_.size()) > remember_ &&
           known_.front().at < now - kRequestSeconds) {
      known_.pop_front();
    }
  }
  void add(std::uint64_t request, std::int64_t entry, std::int64_t at) {
    forget(at);
    known_.push_back({request, entry, at});
  }
  std::int64_t find(std::uint64_t request) const {
    for (auto each = known_.rbegin(); each != known_.rend(); ++each) {
      if (each->request == request) return each->entry;
    }
    return 0;
  }
  std::int64_t size() const { return static_cast<std::int64_t>(known_.size()); }

 private:
  struct Known {
    std::uint64_t request;
    std::int64_t entry, at;
  };
  std::int64_t remember_;
  std::deque<Known> known_;
};

RC_GTEST_PROP(Requests, AreThoseOfAPlainList, ()) {
  const std::int64_t remember = *rc::gen::inRange<std::int64_t>(0, 20);
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 40), rc::gen::inRange(0, 3)));
  Requests requests(remember);
  Reference reference(remember);
  std::int64_t now = 1'000'000, entry = 0;
  for (const auto& [request, kind] : steps) {
    now += request * 1500;  // up to 16 hours
    const auto number = static_cast<std::uint64_t>(request);
    if (kind == 0) {
      requests.forget(now);
      reference.forget(now);
    } else {
      ++entry;
      requests.add(mark_of_number(number), entry, now);
      reference.add(number, entry, now);
    }
    RC_ASSERT(requests.size() == reference.size());
    for (std::uint64_t n = 0; n < 40; ++n) {
      RC_ASSERT(requests.find(mark_of_number(n)) == reference.find(n));
    }
  }
  // What is saved and loaded answers the same, and is saved the same.
  ByteWriter saved;
  requests.save(saved);
  Requests loaded(remember);
  ByteReader reader(saved.bytes());
  RC_ASSERT(loaded.load(reader).ok());
  ByteWriter again;
  loaded.save(again);
  RC_ASSERT(again.bytes() == saved.bytes());
  for (std::uint64_t n = 0; n < 40; ++n) {
    RC_ASSERT(loaded.find(mark_of_number(n)) == reference.find(n));
  }
}

TEST(Requests, AreKnownForADayAndWhileAmongTheLast) {
  Requests requests(2);
  requests.add(mark_of_number(1), 10, 0);
  requests.add(mark_of_number(2), 11, 0);
  requests.add(mark_of_number(3), 12, 0);
  requests.forget(kRequestSeconds);  // exactly a day later
  EXPECT_EQ(requests.find(mark_of_number(1)), 10);
  requests.forget(kRequestSeconds + 1);
  EXPECT_EQ(requests.find(mark_of_number(1)), 0);
  EXPECT_EQ(requests.find(mark_of_number(2)), 11) << "it is among the last two";
  EXPECT_EQ(requests.size(), 2);
}

TEST(Requests, AreFullUntilADayHasPassed) {
  Requests requests(1, 3);
  for (std::int64_t n = 1; n <= 3; ++n) {
    requests.add(mark_of_number(static_cast<std::uint64_t>(n)), n, 100);
  }
  EXPECT_TRUE(requests.full());
  requests.forget(100 + kRequestSeconds + 1);
  EXPECT_FALSE(requests.full());
}

TEST(Requests, RefuseSavedBytesThatCannotBe) {
  Requests requests(5);
  requests.add(mark_of_number(1), 1, 50);
  requests.add(mark_of_number(2), 2, 50);
  ByteWriter saved;
  requests.save(saved);
  const std::string bytes(saved.bytes());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(Requests(5).load(reader)) << size;
  }
  std::string wrong = bytes;
  wrong[16] = '\0';  // the first entry has number 0
  ByteReader reader(wrong);
  EXPECT_FALSE(Requests(5).load(reader));
}

TEST(RequestMark, DependsOnKeyVerbAndBody) {
  const RequestMark one = mark_of(1, "a", "decide", "{}");
  EXPECT_TRUE(one.same_request(mark_of(1, "a", "outcome", "[]")));
  EXPECT_NE(one.body, mark_of(1, "a", "outcome", "{}").body);
  EXPECT_NE(one.body, mark_of(1, "a", "decide", "{} ").body);
  EXPECT_FALSE(one.same_request(mark_of(2, "a", "decide", "{}")));
  EXPECT_FALSE(mark_of(0, "", "", "").empty());
  EXPECT_TRUE(RequestMark().empty());
}

}  // namespace
}  // namespace rein::serve
