// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Runs loops of examples/loops on a GPU as `run --device cuda` does, from files that dump_loops wrote: compared with the loop itself
//! at sizes around the edges, timed at 2^28 elements beside a plain read and a plain copy. One JSON object a line. Usage: run_loops FOLDER
//! CACHE [check|depths|only LOOP]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <sstream>

#include "device/run_loop.hpp"

namespace ex {
#include "../../examples/loops/argmax.cpp"
#include "../../examples/loops/brackets.cpp"
#include "../../examples/loops/dot.cpp"
#include "../../examples/loops/ema.cpp"
#include "../../examples/loops/horner.cpp"
#include "../../examples/loops/is_sorted.cpp"
#include "../../examples/loops/log_sum_exp.cpp"
#include "../../examples/loops/max_segment_sum.cpp"
#include "../../examples/loops/softmax.cpp"
#include "../../examples/loops/softmax_online.cpp"
#include "../../examples/loops/streaks.cpp"
#include "../../examples/loops/total_variation.cpp"
#include "../../examples/loops/variance_two_pass.cpp"
#include "../../examples/loops/welford.cpp"
#include "../../examples/loops/word_count.cpp"
}  // namespace ex
namespace variants {
#include "../../examples/loops/attention_variants.cpp"
}

using namespace twofold;
using bytes = std::vector<std::byte>;

static std::size_t size_of(const std::string& type) {
  for (const auto& [name, size] : std::map<std::string, std::size_t>{{"bool", 1},
                                                                     {"char", 1},
                                                                     {"float", 4},
                                                                     {"int", 4},
                                                                     {"double", 8},
                                                                     {"std::int64_t", 8},
                                                                     {"long", 8},
                                                                     {"std::size_t", 8},
                                                                     {"std::uint64_t", 8}})
    if (name == type) return size;
  std::printf("{\"error\":\"type %s\"}\n", type.c_str());
  std::exit(1);
}

struct loaded {
  device::loop_task task;
  struct parameter {
    std::string name, kind, type;
  };
  std::vector<parameter> parameters;
  std::vector<std::string> output_types;
};

static loaded load(const std::string& path) {
  std::ifstream in(path);
  loaded l;
  std::size_t n = 0;
  in >> l.task.name >> l.task.has_whole >> n;
  l.parameters.resize(n);
  for (auto& p : l.parameters) in >> p.name >> p.kind >> p.type;
  in >> n;
  for (std::size_t k = 0; k < n; ++k) {
    std::string name, type;
    in >> name >> type;
    l.output_types.push_back(type), l.task.output_bytes.push_back(size_of(type));
  }
  in >> n;
  l.task.written.resize(n);
  for (auto& w : l.task.written) in >> w.parameter >> w.is_scan;
  in.get();
  l.task.text.assign(std::istreambuf_iterator<char>(in), {});
  return l;
}

template <class T>
T value(const bytes& b) {
  T v;
  std::memcpy(&v, b.data(), sizeof v);
  return v;
}

static std::uint32_t hashed(std::uint64_t i) {
  std::uint64_t h = (i + 1) * 0x9E3779B97F4A7C15ull;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>(h >> 32);
}
template <class T>
std::vector<T> numbers(long n, std::uint64_t seed) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (long i = 0; i < n; ++i) {
    const std::uint32_t h = hashed(seed + static_cast<std::uint64_t>(i));
    if constexpr (std::is_floating_point_v<T>) v[static_cast<std::size_t>(i)] = static_cast<T>(h) / 2147483648.0f - 1;
    else if constexpr (sizeof(T) == 1) v[static_cast<std::size_t>(i)] = " (etaoin)\nshrdlu"[h % 16];
    else v[static_cast<std::size_t>(i)] = h % 8 == 0 ? 0 : static_cast<T>(h % 21) - 10;
  }
  return v;
}

//! What the loop would give without rounding: of millions of floats its own sum is off by more than a merged one.
static double denominator_of(const std::vector<float>& x) {
  double most = -INFINITY, sum = 0;
  for (const float v : x) most = std::max<double>(most, v);
  for (const float v : x) sum += std::exp(v - most);
  return sum;
}
static bool close(double a, double b, double tolerance) {
  return a == b || (a != a && b != b) || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

struct runner {
  device::gpu gpu;
  std::string folder, cache;
  int failures = 0, checks = 0;
  device::keeper kept{[this](const std::string& key) -> std::optional<std::string> {
                        std::ifstream in(path(key), std::ios::binary);
                        if (!in) return std::nullopt;
                        return std::string(std::istreambuf_iterator<char>(in), {});
                      },
                      [this](const std::string& key, const std::string& code) { std::ofstream(path(key), std::ios::binary) << code; }};
  std::string path(const std::string& key) const { return cache + "/" + std::to_string(std::hash<std::string>{}(key)); }

  void report(const std::string& what, long n, bool right, double got = 0, double want = 0) {
    ++checks;
    if (right) return;
    ++failures;
    std::printf("{\"wrong\":\"%s\",\"n\":%ld,\"got\":%.9g,\"want\":%.9g}\n", what.c_str(), n, got, want);
    std::fflush(stdout);
  }
  //! arrays: in the order of the loop's array parameters that are read; scalars in their order; n is each length.
  device::loop_result run(const std::string& file, long n, const std::vector<std::pair<const void*, std::size_t>>& arrays,
                          const std::vector<double>& scalars, int repeats = 1, long first = 0, long depth = 0) {
    loaded l = load(folder + "/" + file + ".loop");
    std::vector<std::vector<std::byte>> keep;
    std::size_t a = 0, s = 0;
    for (std::size_t k = 0; k < l.parameters.size(); ++k) {
      const auto& p = l.parameters[k];
      const bool written = std::any_of(l.task.written.begin(), l.task.written.end(), [&](const auto& w) { return w.parameter == k; });
      if (p.kind == "array" && !written) {
        l.task.parameters.push_back({arrays[a].first, arrays[a].second, true, 1}), ++a;
      } else if (p.kind == "array") {
        keep.emplace_back(static_cast<std::size_t>(n) * size_of(p.type), std::byte{0xff});
        l.task.parameters.push_back({keep.back().data(), keep.back().size(), true, 1});
      } else {
        keep.emplace_back(size_of(p.type));
        if (p.kind == "length") {
          if (keep.back().size() == 4) *reinterpret_cast<int*>(keep.back().data()) = static_cast<int>(n);
          else *reinterpret_cast<long*>(keep.back().data()) = n;
        } else if (p.type == "float") *reinterpret_cast<float*>(keep.back().data()) = static_cast<float>(scalars[s++]);
        else *reinterpret_cast<double*>(keep.back().data()) = scalars[s++];
        l.task.parameters.push_back({keep.back().data(), keep.back().size(), false, 1});
      }
    }
    l.task.first = first, l.task.last = n, l.task.depth = depth;
    device::loop_result result = device::run_loop(gpu, l.task, kept, repeats);
    if (!result.from_cache) first_compile[file] = result.compile_seconds;
    return result;
  }
  std::map<std::string, double> first_compile;

  void check(long n) {
    const auto f = numbers<float>(n, 1), g = numbers<float>(n, 77);
    const auto d = numbers<double>(n, 3), e = numbers<double>(n, 31);
    const auto i = numbers<int>(n, 5);
    const auto c = numbers<char>(n, 9);
    const int m = static_cast<int>(n);
    const auto of = [](const auto& v) { return std::pair<const void*, std::size_t>(v.data(), v.size() * sizeof v[0]); };
    const auto scalar = [&](const std::string& file, double want, double tolerance, const auto& arrays, const std::vector<double>& scalars,
                            auto as, std::size_t which = 0, long first = 0) {
      const auto got = static_cast<double>(value<decltype(as)>(run(file, n, arrays, scalars, 1, first).outputs[which]));
      report(file, n, close(got, want, tolerance), got, want);
    };
    using one = std::vector<std::pair<const void*, std::size_t>>;
    scalar("argmax.cpp.argmax", ex::argmax(f.data(), m), 0, one{of(f)}, {}, int{});
    double exact = 0;
    for (long k = 0; k < n; ++k) exact += static_cast<double>(f[static_cast<std::size_t>(k)]) * g[static_cast<std::size_t>(k)];
    scalar("dot.cpp.dot", exact, 1e-4, one{of(f), of(g)}, {}, float{});
    scalar("horner.cpp.horner", ex::horner(d.data(), m, 0.75), 1e-12, one{of(d)}, {0.75}, double{});
    scalar("is_sorted.cpp.is_sorted", ex::is_sorted(d.data(), static_cast<std::size_t>(n)), 0, one{of(d)}, {}, bool{});
    scalar("log_sum_exp.cpp.log_sum_exp", ex::log_sum_exp(d.data(), m), 1e-12, one{of(d)}, {}, double{});
    scalar("max_segment_sum.cpp.max_segment_sum", static_cast<double>(ex::max_segment_sum(i)), 0, one{of(i)}, {}, long{});
    scalar("streaks.cpp.longest_run", ex::longest_run(i.data(), m), 0, one{of(i)}, {}, int{});
    scalar("total_variation.cpp.total_variation", ex::total_variation(d.data(), m), 1e-12, one{of(d)}, {}, double{}, 0, 1);
    scalar("total_variation.cpp.of_arrivals", ex::of_arrivals(d.data(), m), 1e-12, one{of(d)}, {}, double{});
    scalar("brackets.cpp.balanced", ex::balanced(c.data(), m), 0, one{of(c)}, {}, bool{});
    scalar("softmax_online.cpp.denominator", denominator_of(f), 1e-5, one{of(f)}, {}, float{});
    scalar("variance_two_pass.cpp.variance", ex::variance(std::span<const double>(d)), 1e-12, one{of(d)}, {}, double{});
    scalar("attention_variants.cpp.unshifted", variants::unshifted(d.data(), e.data(), m), 1e-11, one{of(d), of(e)}, {}, double{});
    scalar("word_count.cpp.word_count", ex::word_count(c.data(), m), 0, one{of(c)}, {}, int{});
    const auto w = ex::variance(d.data(), static_cast<std::size_t>(n));
    scalar("welford.cpp.variance", w.mean, 1e-12, one{of(d)}, {}, double{}, 0);
    scalar("welford.cpp.variance", w.variance, 1e-12, one{of(d)}, {}, double{}, 1);
    std::vector<float> want(f.size()), got(f.size());
    const auto array = [&](const std::string& file, double tolerance, const std::vector<double>& scalars) {
      const auto r = run(file, n, one{of(f)}, scalars);
      std::memcpy(got.data(), r.written[0].data(), r.written[0].size());
      for (std::size_t k = 0; k < got.size(); ++k)
        if (!close(got[k], want[k], tolerance)) return report(file + " at " + std::to_string(k), n, false, got[k], want[k]);
      report(file, n, true);
    };
    ex::smooth(f.data(), want.data(), m, 0.05f);
    array("ema.cpp.smooth", 1e-5, {0.05});
    ex::softmax(f.data(), want.data(), m);
    array("softmax.cpp.softmax", 1e-4, {});
    // the largest at the end, in the middle, at the start: references that move
    for (const long at : {n - 1, n / 2, 0L}) {
      auto far = f;
      far[static_cast<std::size_t>(at)] = 300;
      const auto got_far = static_cast<double>(value<float>(run("softmax_online.cpp.denominator", n, one{of(far)}, {}).outputs[0]));
      const double want_far = denominator_of(far);
      report("softmax_online.cpp.denominator, far", n, close(got_far, want_far, 1e-5), got_far, want_far);
    }
  }

  //! Milliseconds of a plain read and of a plain copy of so many bytes: what the kernels are held against.
  std::pair<double, double> ceilings(std::size_t bytes) {
    const std::string text =
        "struct job { const uint4* in; uint4* out; long long n; };\n"
        "extern \"C\" __global__ void __launch_bounds__(256) read_all(const __grid_constant__ job j) {\n"
        "  unsigned s = 0;\n  const long long step = 4ll * gridDim.x * 256;\n"
        "  for (long long i = 1024ll * blockIdx.x + threadIdx.x; i < j.n; i += step) {\n"
        "    uint4 v[4];\n#pragma unroll\n    for (int k = 0; k < 4; ++k) v[k] = j.in[i + 256 * k];\n#pragma unroll\n"
        "    for (int k = 0; k < 4; ++k) s ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;\n  }\n"
        "  if (s == 0x9e3779b9u) *j.out = uint4{s, s, s, s};\n}\n";
    gpu.load(device::compile(text, "ceilings.cu", gpu.architecture(), kept).code);
    const device::kernel read = gpu.find("read_all", 0);
    device::memory from(gpu, bytes), to(gpu, bytes), flush(gpu, std::size_t{256} << 20);
    from.fill(bytes);
    struct {
      std::uint64_t in, out;
      long long n;
    } job{from.address(), to.address(), static_cast<long long>(bytes / 16)};
    const auto measure = [&](const auto& go) {
      std::vector<double> t;
      for (int i = 0; i < 9; ++i) {
        flush.fill(flush.bytes());
        gpu.mark(0);
        go();
        gpu.mark(1);
        t.push_back(gpu.elapsed());
      }
      std::sort(t.begin(), t.end());
      return t[4];
    };
    double best = 1e30;
    for (const unsigned blocks : {1056u, 4224u, static_cast<unsigned>(bytes / 16 / 1024)})
      best = std::min(best, measure([&] { gpu.launch(read, blocks, 256, 0, &job); }));
    return {best, measure([&] { to.copy(from, bytes); })};
  }

  //! The loop on n elements of every array; `read` and `written`: bytes an element, all arrays together. Of four bytes: floats, or their
  //! bits where the loop reads integers; small integers where asked for.
  void time(const std::string& file, long n, int arrays_read, std::size_t element, std::size_t read, std::size_t written,
            const std::vector<double>& scalars, long first = 0, long depth = 0, bool integers = false) {
    const std::vector<float> some = numbers<float>(1 << 22, 4);
    bytes data(static_cast<std::size_t>(n) * element);
    const auto repeat = [&](const void* from, std::size_t size) {
      for (std::size_t at = 0; at < data.size(); at += size) std::memcpy(data.data() + at, from, std::min(size, data.size() - at));
    };
    const std::vector<double> wide = numbers<double>(1 << 22, 4);
    const std::vector<char> letters = numbers<char>(1 << 22, 4);
    const std::vector<int> whole = numbers<int>(1 << 22, 4);
    if (element == 8) repeat(wide.data(), wide.size() * 8);
    else if (element == 1) repeat(letters.data(), letters.size());
    else if (integers) repeat(whole.data(), whole.size() * 4);
    else repeat(some.data(), some.size() * 4);
    const std::vector<std::pair<const void*, std::size_t>> arrays(static_cast<std::size_t>(arrays_read), {data.data(), data.size()});
    const auto r = run(file, n, arrays, scalars, 9, first, depth);
    // What memory allows: the bytes read once, and for answers element by element those as well; a map reads its input twice.
    const auto total = static_cast<std::size_t>(n) * (read + written);
    const std::size_t each = total / (written > 0 ? 2 : 1) / 16384 * 16384;  // a copy moves its bytes twice
    if (!ceiling.contains(each)) ceiling[each] = ceilings(each);
    const double floor = written > 0 ? ceiling[each].second : ceiling[each].first;
    std::printf(
        "{\"what\":\"%s\",\"n\":%ld,\"ms\":%.4f,\"gbs\":%.0f,\"%s_ms\":%.4f,\"fraction\":%.4f,\"compile_s\":%.3f,\"cached\":%s,\"load_s\":%"
        ".4f,\"bracketing\":\"%s\"}\n",
        (file + (integers ? ", small integers" : "")).c_str(), n, r.milliseconds, static_cast<double>(total) / r.milliseconds / 1e6,
        written > 0 ? "copy" : "read", floor, floor / r.milliseconds,
        first_compile.contains(file) ? first_compile[file] : r.compile_seconds, r.from_cache ? "true" : "false", r.load_seconds,
        r.bracketing.c_str());
    std::fflush(stdout);
  }
  std::map<std::size_t, std::pair<double, double>> ceiling;
};

int main(int count, char** words) {
  if (count < 3) return 2;
  try {
    runner r;
    r.folder = words[1], r.cache = words[2];
    std::filesystem::create_directories(r.cache);
    std::printf("{\"device\":\"%s\",\"nvrtc\":\"%s\"}\n", r.gpu.name().c_str(), device::compiler_version().c_str());
    for (const long n : {0L, 1L, 2L, 31L, 1000L, 8191L, 8192L, 8193L, 16385L, 300007L, 5000003L})
      if (n > 0 && (count < 4 || std::string(words[3]) != "only")) r.check(n);
    std::printf("{\"what\":\"run_loops\",\"checks\":%d,\"failures\":%d}\n", r.checks, r.failures);
    std::fflush(stdout);
    const std::string mode = count > 3 ? words[3] : "";
    if (mode == "check") return r.failures > 0;
    constexpr long n = 1L << 28;
    if (mode == "depths") {
      for (const long depth : {1, 4, 16, 31, 63}) {
        r.time("argmax.cpp.argmax", n / 2, 1, 4, 4, 0, {}, 0, depth);
        r.time("max_segment_sum.cpp.max_segment_sum", n / 2, 1, 4, 4, 0, {}, 0, depth);
        r.time("horner.cpp.horner", n / 4, 1, 8, 8, 0, {0.75}, 0, depth);
      }
      return r.failures > 0;
    }
    if (mode == "only") {
      r.time(words[4], n, 1, 4, 4, 0, {});
      return 0;
    }
    r.time("dot.cpp.dot", n, 2, 4, 8, 0, {});
    r.time("argmax.cpp.argmax", n, 1, 4, 4, 0, {});
    for (const bool small : {false, true}) {
      r.time("max_segment_sum.cpp.max_segment_sum", n, 1, 4, 4, 0, {}, 0, 0, small);
      r.time("streaks.cpp.longest_run", n, 1, 4, 4, 0, {}, 0, 0, small);
    }
    r.time("softmax_online.cpp.denominator", n, 1, 4, 4, 0, {});
    r.time("ema.cpp.smooth", n, 1, 4, 4, 4, {0.05});
    r.time("softmax.cpp.softmax", n, 1, 4, 8, 4, {});
    r.time("horner.cpp.horner", n / 2, 1, 8, 8, 0, {0.75});
    r.time("welford.cpp.variance", n / 2, 1, 8, 8, 0, {});
    r.time("variance_two_pass.cpp.variance", n / 2, 1, 8, 8, 0, {});
    r.time("log_sum_exp.cpp.log_sum_exp", n / 2, 1, 8, 8, 0, {});
    r.time("is_sorted.cpp.is_sorted", n / 2, 1, 8, 8, 0, {});
    r.time("total_variation.cpp.total_variation", n / 2, 1, 8, 8, 0, {}, 1);
    r.time("total_variation.cpp.of_arrivals", n / 2, 1, 8, 8, 0, {});
    r.time("attention_variants.cpp.unshifted", n / 2, 2, 8, 16, 0, {});
    r.time("word_count.cpp.word_count", n, 1, 1, 1, 0, {});
    r.time("brackets.cpp.balanced", n, 1, 1, 1, 0, {});
    return r.failures > 0;
  } catch (const device::failure& f) {
    std::printf("{\"error\":\"%s\",\"why\":\"%s\"}\n", f.what_was_wrong.c_str(), f.why.c_str());
    return 1;
  }
}
