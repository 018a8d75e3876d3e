// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Inputs of `run`: lengths follow from shapes, types are never converted, contradictions are said before anything runs.
#include "bind.hpp"

#include "decisions.hpp"
#include "failure.hpp"
#include "scalar_text.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

struct binding_of_rows : testing::Test {
  folder here;
  std::string w = save("w.npy", array_of<float>("<f4", {4}, {1, 2, 3, 4})),
              matrix = save("m.npy", array_of<float>("<f4", {4, 3}, std::vector<float>(12))),
              flat = save("f.npy", array_of<float>("<f4", {12}, std::vector<float>(12)));

  std::string save(const std::string& name, const cli::npy_array& a) const {
    cli::write_npy(here / name, a);
    return here / name;
  }
  static std::string code(const spec& s, const cli::given& g) {
    try {
      cli::bind(s, g);
      return "bound";
    } catch (const cli::failure& f) {
      EXPECT_FALSE(f.fix.empty());
      return f.code;
    }
  }
};

TEST_F(binding_of_rows, lengths_follow_from_a_matrix) {
  const example x = weighted_rows();
  const cli::binding b = cli::bind(x.loop, {{{"w", w}, {"v", matrix}}, {}});
  EXPECT_EQ(cli::element_value(b.parameters[3].value, 0), 4);
  EXPECT_EQ(cli::element_value(b.parameters[4].value, 0), 3);
  EXPECT_EQ(b.parameters[2].value.shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(b.first, 0);
  EXPECT_EQ(b.last, 4);
}

TEST_F(binding_of_rows, a_flat_array_needs_the_length_of_a_row) {
  const spec s = weighted_rows().loop;
  EXPECT_EQ(code(s, {{{"w", w}, {"v", flat}}, {}}), "TF2114");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", flat}}, {{"d", "3"}}}), "bound");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", flat}}, {{"d", "5"}}}), "TF2116");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", flat}}, {{"d", "4"}}}), "TF2116") << "3 rows for 4 weights";
}

TEST_F(binding_of_rows, refuses_what_does_not_fit) {
  const spec s = weighted_rows().loop;
  const std::string doubles = save("d.npy", array_of<double>("<f8", {4}, {1, 2, 3, 4})),
                    cube = save("c.npy", array_of<float>("<f4", {4, 3, 1}, std::vector<float>(12))),
                    point = save("p.npy", array_of<float>("<f4", {}, {1})), three = save("t.npy", array_of<float>("<f4", {3}, {1, 2, 3}));
  EXPECT_EQ(code(s, {{{"v", matrix}}, {}}), "TF2114");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", matrix}, {"u", w}}, {}}), "TF2114");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", matrix}}, {{"w", "1"}}}), "TF2114");
  EXPECT_EQ(code(s, {{{"w", doubles}, {"v", matrix}}, {}}), "TF2112");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", cube}}, {}}), "TF2113");
  EXPECT_EQ(code(s, {{{"w", point}, {"v", matrix}}, {}}), "TF2113");
  EXPECT_EQ(code(s, {{{"w", three}, {"v", matrix}}, {}}), "TF2116");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", matrix}}, {{"n", "5"}}}), "TF2116");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", matrix}}, {{"n", "four"}}}), "TF2115");
  EXPECT_EQ(code(s, {{{"w", w}, {"v", matrix}}, {{"n", "99999999999"}}}), "TF2115");
  EXPECT_EQ(code(s, {{{"w", here / "absent.npy"}, {"v", matrix}}, {}}), "TF2125");
}

TEST(scalars, are_read_as_their_type_and_nothing_else) {
  cli::npy_array a;
  EXPECT_TRUE(cli::parse_scalar("0.1", "<f4", a));
  EXPECT_EQ(cli::element_value(a, 0), static_cast<double>(0.1f));
  EXPECT_TRUE(cli::parse_scalar("-inf", "<f8", a));
  EXPECT_TRUE(cli::parse_scalar("true", "|b1", a));
  EXPECT_TRUE(cli::parse_scalar("-128", "|i1", a));
  for (const auto& [text, dtype] : std::vector<std::pair<std::string, std::string>>{{"", "<f4"},
                                                                                    {"1.5", "<i4"},
                                                                                    {"128", "|i1"},
                                                                                    {"-1", "<u8"},
                                                                                    {"1x", "<f8"},
                                                                                    {" 1", "<i4"},
                                                                                    {"yes", "|b1"},
                                                                                    {"1e999", "<f8"},
                                                                                    {"0x10", "<i4"}})
    EXPECT_FALSE(cli::parse_scalar(text, dtype, a)) << text << " as " << dtype;
}

TEST(scalars, differences_know_nan_and_infinities) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const auto differ = [](double x, double y) {
    return cli::max_difference(array_of<double>("<f8", {1}, {x}), array_of<double>("<f8", {1}, {y}));
  };
  EXPECT_EQ(differ(1, 1.5), 0.5);
  EXPECT_EQ(differ(nan, nan), 0);
  EXPECT_EQ(differ(inf, inf), 0);
  EXPECT_EQ(differ(inf, -inf), inf);
  EXPECT_TRUE(std::isnan(differ(nan, 1)));
  EXPECT_EQ(cli::element_json(array_of<double>("<f8", {1}, {nan}), 0), "NaN");
  EXPECT_EQ(cli::element_json(array_of<float>("<f4", {1}, {0.1f}), 0).dump(), "0.1");
}

}  // namespace
}  // namespace twofold::tests
