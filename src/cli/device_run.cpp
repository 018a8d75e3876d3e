// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file From a binding to answers by way of a GPU.
#include "device_run.hpp"

#include <algorithm>
#include <filesystem>

#include "cache.hpp"
#include "device/run_loop.hpp"
#include "device_glue.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "glue.hpp"

namespace twofold::cli {
using namespace analyser;
namespace fs = std::filesystem;

namespace {

//! Code in files named by their key, ending in a hash of themselves: a file that was cut or changed is compiled again.
device::keeper kept_in(const std::string& folder) {
  const auto path = [folder](const std::string& key) { return folder + "/" + content_hash(key) + ".cubin"; };
  const auto seal = [](const std::string& code) { return "\ntwofold " + content_hash(code); };
  return {[=](const std::string& key) -> std::optional<std::string> {
            if (!fs::exists(path(key))) return std::nullopt;
            const std::string bytes = read_file(path(key));
            const std::size_t size = seal({}).size();
            if (bytes.size() <= size) return std::nullopt;
            std::string code = bytes.substr(0, bytes.size() - size);
            if (bytes.substr(code.size()) != seal(code)) return std::nullopt;
            return code;
          },
          [=](const std::string& key, const std::string& code) {
            try {
              make_cache(folder);
              write_file(path(key), code + seal(code));
            } catch (const failure&) {  // it is compiled again next time
            }
          }};
}

std::int64_t row_of(const bound& p, const spec& s, const binding& b) {
  if (p.value.shape.size() == 2) return p.value.shape[1];
  for (const pass& each : s.passes)
    for (const element& e : each.elements)
      if (e.array == p.name && e.row_extent) return size_of(e.row_extent, b, "a row of " + p.name);
  return 1;
}

device::loop_task task_of(const spec& s, const cpp_reduction& r, const binding& b) {
  device_text text = device_glue(s, r);
  device::loop_task task{s.function + ".cu", std::move(text.text), text.has_whole, b.first, b.last, {}, {}, {}};
  for (std::size_t k = 0; k < b.parameters.size(); ++k) {
    const bound& p = b.parameters[k];
    const bool array = !p.value.shape.empty();
    task.parameters.push_back({p.value.data.data(), p.value.data.size(), array, array ? row_of(p, s, b) : 1});
  }
  for (const emitted_output& o : r.outputs) task.output_bytes.push_back(dtype_bytes(dtype_of(o.type)));
  for (const emitted_each& e : r.each) task.written.push_back({parameter_index(s, e.array), e.is_scan});
  return task;
}

//! In the order in which the loop itself gives them.
answers collect(const device::loop_result& result, const cpp_reduction& r, const binding& b) {
  answers out{{}, result.milliseconds};
  for (std::size_t k = 0; k < r.outputs.size(); ++k)
    out.values.emplace_back(r.outputs[k].name, npy_array{dtype_of(r.outputs[k].type), {}, result.outputs[k]});
  for (const bound& p : b.parameters)
    for (std::size_t k = 0; k < r.each.size(); ++k)
      if (r.each[k].array == p.name) {
        out.values.emplace_back(p.name, npy_array{p.value.dtype, p.value.shape, result.written[k]});
        break;
      }
  return out;
}

[[noreturn]] void rethrow(const device::failure& f) {
  throw failure(f.code == "TF3105" ? exit_code::unsupported : exit_code::environment, f.code, f.what_was_wrong, f.why, f.fix);
}

}  // namespace

void expect_device() {
  try {
    device::expect_driver();
  } catch (const device::failure& f) {
    rethrow(f);
  }
}

device_answers run_on_device(const spec& s, const cpp_reduction& r, const binding& b, const std::string& cache) {
  const device::loop_task task = task_of(s, r, b);
  try {
    device::gpu gpu;
    const device::loop_result result = device::run_loop(gpu, task, kept_in(cache + "/run"));
    return {collect(result, r, b), gpu.name(), result.bracketing, result.from_cache, result.compile_seconds};
  } catch (const device::failure& f) {
    rethrow(f);
  }
}

}  // namespace twofold::cli
