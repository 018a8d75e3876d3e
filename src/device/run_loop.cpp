// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Lays out parameters and workspace, launches, collects.
#include "run_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>

#include "frame.hpp"
#include "twofold/cuda/fold_parts.hpp"

namespace twofold::device {
namespace {

constexpr std::size_t aligned(std::size_t n) { return (n + 255) / 256 * 256; }
constexpr std::size_t answer_bytes = 16;
constexpr int map_threads = 512;

class session {
 public:
  session(gpu& on, const loop_task& task) : on_(on), task_(task) {}

  loop_result run(const keeper& kept, int repeats) {
    const std::string shared = "#define TWOFOLD_SHARED " + std::to_string(on_.shared_memory()) + "\n";
    const compiled c = compile(shared + task_.text, task_.name, on_.architecture(), kept);
    loop_result out;
    out.from_cache = c.from_cache, out.compile_seconds = c.seconds;
    const auto start = std::chrono::steady_clock::now();
    on_.load(c.code);
    on_.read_constant("twofold_sizes", &sizes_, sizeof sizes_);
    out.load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    bind_parameters();
    bind_workspace();
    find_kernels();
    out.milliseconds = measure(repeats);
    out.bracketing = std::to_string(std::max(fold_blocks_, scan_blocks_)) + " blocks, " +
                     (sizes_.fold_in_order != 0 ? "runs of " + std::to_string(frame_.depth * sizes_.fold_tile / 32)
                                                : "tiles of " + std::to_string(sizes_.fold_tile > 0 ? sizes_.fold_tile : sizes_.scan_tile));
    collect(out);
    return out;
  }

 private:
  void bind_parameters() {
    for (std::size_t k = 0; k < task_.parameters.size(); ++k) {
      const loop_parameter& p = task_.parameters[k];
      if (!p.is_array) {
        std::memcpy(&frame_.parameters[k], p.data, std::min(p.bytes, sizeof frame_.parameters[k]));
        continue;
      }
      memory& m = arrays_.emplace(k, memory(on_, std::max<std::size_t>(p.bytes, 16))).first->second;
      m.write(p.data, p.bytes);
      frame_.parameters[k] = m.address();
      frame_.rows[k] = p.row;
    }
    frame_.first = task_.first, frame_.last = std::max(task_.first, task_.last);
  }

  //! One piece of memory: states of tiles, the state of all, answers, the exchange of a scan.
  void bind_workspace() {
    const long long n = frame_.last - frame_.first, most = on_.multiprocessors();
    const auto tiles = [&](long long tile) { return tile > 0 ? (n + tile - 1) / tile : 0; };
    if (sizes_.fold_tile > 0) {
      const bool in_order = sizes_.fold_in_order != 0;
      frame_.depth = !in_order ? 1 : task_.depth > 0 ? task_.depth : cuda::fold_parts::depth_of(n, sizes_.fold_tile);
      const long long parts = in_order ? cuda::fold_parts(n, sizes_.fold_tile, frame_.depth).all : tiles(sizes_.fold_tile);
      const long long warps = in_order ? sizes_.fold_threads / 32 : 1;
      fold_blocks_ = std::min(most * sizes_.fold_blocks, (parts + warps - 1) / warps);
      frame_.count = in_order ? parts : fold_blocks_;
    }
    scan_blocks_ = std::min({most, tiles(sizes_.scan_tile), 160LL});
    const auto state = static_cast<std::size_t>(sizes_.state_bytes);
    const std::size_t states = aligned(static_cast<std::size_t>(frame_.count) * state), whole = aligned(state);
    const std::size_t answers = aligned(answer_bytes * task_.output_bytes.size());
    const auto packets = static_cast<std::size_t>(2 * sizes_.scan_stages * sizes_.scan_packets * scan_blocks_) * 16;
    workspace_.emplace(on_, states + whole + answers + 256 + packets);
    answers_at_ = states + whole;
    frame_.states = workspace_->address();
    frame_.whole = frame_.states + states;
    for (std::size_t k = 0; k < task_.output_bytes.size(); ++k) frame_.outputs[k] = frame_.states + answers_at_ + k * answer_bytes;
    frame_.launch = frame_.states + answers_at_ + answers;
    frame_.packets = frame_.launch + 256;
  }

  void find_kernels() {
    const auto fold_shared = static_cast<std::size_t>(sizes_.fold_shared), scan_shared = static_cast<std::size_t>(sizes_.scan_shared);
    const bool any = frame_.last > frame_.first;
    if (task_.has_whole) {
      if (any)
        steps_.push_back({on_.find("twofold_fold", fold_shared), static_cast<unsigned>(fold_blocks_),
                          static_cast<unsigned>(sizes_.fold_threads), fold_shared});
      steps_.push_back({on_.find("twofold_whole", 0), 1, 1024, 0});
    }
    for (std::size_t k = 0; k < task_.written.size() && any; ++k) {
      const bool scan = task_.written[k].is_scan;
      const std::string name = (scan ? "twofold_scan_" : "twofold_map_") + std::to_string(k);
      if (scan)
        steps_.push_back({on_.find(name.c_str(), scan_shared), static_cast<unsigned>(scan_blocks_),
                          static_cast<unsigned>(sizes_.scan_threads), scan_shared});
      else steps_.push_back({on_.find(name.c_str(), 0), map_blocks(), map_threads, 0});
    }
  }

  [[nodiscard]] unsigned map_blocks() const {
    const long long each = sizes_.map_at_once * map_threads;
    return static_cast<unsigned>((frame_.last - frame_.first + each - 1) / each);
  }

  double measure(int repeats) {
    constexpr std::size_t cold = std::size_t{256} << 20;  // more than the cache holds
    std::optional<memory> flush;
    if (repeats > 1) flush.emplace(on_, cold);
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
      if (flush) flush->fill(cold);
      on_.mark(0);
      for (const step& s : steps_) on_.launch(s.k, s.blocks, s.threads, s.shared, &frame_);
      on_.mark(1);
      times.push_back(on_.elapsed());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  void collect(loop_result& out) {
    for (std::size_t k = 0; k < task_.output_bytes.size(); ++k) {
      out.outputs.emplace_back(task_.output_bytes[k]);
      workspace_->read(out.outputs.back().data(), task_.output_bytes[k], answers_at_ + k * answer_bytes);
    }
    for (const loop_written& w : task_.written) {
      out.written.emplace_back(task_.parameters[w.parameter].bytes);
      arrays_.at(w.parameter).read(out.written.back().data(), out.written.back().size(), 0);
    }
  }

  struct step {
    kernel k;
    unsigned blocks, threads;
    std::size_t shared;
  };

  gpu& on_;
  const loop_task& task_;
  std::map<std::size_t, memory> arrays_;
  std::optional<memory> workspace_;
  std::vector<step> steps_;
  twofold_device::frame frame_{};
  twofold_device::sizes sizes_{};
  long long fold_blocks_ = 0, scan_blocks_ = 0;
  std::size_t answers_at_ = 0;
};

}  // namespace

loop_result run_loop(gpu& on, const loop_task& task, const keeper& kept, int repeats) { return session(on, task).run(kept, repeats); }

}  // namespace twofold::device
