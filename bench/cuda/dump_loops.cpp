// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Writes what `run --device cuda` would hand to a GPU, one file for each loop of the given sources: for machines that have a GPU but
//! not the analyser. Usage: dump_loops FOLDER FILE…; with FOLDER "-", only compiles each for sm_90a and reports.
#include <cstdio>
#include <fstream>

#include "analyse.hpp"
#include "derive/settle.hpp"
#include "device/compile.hpp"
#include "device_glue.hpp"
#include "emit/cpp.hpp"
#include "failure.hpp"
#include "frontend/frontend.hpp"
#include "glue.hpp"

using namespace twofold;
using namespace twofold::analyser;
using namespace twofold::cli;

static void write(const std::string& folder, const spec& s, const cpp_reduction& r, const device_text& t) {
  std::ofstream out(folder + "/" + s.file.substr(s.file.rfind('/') + 1) + "." + s.function + ".loop");
  out << s.function << ' ' << t.has_whole << ' ' << s.parameters.size() << '\n';
  for (const parameter& p : s.parameters)
    out << p.name << ' '
        << (p.role == parameter_role::scalar   ? "scalar"
            : p.role == parameter_role::length ? "length"
                                               : "array")
        << ' ' << cpp_name(p.element) << '\n';
  out << r.outputs.size() << '\n';
  for (const emitted_output& o : r.outputs) out << o.name << ' ' << cpp_name(o.type) << '\n';
  out << r.each.size() << '\n';
  for (const emitted_each& e : r.each) out << parameter_index(s, e.array) << ' ' << e.is_scan << '\n';
  out << t.text;
}

int main(int count, char** words) {
  const device::keeper none{[](const std::string&) -> std::optional<std::string> { return {}; },
                            [](const std::string&, const std::string&) {}};
  int refused = 0;
  for (int i = 2; i < count; ++i) {
    const frontend_result r = read_source(words[i], "", {.include_dirs = {}, .standard = "c++20", .cache_dir = ""});
    for (const spec& s : r.specs) try {
        decision d = decide_loop(s, {.seconds = 10, .max_nodes = 2'000'000, .seed = 1});
        if (d.verdict != verdict::associative) continue;
        settle(d, 1);
        const cpp_reduction reduction = cpp_structure(s, d);
        const device_text text = device_glue(s, reduction);
        if (std::string(words[1]) != "-") write(words[1], s, reduction, text);
        const device::compiled c = device::compile(text.text, s.function + ".cu", "sm_90a", none);
        std::printf("%-24s %6zu bytes in %.2f s\n", s.function.c_str(), c.code.size(), c.seconds);
      } catch (const cli::failure& f) {
        std::printf("%-24s %s: %s\n", s.function.c_str(), f.code.c_str(), f.why.c_str());
      } catch (const device::failure& f) {
        ++refused;
        std::printf("%-24s %s: %s\n", s.function.c_str(), f.code.c_str(), f.why.c_str());
      } catch (const emit_error& e) {
        std::printf("%-24s %s\n", s.function.c_str(), e.why.c_str());
      }
    std::fflush(stdout);
  }
  return refused > 0 ? 1 : 0;
}
