// The grammar of specs: what parses, how it prints, and the messages for text that does not parse.
#include "rein/spec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "property.h"

namespace rein {

// Ignores offsets, which say where a value was and not what it is.
static bool same(const SpecValue& a, const SpecValue& b);
static bool same(const Spec& a, const Spec& b) {
  if (a.name != b.name || a.options.size() != b.options.size()) return false;
  for (std::size_t i = 0; i < a.options.size(); ++i) {
    if (a.options[i].first != b.options[i].first) return false;
    if (!same(a.options[i].second, b.options[i].second)) return false;
  }
  return true;
}
static bool same(const SpecValue& a, const SpecValue& b) {
  if (a.is.index() != b.is.index()) return false;
  if (const auto* x = std::get_if<double>(&a.is)) return *x == std::get<double>(b.is);
  if (const auto* x = std::get_if<SpecValue::Quoted>(&a.is)) {
    return x->text == std::get<SpecValue::Quoted>(b.is).text;
  }
  if (const auto* x = std::get_if<Spec>(&a.is)) return same(*x, std::get<Spec>(b.is));
  const auto& x = std::get<SpecValue::List>(a.is);
  const auto& y = std::get<SpecValue::List>(b.is);
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!same(x[i], y[i])) return false;
  }
  return true;
}

namespace {

std::string error_of(std::string_view text) {
  const auto parsed = parse_spec(text, "policy spec");
  return parsed.ok() ? "parsed" : parsed.error();
}

// Random specs. Depth is the nesting that is still allowed.
rc::Gen<std::string> any_name() {
  return rc::gen::map(rc::gen::pair(rc::gen::elementOf(std::string("abcxyzABCXYZ_")),
                                    rc::gen::container<std::string>(
                                        rc::gen::elementOf(std::string("abcdefgXYZ_0123456789")))),
                      [](std::pair<char, std::string> name) { return name.first + name.second; });
}

rc::Gen<double> any_number() {
  const auto bits = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t x) {
    const auto number = std::bit_cast<double>(x * 0x9E3779B97F4A7C15ULL);
    return std::isfinite(number) ? number : 0.5;
  });
  return rc::gen::oneOf(
      bits, rc::gen::arbitrary<double>(),
      rc::gen::map(rc::gen::inRange(-1000, 1000), [](int x) { return static_cast<double>(x); }),
      rc::gen::element(0.0, -0.0, 5e-324, -5e-324, 1.7976931348623157e308, 0.1, 1e22, 1e23));
}

// Any bytes, with the meaningful ones more often than by chance.
rc::Gen<std::string> any_text() {
  return rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("\"\\()[]=,\n "))));
}

rc::Gen<Spec> any_spec(int depth);

rc::Gen<SpecValue> any_value(int depth) {
  const auto as_value = [](auto x) { return SpecValue{.is = std::move(x)}; };
  const auto number = rc::gen::map(any_number(), as_value);
  const auto quoted = rc::gen::map(any_text(), [](std::string text) {
    return SpecValue{.is = SpecValue::Quoted{std::move(text)}};
  });
  const auto word =
      rc::gen::map(any_name(), [](std::string name) { return SpecValue{.is = Spec(name)}; });
  if (depth == 0) return rc::gen::oneOf(number, quoted, word);
  return rc::gen::mapcat(rc::gen::inRange(0, 5), [=](int kind) -> rc::Gen<SpecValue> {
    if (kind == 0) return quoted;
    if (kind == 1) return word;
    if (kind == 2) return rc::gen::map(any_spec(depth - 1), as_value);
    if (kind == 3) {
      return rc::gen::map(
          rc::gen::resize(4, rc::gen::container<SpecValue::List>(any_value(depth - 1))), as_value);
    }
    return number;
  });
}

rc::Gen<Spec> any_spec(int depth) {
  const auto options =
      rc::gen::resize(4, rc::gen::container<std::vector<std::pair<std::string, SpecValue>>>(
                             rc::gen::pair(any_name(), any_value(depth))));
  return rc::gen::map(rc::gen::pair(any_name(), options), [](auto made) {
    Spec spec(made.first);
    for (auto& [key, value] : made.second) spec.set(key, value);
    return spec;
  });
}

TEST(Spec, WhatIsPrintedParsesToTheSameThing) {
  EXPECT_TRUE(rc::check([] {
    const Spec spec = *any_spec(3);
    const std::string text = spec.str();
    const auto parsed = parse_spec(text);
    RC_ASSERT(parsed.ok());
    RC_ASSERT(same(parsed.value(), spec));
    RC_ASSERT(parsed.value().str() == text);
  }));
}

TEST(Spec, NothingMakesTheParserThrow) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element(
        'a', 'b', '1', '.', '-', '+', 'e', '(', ')', '[', ']', '=', ',', '"', '\\', ' ', '\xff'));
    const auto parsed = parse_spec(text);
    if (parsed.ok()) RC_ASSERT(parse_spec(parsed.value().str()).ok());
    (void)parse_specs(text).ok();
  }));
}

TEST(Spec, PrintsItsKeysSorted) {
  const Spec spec =
      parse_spec(" ccb ( rounds = 5e4 , budget=+1000,\n\toracle=vaw(reg=.5) )").value();
  EXPECT_EQ(spec.str(), "ccb(budget=1000,oracle=vaw(reg=0.5),rounds=50000)");
}

TEST(Spec, AWordIsASpecWithoutOptions) {
  EXPECT_EQ(parse_spec("ccb()").value().str(), "ccb");
  const Spec spec = parse_spec("ccb(oracle=vaw(),setting=knapsack)").value();
  EXPECT_EQ(spec.str(), "ccb(oracle=vaw,setting=knapsack)");
  EXPECT_EQ(std::get<Spec>(spec.find("setting")->is).name, "knapsack");
}

TEST(Spec, QuotesCarryAnyText) {
  const Spec spec = parse_spec(R"(table(file="a \"b\" \\ (c),d=\e"))").value();
  EXPECT_EQ(std::get<SpecValue::Quoted>(spec.find("file")->is).text, R"(a "b" \ (c),d=e)");
  EXPECT_EQ(spec.str(), R"(table(file="a \"b\" \\ (c),d=e"))");
}

TEST(Spec, ListsHoldValuesOfAnyKind) {
  const Spec spec = parse_spec(R"(a(b=[1, x, "y", [2], z(w=3)],c=[]))").value();
  EXPECT_EQ(spec.str(), R"(a(b=[1,x,"y",[2],z(w=3)],c=[]))");
}

TEST(Spec, RemembersWhereThingsStood) {
  const Spec spec = parse_spec("  ccb( u = 12)").value();
  EXPECT_EQ(spec.at, 2);
  EXPECT_EQ(spec.find("u")->key_at, 7);
  EXPECT_EQ(spec.find("u")->at, 11);
  EXPECT_EQ(Spec("ccb").at, -1);
}

TEST(Spec, SetReplacesAndKeepsTheOrder) {
  Spec spec("a");
  spec.set("y", {.is = 1.0});
  spec.set("x", {.is = 2.0});
  spec.set("y", {.is = 3.0});
  EXPECT_EQ(spec.str(), "a(x=2,y=3)");
  EXPECT_EQ(spec.find("z"), nullptr);
}

struct Bad {
  std::string text;
  std::string message;
};

TEST(Spec, EveryRefusalSaysWhatAndWhere) {
  const Bad table[] = {
      {"", "expected a name at 0, found end of text"},
      {"   ", "expected a name at 3, found end of text"},
      {"7up", "expected a name at 0, found \"7\""},
      {"(a=1)", "expected a name at 0, found \"(\""},
      {"\xc3\xa9", "expected a name at 0, found byte 0xc3"},
      {std::string("a\0b", 3), "expected end of text at 1, found byte 0x00"},
      {"ccb)", "expected end of text at 3, found \")\""},
      {"ccb x", "expected end of text at 4, found \"x\""},
      {"ccb,greedy", "expected end of text at 3, found \",\""},
      {"ccb(", "expected a key at 4, found end of text"},
      {"ccb(,)", "expected a key at 4, found \",\""},
      {"ccb(u=1,)", "expected a key at 8, found \")\""},
      {"ccb(1=2)", "expected a key at 4, found \"1\""},
      {"ccb(u)", "expected \"=\" after key \"u\" at 5, found \")\""},
      {"ccb(u=)", "expected a number, a word, \"text\", [list] or a spec at 6, found \")\""},
      {"ccb(u=", "expected a number, a word, \"text\", [list] or a spec at 6, found end of text"},
      {"ccb(u=1", "expected \",\" or \")\" at 7, found end of text"},
      {"ccb(u=1 v=2)", "expected \",\" or \")\" at 8, found \"v\""},
      {"log(file=a.csv)",
       "expected \",\" or \")\" at 10, found \".\"; a path needs quotes, as file=\"log.csv\""},
      {"log(file=/a)",
       "expected a number, a word, \"text\", [list] or a spec at 9, found \"/\"; a path needs quotes, "
       "as file=\"log.csv\""},
      {"ccb(u=[1,2)", "expected \",\" or \"]\" at 10, found \")\""},
      {"ccb(u=[1,])", "expected a number, a word, \"text\", [list] or a spec at 9, found \"]\""},
      {"ccb(u=1,u=2)", "key \"u\" given twice, again at 8"},
      {"ccb(u=\"x)", "the text that opens at 6 has no closing quote"},
      {"ccb(u=\"x\\", "the text that opens at 6 has no closing quote"},
      {"ccb(u=1.5.2)", "\"1.5.2\" at 6 is not a finite number"},
      {"ccb(u=12k)", "\"12k\" at 6 is not a finite number"},
      {"ccb(u=0x10)", "\"0x10\" at 6 is not a finite number"},
      {"ccb(u=1e999)", "\"1e999\" at 6 is not a finite number"},
      {"ccb(u=-inf)", "\"-inf\" at 6 is not a finite number"},
      {"ccb(u=-nan)", "\"-nan\" at 6 is not a finite number"},
      {"ccb(u=+)", "\"+\" at 6 is not a finite number"},
      {"ccb(u=-)", "\"-\" at 6 is not a finite number"},
      {"ccb(u=+-5)", "\"+-5\" at 6 is not a finite number"},
  };
  for (const Bad& row : table) {
    EXPECT_EQ(error_of(row.text), "policy spec: " + row.message) << row.text;
  }
}

// a(k=a(k=...)), `levels` pairs of brackets in all.
std::string nested_specs(int levels) {
  std::string text = "a";
  for (int i = 0; i < levels; ++i) text = "a(k=" + text + ")";
  return text;
}
std::string nested_lists(int levels) {
  std::string text = "1";
  for (int i = 1; i < levels; ++i) text = "[" + text + "]";
  return "a(k=" + text + ")";
}

TEST(Spec, NestsSixteenDeepAndNoDeeper) {
  EXPECT_EQ(error_of(nested_specs(kMaxSpecDepth)), "parsed");
  EXPECT_EQ(error_of(nested_specs(kMaxSpecDepth + 1)), "policy spec: nested deeper than 16 at 65");
  EXPECT_EQ(error_of(nested_lists(kMaxSpecDepth)), "parsed");
  EXPECT_EQ(error_of(nested_lists(kMaxSpecDepth + 1)), "policy spec: nested deeper than 16 at 19");
  std::string spaced = nested_specs(kMaxSpecDepth + 1);
  spaced.insert(66, "  ");  // after the bracket that is one too many
  EXPECT_EQ(error_of(spaced), "policy spec: nested deeper than 16 at 65");
  EXPECT_EQ(error_of(nested_specs(10'000)), "policy spec: nested deeper than 16 at 65");
}

TEST(Spec, TextOverTheLimitIsRefusedUnread) {
  const std::string fits(static_cast<std::size_t>(kMaxSpecBytes), 'a');
  EXPECT_EQ(error_of(fits), "parsed");
  EXPECT_EQ(error_of(fits + "a"), "policy spec: 65537 bytes, at most 65536 are accepted");
  EXPECT_EQ(parse_specs(fits + "a", "policies").error(),
            "policies: 65537 bytes, at most 65536 are accepted");
}

TEST(Spec, SeveralSpecsHaveCommasBetween) {
  const auto specs = parse_specs("ccb, squarecb(gamma_scale=5) ,uniform").value();
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[1].str(), "squarecb(gamma_scale=5)");
  EXPECT_EQ(specs[1].at, 5);
  EXPECT_EQ(parse_specs("ccb,").error(), "spec: expected a name at 4, found end of text");
  EXPECT_EQ(parse_specs("ccb)").error(), "spec: expected \",\" or end of text at 3, found \")\"");
}

}  // namespace
}  // namespace rein
