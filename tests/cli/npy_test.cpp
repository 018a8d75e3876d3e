// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file .npy files: what NumPy writes is read, what lies is refused with the code that says how, nothing half-written stays.
#include "npy.hpp"

#include "failure.hpp"
#include "support.hpp"

namespace twofold::tests {
namespace {

std::string header(const std::string& dictionary, int major = 1) {
  std::string h = dictionary + "\n", length;
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) length += static_cast<char>(h.size() >> (8 * i) & 0xff);
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' + length + h;
}
const std::string plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
const std::string six(24, '\0');

std::string code_of(const std::string& bytes) {
  const folder here;
  try {
    cli::read_npy(here.write("x.npy", bytes));
    return "read";
  } catch (const cli::failure& f) {
    EXPECT_EQ(f.exit, cli::exit_code::bad_input);
    EXPECT_FALSE(f.why.empty());
    EXPECT_FALSE(f.fix.empty());
    return f.code;
  }
}

TEST(npy, reads_every_version_and_spelling) {
  EXPECT_EQ(code_of(header(plain) + six), "read");
  EXPECT_EQ(code_of(header(plain, 2) + six), "read");
  EXPECT_EQ(code_of(header(plain, 3) + six), "read");
  EXPECT_EQ(code_of(header("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}") + six), "read");
  EXPECT_EQ(code_of(header("{'descr': '<f4', 'fortran_order': False, 'shape': (), }") + "\1\2\3\4"), "read");
  EXPECT_EQ(code_of(header("{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }")), "read");
  EXPECT_EQ(code_of(header("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807), }")), "read");
}

TEST(npy, refuses_what_is_no_npy_file) {
  for (const std::string& bytes : std::vector<std::string>{
           "", "hello", "\x93NUMPX\x01\x00", header(plain, 4) + six, header("[1, 2]") + six, header("{'descr': '<f4'}") + six,
           header(plain + " trailing") + six, header("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2, 3)}") + six,
           header("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}") + six,
           header("{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}") + six,
           header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}") + six,
           header("{'descr': '<f4, 'fortran_order': False}") + six,
           header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}") + six,
           header("{'descr': '<f4', 'extra': 1}") + six})
    EXPECT_EQ(code_of(bytes), "TF2110") << bytes;
}

TEST(npy, refuses_files_that_lie_about_their_size) {
  const std::string whole = header(plain) + six;
  for (std::size_t cut = 6; cut < whole.size(); ++cut) {
    const std::string code = code_of(whole.substr(0, cut));
    EXPECT_TRUE(code == "TF2111" || code == "TF2110") << cut << " bytes: " << code;
  }
  EXPECT_EQ(code_of(whole.substr(0, whole.size() - 1)), "TF2111");
  EXPECT_EQ(code_of(whole + "x"), "TF2111");
  EXPECT_EQ(code_of(header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}") + six), "TF2111");
  EXPECT_EQ(code_of(header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}") + six), "TF2111");
  EXPECT_EQ(code_of(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}") + six), "TF2111");
  std::string lying = whole;
  lying[8] = '\xff', lying[9] = '\xff';
  EXPECT_EQ(code_of(lying), "TF2111");
}

TEST(npy, refuses_element_types_that_no_loop_reads) {
  for (const char* type : {"'>f4'", "'<c8'", "'|S4'", "'|O'", "'<f2'", "[('a', '<f4')]", "'<U3'", "''"})
    EXPECT_EQ(code_of(header(std::string("{'descr': ") + type + ", 'fortran_order': False, 'shape': (6,)}") + six), "TF2112") << type;
  EXPECT_EQ(code_of(header("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}") + "\1\2"), "TF2110");
}

TEST(npy, turns_fortran_matrices_over) {
  const folder here;
  const std::vector<float> by_columns{1, 4, 2, 5, 3, 6};
  std::string bytes = header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }");
  bytes.append(reinterpret_cast<const char*>(by_columns.data()), 24);
  const cli::npy_array a = cli::read_npy(here.write("x.npy", bytes));
  EXPECT_EQ(a.data, (array_of<float>("<f4", {2, 3}, {1, 2, 3, 4, 5, 6}).data));
  EXPECT_EQ(code_of(header("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2, 3), }") + six), "TF2113");
}

TEST(npy, reads_back_what_it_wrote) {
  const folder here;
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{{}, {1}, {6}, {2, 3}, {0}, {3, 0}, {1, 2, 3}}) {
    std::int64_t n = 1;
    for (const std::int64_t d : shape) n *= d;
    const cli::npy_array a = array_of<double>("<f8", shape, std::vector<double>(static_cast<std::size_t>(n), 1.5));
    cli::write_npy(here / "a.npy", a);
    const cli::npy_array b = cli::read_npy(here / "a.npy");
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(a.data, b.data);
    EXPECT_EQ((cli::read_file(here / "a.npy").size() - a.data.size()) % 64, 0u);
  }
  EXPECT_EQ(here.files(), 1u) << "temporary files stay behind";
}

TEST(npy, a_failed_write_leaves_nothing) {
  const folder here;
  std::filesystem::create_directory(here / "goal");  // a folder cannot be replaced by a file
  EXPECT_THROW(cli::write_npy(here / "goal", array_of<float>("<f4", {1}, {1})), cli::failure);
  EXPECT_THROW(cli::write_npy(here / "absent/x.npy", array_of<float>("<f4", {1}, {1})), cli::failure);
  EXPECT_EQ(here.files(), 1u);
}

}  // namespace
}  // namespace twofold::tests
