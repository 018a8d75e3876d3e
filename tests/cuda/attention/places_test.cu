// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Attention where places matter and not numbers: captured in a graph and replayed, tensors and states of more than 2^31 elements,
//! packed sequences of which most are empty. Prints one line per failure and a JSON summary; exits 77 where there is no device for it.
#include <tuple>

#include "harness.cuh"

namespace {

void expect(bool right, const char* what, const std::string& of) {
  if (right) return;
  ++failures;
  std::printf("FAILED %s: %s\n", of.c_str(), what);
}

template <class T>
std::vector<T> copied(const void* from, std::size_t n) {
  std::vector<T> x(n);
  CHECK(cudaMemcpy(x.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
  return x;
}

//! Numbers of one tensor, dense.
std::vector<std::uint16_t> numbers(std::size_t n, std::uint64_t seed, attention_type type) {
  std::vector<float> x(n);
  fill(x, seed, 1, 0);
  std::vector<std::uint16_t> bits(n);
  for (std::size_t i = 0; i < n; ++i) bits[i] = narrow(x[i], type);
  return bits;
}

attention_problem causal(std::int64_t batch, std::int64_t heads, std::int64_t rows, std::int64_t d) {
  attention_problem p;
  p.batch = batch, p.heads = p.kv_heads = heads, p.queries = p.keys = rows, p.head_size = p.value_size = d, p.right = 0;
  p.q_stride = p.k_stride = p.v_stride = p.out_stride = {heads * rows * d, rows * d, d};
  return p;
}

//! Largest error of the output and of lse_ln over their bounds, against the float64 loop; p.lse_ln is given.
void compare_with_loop(const attention_problem& p, const std::string& of) {
  ++cases;
  const std::int64_t rows = p.batch * p.heads * p.queries;
  buffer want(rows * p.value_size * 8), size(rows * p.value_size * 8), lse(rows * 8), spread(rows * 8), worst(8);
  CHECK(cudaMemset(worst.data, 0, 8));
  const auto f64 = [](buffer& b) { return static_cast<double*>(b.data); };
  const auto blocks = static_cast<unsigned>(rows);
  reference::attention<<<blocks, 256, p.keys * 8 + 8>>>(p, 1 / std::sqrt(double(p.head_size)), f64(want), f64(size), f64(lse), f64(spread));
  reference::compare<<<blocks, 128>>>(p, p.type == attention_type::bf16 ? 0x1p-8 : 0x1p-11, 0x1p-20, f64(want), f64(size), f64(lse),
                                      f64(spread), static_cast<float*>(worst.data));
  const auto found = copied<float>(worst.data, 2);
  expect(found[0] <= 1 && found[1] <= 1, "out or log-sum-exp is beyond its bound", of);
}

//! The very first launch of a kernel is captured; then replays leave the same bits, whatever the workspace holds between them.
void graph(int d) {
  ++cases;
  const std::string name = "graph d" + std::to_string(d);
  attention_problem p = causal(2, 100, 300, d);  // more tiles than processors
  const std::size_t n = static_cast<std::size_t>(p.q_stride.batch) * 2, rows = n / d;
  buffer q(n * 2), k(n * 2), v(n * 2), out(n * 2), lse(rows * 4), work(64);
  for (auto [to, seed] : {std::pair{&q, 1}, {&k, 2}, {&v, 3}}) {
    const auto x = numbers(n, seed, p.type);
    CHECK(cudaMemcpy(to->data, x.data(), n * 2, cudaMemcpyHostToDevice));
  }
  p.q = q.data, p.k = k.data, p.v = v.data, p.out = out.data, p.lse_ln = static_cast<float*>(lse.data);
  const workspace w{work.data, 16};
  cudaStream_t stream;
  cudaGraph_t captured;
  cudaGraphExec_t replay;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  attention_forward(p, w, stream);
  CHECK(cudaStreamEndCapture(stream, &captured));
  CHECK(cudaGraphInstantiate(&replay, captured, 0));
  expect(copied<std::uint16_t>(out.data, 1)[0] == 0xffff, "ran while it was captured", name);
  attention_forward(p, w, stream);
  CHECK(cudaStreamSynchronize(stream));
  const auto first = copied<std::uint16_t>(out.data, n);
  const auto first_lse = copied<std::uint32_t>(lse.data, rows);
  compare_with_loop(p, name);
  for (int turn = 0; turn < 4; ++turn) {
    CHECK(cudaMemsetAsync(out.data, 0xff, n * 2, stream));
    CHECK(cudaMemsetAsync(lse.data, 0xff, rows * 4, stream));
    if (turn == 1) CHECK(cudaMemsetAsync(work.data, 0xff, 16, stream));
    CHECK(cudaGraphLaunch(replay, stream));
    if (turn == 2) CHECK(cudaGraphLaunch(replay, stream));  // one behind the other
    if (turn == 3) attention_forward(p, w, stream);         // and a launch that is in no graph
    CHECK(cudaStreamSynchronize(stream));
    expect(copied<std::uint16_t>(out.data, n) == first && copied<std::uint32_t>(lse.data, rows) == first_lse, "a replay left other bits",
           name);
  }
  expect(work.guard_intact() && out.guard_intact() && lse.guard_intact(), "wrote outside a buffer", name);
  CHECK(cudaGraphExecDestroy(replay));
  CHECK(cudaGraphDestroy(captured));
  CHECK(cudaStreamDestroy(stream));
}

//! All four tensors lie in one piece of memory, whose batches, heads or rows are 2^31 elements apart in the end.
void far_apart(int d, const char* what, attention_strides s, bool odd) {
  const std::string name = std::string("far apart: ") + what + " d" + std::to_string(d) + (odd ? " odd" : "");
  attention_problem p = causal(2, 2, 150, d);
  if (odd) s = {s.batch + 3, s.head + 1, s.row + 1};
  p.q_stride = p.k_stride = p.v_stride = p.out_stride = s;
  const std::int64_t last = s.batch + s.head + (p.queries - 1) * s.row, gap = 1 << 20, rows = 2 * 2 * 150;
  buffer memory((last + 4 * gap) * 2), lse(rows * 4), work(64);
  auto* base = static_cast<std::uint16_t*>(memory.data) + odd;
  for (int tensor = 0; tensor < 3; ++tensor) {
    const auto x = numbers(rows * d, 10 + tensor, p.type);
    for (int b = 0; b < 2; ++b)
      for (int h = 0; h < 2; ++h)
        CHECK(cudaMemcpy2D(base + tensor * gap + b * s.batch + h * s.head, s.row * 2, x.data() + (b * 2 + h) * 150 * d, d * 2, d * 2, 150,
                           cudaMemcpyHostToDevice));
  }
  p.q = base, p.k = base + gap, p.v = base + 2 * gap, p.out = base + 3 * gap, p.lse_ln = static_cast<float*>(lse.data);
  attention_forward(p, {work.data, 16});
  CHECK(cudaDeviceSynchronize());
  compare_with_loop(p, name);
  expect(memory.guard_intact(), "wrote outside a buffer", name);
}

//! More than 2^31 elements of queries, outputs and states: every head has the same queries, so that the last one's results are the first's.
void many_elements() {
  ++cases;
  const std::string name = "more than 2^31 elements";
  constexpr std::int64_t d = 64, queries = 1 << 19, heads = 66, keys = 8, each = queries * d;
  attention_problem p = causal(1, heads, queries, d);
  p.right = -1, p.kv_heads = 1, p.keys = keys, p.k_stride = p.v_stride = {keys * d, keys * d, d};
  buffer q(heads * each * 2), k(keys * d * 2), v(keys * d * 2), out(heads * each * 2), lse(heads * queries * 4), at(heads * queries * 4),
      l(heads * queries * 4), o(heads * each * 4), work(64);
  for (auto [to, n, seed] : {std::tuple{&q, each, 1}, {&k, keys * d, 2}, {&v, keys * d, 3}}) {
    const auto x = numbers(n, seed, p.type);
    CHECK(cudaMemcpy(to->data, x.data(), n * 2, cudaMemcpyHostToDevice));
  }
  for (std::int64_t h = 1; h < heads; ++h)
    CHECK(cudaMemcpy(static_cast<std::uint16_t*>(q.data) + h * each, q.data, each * 2, cudaMemcpyDeviceToDevice));
  const auto f32 = [](buffer& b) { return static_cast<float*>(b.data); };
  p.q = q.data, p.k = k.data, p.v = v.data, p.out = out.data, p.lse_ln = f32(lse);
  p.state_at = f32(at), p.state_l = f32(l), p.state_o = f32(o);
  attention_forward(p, {work.data, 16});
  CHECK(cudaDeviceSynchronize());
  const auto same = [&](buffer& b, std::int64_t words) {  // of 4 bytes, of a head
    const auto* x = static_cast<std::uint32_t*>(b.data);
    return copied<std::uint32_t>(x, words) == copied<std::uint32_t>(x + (heads - 1) * words, words);
  };
  expect(same(out, each / 2), "the last head's output is another", name);
  expect(same(lse, queries) && same(at, queries) && same(l, queries) && same(o, each), "the last head's states are others", name);
  for (const buffer* b : {&out, &lse, &at, &l, &o}) expect(b->guard_intact(), "wrote outside a buffer", name);
  p.heads = 1;
  compare_with_loop(p, name);
}

//! Fewer rows than sequences, heads that are no power of two, rows behind the last offset (harness.cuh looks at them).
void mostly_empty() {
  for (int d : {64, 120, 128})
    for (auto type : {attention_type::bf16, attention_type::fp16})
      for (auto order : {layout::head_major, layout::row_major, layout::apart}) {
        settings t;
        t.p.type = type, t.p.batch = 4, t.p.heads = 21, t.p.kv_heads = 7, t.p.head_size = t.p.value_size = d, t.order = order;
        t.query_offsets = {0, 0, 0, 0, 1}, t.key_offsets = {0, 3, 3, 5, 9}, t.p.queries = 1, t.p.keys = 4, t.p.query_rows = 40,
        t.p.key_rows = 50, t.p.right = 0, t.states = true, t.name = "fewer rows than sequences";
        run(t);
        t.query_offsets = {2, 2, 3, 3, 3}, t.name += ", from the third on";
        run(t);
      }
}

}  // namespace

int main(int argc, char** argv) {
  if (!device_for_attention()) return 77;
  const bool few = argc > 1 && std::string(argv[1]) == "few";  // bench/cuda/mutants.py: only kernels of attention_few.cu
  for (int d : {64, 128, 256})
    if (!few || d < 256) graph(d);
  const std::int64_t far = std::int64_t{1} << 31;
  for (int d : {64, 128, 256})
    for (bool odd : {false, true}) {
      if (few && (odd || d == 256)) continue;
      far_apart(d, "batches", {far + 64, 150 * d + 256, d}, odd);
      far_apart(d, "heads", {150 * d + 256, far + 64, d}, odd);
      far_apart(d, "rows", {2 * d + 8, d + 8, (far >> 7) + 64}, odd);
    }
  if (!few) many_elements(), mostly_empty();
  std::printf("{\"cases\":%d,\"failures\":%d}\n", cases, failures);
  return failures != 0;
}
