/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*! @file The C interface of attention, from C: what is refused and how it is said; then, on a device, problems that use every field, against
    loops in double. Exits 77 where there is no device for the second part. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "twofold/cuda/attention/c_api.h"

static int failures = 0;
static void expect(int right, const char* what) {
  if (right) return;
  ++failures;
  printf("FAILED: %s\n", what);
}

static long long there[8];
static twofold_attention_problem good(void) {
  twofold_attention_problem p;
  memset(&p, 0, sizeof p);
  p.left = p.right = -1, p.bias_column = 1;
  p.q = p.k = p.v = there, p.out = there;
  p.batch = 2, p.heads = 4, p.kv_heads = 2, p.queries = p.keys = 100, p.head_size = p.value_size = 64;
  p.q_stride = p.out_stride = (twofold_attention_strides){25600, 6400, 64};
  p.k_stride = p.v_stride = (twofold_attention_strides){12800, 6400, 64};
  return p;
}

/* Every limit that a caller can exceed, by number; NULL after the last. */
static const char* spoil(int which, twofold_attention_problem* p) {
  static float state;
  static int32_t offsets[3];
  switch (which) {
    case 0: return p->type = 2, "type is 2";
    case 1: return p->type = -1, "type is -1";
    case 2: return p->alignment = 7, "alignment is 7";
    case 3: return p->batch = -1, "negative";
    case 4: return p->queries = INT64_C(1) << 31, "2^30";
    case 5: return p->head_size = 7, "head_size is 7";
    case 6: return p->value_size = 300, "value_size is 300";
    case 7: return p->kv_heads = 3, "kv_heads";
    case 8: return p->score_factor = NAN, "score_factor";
    case 9: return p->softcap = -1, "softcap";
    case 10: return p->prefix = -1, "prefix";
    case 11: return p->q = NULL, "q is null";
    case 12: return p->k = NULL, "k is null";
    case 13: return p->v = (const char*)p->v + 1, "v does not start";
    case 14: return p->out = NULL, "nowhere";
    case 15: return p->out_stride.row = 0, "stride of out";
    case 16: return p->state_l = &state, "three parts";
    case 17: return p->query_offsets = offsets, p->query_rows = -1, "packed";
    case 18: return p->right = INT64_C(1) << 30, "2^30";
    case 19: return p->left = -2, "below -1";
    case 20: return p->query_offsets = offsets, "packed"; /* query_rows is still 0 */
    case 21: return p->lse_ln = (float*)((char*)&state + 1), "lse_ln does not start";
    case 22: return p->bias = (char*)&state + 2, "bias does not start";
    default: return NULL;
  }
}

static void test_refusals(void) {
  char message[256], small[8];
  twofold_attention_problem p = good();
  expect(twofold_attention_abi() == TWOFOLD_ATTENTION_ABI, "the version of header and library");
  expect(twofold_attention_problem_bytes() == sizeof p, "the size of a problem");
  expect(twofold_attention_merge_bytes() == sizeof(twofold_attention_merge), "the size of a merge");
  memset(message, 'x', sizeof message);
  expect(twofold_attention_can_run(&p, message, sizeof message) == 0 && message[0] == 0, "a good problem leaves no message");
  expect(twofold_attention_can_run(&p, NULL, 0) == 0, "a good problem, nobody listens");
  expect(twofold_attention_workspace_bytes(&p) > 0, "bytes of workspace");
  for (int i = 0;; ++i) {
    p = good();
    const char* why = spoil(i, &p);
    if (!why) break;
    expect(twofold_attention_can_run(&p, message, sizeof message) == 1, why);
    if (!strstr(message, why)) printf("FAILED: '%s' says '%s'\n", why, message), ++failures;
    expect(twofold_attention_can_run(&p, NULL, 100) == 1, "refused, nobody listens");
    memset(small, 'x', sizeof small);
    expect(twofold_attention_can_run(&p, small, 5) == 1 && strlen(small) == 4 && small[5] == 'x' && !strncmp(small, message, 4),
           "a message is cut and ended");
    expect(twofold_attention_can_run(&p, small, 0) == 1 && small[5] == 'x', "no room for a message");
    expect(twofold_attention_forward(&p, there, sizeof there, NULL, message, sizeof message) == 1, "what cannot run does not");
  }
  expect(twofold_attention_can_run(NULL, message, sizeof message) == 1 && strstr(message, "null"), "no problem");
  expect(twofold_attention_forward(NULL, there, 64, NULL, message, sizeof message) == 1 && strstr(message, "null"), "no problem to run");
  expect(twofold_attention_workspace_bytes(NULL) == 0, "no workspace for no problem");
  expect(twofold_attention_merge_states(NULL, NULL, message, sizeof message) == 1 && strstr(message, "null"), "no merge");
  p = good();
  expect(twofold_attention_forward(&p, NULL, 64, NULL, message, sizeof message) == 1 && strstr(message, "workspace"), "no workspace");
  expect(twofold_attention_forward(&p, there, 1, NULL, message, sizeof message) == 1 && strstr(message, "workspace"), "a small one");
  expect(twofold_attention_forward(&p, (char*)there + 1, 32, NULL, message, sizeof message) == 1 && strstr(message, "16"), "a crooked one");
  p.queries = 0;
  expect(twofold_attention_forward(&p, there, sizeof there, NULL, message, sizeof message) == 0, "nothing to do");
  twofold_attention_merge m;
  memset(&m, 0, sizeof m);
  expect(twofold_attention_merge_states(&m, NULL, message, sizeof message) == 0, "nothing to merge");
  m.rows = -1;
  expect(twofold_attention_merge_states(&m, NULL, message, sizeof message) == 1 && strstr(message, "negative"), "a negative size");
  m.rows = 5, m.parts = 1;
  expect(twofold_attention_merge_states(&m, NULL, message, sizeof message) == 1 && strstr(message, "null"), "states that are missing");
  m.parts = 0, m.type = 9;
  expect(twofold_attention_merge_states(&m, NULL, message, sizeof message) == 1 && strstr(message, "type is 9"), "a type of outputs");
  m.type = 0, m.out = there, m.value_size = 8, m.out_row = 7;
  expect(twofold_attention_merge_states(&m, NULL, message, sizeof message) == 1 && strstr(message, "overlap"), "rows that overlap");
}

static void cuda(cudaError_t e) {
  if (e == cudaSuccess) return;
  printf("FAILED: %s\n", cudaGetErrorString(e));
  exit(1);
}
static void* to_device(const void* data, size_t bytes) {
  void* there_too;
  cuda(cudaMalloc(&there_too, bytes + 16));
  if (data) cuda(cudaMemcpy(there_too, data, bytes, cudaMemcpyHostToDevice));
  else cuda(cudaMemset(there_too, 0xff, bytes));
  return there_too;
}
static void* to_host(const void* data, size_t bytes) {
  void* here = malloc(bytes);
  cuda(cudaMemcpy(here, data, bytes, cudaMemcpyDeviceToHost));
  return here;
}

/* Multiples of 1/32 up to 1: the same number in bf16, fp16 and double. */
static uint16_t bits_of(int half, double x) {
  if (x == 0) return 0;
  int e;
  const double m = frexp(fabs(x), &e); /* |x| = m 2^e, m in [1/2, 1) */
  const int sign = x < 0 ? 0x8000 : 0;
  return (uint16_t)(half ? sign | (e + 14) << 10 | (int)((2 * m - 1) * 1024) : sign | (e + 126) << 7 | (int)((2 * m - 1) * 128));
}
static double number(int half, uint16_t b) {
  const int sign = b >> 15 ? -1 : 1, e = half ? b >> 10 & 31 : b >> 7 & 255, f = half ? b & 1023 : b & 127;
  if (e == (half ? 31 : 255)) return NAN;
  if (e == 0) return sign * (half ? ldexp(f, -24) : 0);
  return sign * (half ? ldexp(1 + f / 1024.0, e - 15) : ldexp(1 + f / 128.0, e - 127));
}
static uint16_t* numbers(int half, size_t n, unsigned seed) {
  uint16_t* x = malloc(n * 2);
  for (size_t i = 0; i < n; ++i) seed = seed * 1664525u + 1013904223u, x[i] = bits_of(half, ((int)(seed >> 26) - 32) / 32.0);
  return x;
}

typedef struct {
  twofold_attention_problem p; /* as the device sees it */
  uint16_t *q, *k, *v;         /* and what it points at, here */
  int32_t *key_lengths, *key_starts, *query_offsets, *key_offsets;
  float *slopes, *bias, *sinks;
} seen;

/* Row i of head h of sequence b, by the definition: out, log-sum-exp in nats, state. */
static void row(const seen* s, int64_t b, int64_t h, int64_t i, double* out, double* lse, double* at, double* l) {
  const twofold_attention_problem* p = &s->p;
  const int half = p->type == 1;
  const int64_t q_batch = s->query_offsets ? 0 : b, k_batch = s->key_offsets ? 0 : b, kv = h / (p->heads / p->kv_heads);
  const int64_t q_row = (s->query_offsets ? s->query_offsets[b] : 0) + i;
  const int64_t queries = s->query_offsets ? s->query_offsets[b + 1] - s->query_offsets[b] : p->queries;
  int64_t keys = s->key_offsets ? s->key_offsets[b + 1] - s->key_offsets[b] : p->keys, skipped = s->key_starts ? s->key_starts[b] : 0;
  if (skipped > keys) skipped = keys;
  keys -= skipped;
  if (s->key_lengths && keys > s->key_lengths[b]) keys = s->key_lengths[b];
  const int64_t position = i + (p->alignment == 1 ? keys - queries : 0), k_row = (s->key_offsets ? s->key_offsets[b] : 0) + skipped;
  const double factor = p->score_factor != 0 ? p->score_factor : 1 / sqrt((double)p->head_size);
  double* score = malloc((size_t)(keys + 1) * sizeof(double));
  double m = -INFINITY;
  for (int64_t j = 0; j < keys; ++j) {
    score[j] = -INFINITY;
    if ((p->left >= 0 && j < position - p->left) || (p->right >= 0 && j > position + p->right && j >= p->prefix)) continue;
    double x = 0;
    for (int64_t e = 0; e < p->head_size; ++e)
      x += number(half, s->q[q_batch * p->q_stride.batch + h * p->q_stride.head + q_row * p->q_stride.row + e]) *
           number(half, s->k[k_batch * p->k_stride.batch + kv * p->k_stride.head + (k_row + j) * p->k_stride.row + e]);
    x *= factor;
    if (p->softcap > 0) x = p->softcap * tanh(x / p->softcap);
    if (s->slopes) x += s->slopes[h] * (double)(j - position);
    if (s->bias) x += s->bias[b * p->bias_stride.batch + h * p->bias_stride.head + i * p->bias_stride.row + (j + skipped) * p->bias_column];
    score[j] = x, m = fmax(m, x);
  }
  *at = m, *l = 0;
  for (int64_t j = 0; j < keys; ++j) *l += m == -INFINITY ? 0 : exp(score[j] - m);
  const double sink = s->sinks ? s->sinks[h] : -INFINITY, all = fmax(m, sink);
  const double sum = (m == -INFINITY ? 0 : *l * exp(m - all)) + (sink == -INFINITY ? 0 : exp(sink - all));
  *lse = all == -INFINITY ? all : all + log(sum);
  for (int64_t e = 0; e < p->value_size; ++e) {
    double o = 0;
    for (int64_t j = 0; j < keys; ++j)
      if (score[j] != -INFINITY)
        o += exp(score[j] - all) / sum *
             number(half, s->v[k_batch * p->v_stride.batch + kv * p->v_stride.head + (k_row + j) * p->v_stride.row + e]);
    out[e] = o;
  }
  free(score);
}

/* Runs it and compares every row. */
static void compare(seen* s, size_t out_elements, const char* what) {
  twofold_attention_problem* p = &s->p;
  const int half = p->type == 1;
  const int64_t rows_of_head = s->query_offsets ? p->query_rows : p->queries, rows = (s->query_offsets ? 1 : p->batch) * p->heads * rows_of_head;
  char message[256];
  void* work = to_device(NULL, twofold_attention_workspace_bytes(p));
  cudaStream_t stream;
  cuda(cudaStreamCreate(&stream));
  p->out = to_device(NULL, out_elements * 2);
  p->lse_ln = to_device(NULL, rows * 4), p->lse_log2 = to_device(NULL, rows * 4);
  p->state_at = to_device(NULL, rows * 4), p->state_l = to_device(NULL, rows * 4), p->state_o = to_device(NULL, rows * p->value_size * 4);
  if (twofold_attention_forward(p, work, twofold_attention_workspace_bytes(p), stream, message, sizeof message)) {
    printf("FAILED: %s: %s\n", what, message), ++failures;
    return;
  }
  cuda(cudaStreamSynchronize(stream));
  uint16_t* out = to_host(p->out, out_elements * 2);
  float *ln = to_host(p->lse_ln, rows * 4), *log2s = to_host(p->lse_log2, rows * 4), *at = to_host(p->state_at, rows * 4),
        *l = to_host(p->state_l, rows * 4), *o = to_host(p->state_o, rows * p->value_size * 4);
  double worst = 0, want[256], lse, m, sum;
  for (int64_t b = 0; b < p->batch; ++b)
    for (int64_t h = 0; h < p->heads; ++h) {
      const int64_t base = s->query_offsets ? s->query_offsets[b] : 0;
      const int64_t queries = s->query_offsets ? s->query_offsets[b + 1] - base : p->queries;
      for (int64_t i = 0; i < queries; ++i) {
        row(s, b, h, i, want, &lse, &m, &sum);
        const int64_t dense = ((s->query_offsets ? 0 : b) * p->heads + h) * rows_of_head + base + i;
        const double share = exp(m == -INFINITY ? -INFINITY : m + log(sum) - lse); /* of the keys beside the sink */
        const double mine = l[dense] == 0 ? -INFINITY : at[dense] * 0.69314718055994531 + log(l[dense]), right = m + log(sum);
        worst = fmax(worst, mine == right || (sum == 0 && l[dense] == 0) ? 0 : fabs(mine - right) / 1e-4);
        worst = fmax(worst, ln[dense] == lse ? 0 : fabs(ln[dense] - lse) / 1e-4);
        worst = fmax(worst, ln[dense] == lse ? 0 : fabs(log2s[dense] - lse / 0.69314718055994531) / 2e-4);
        for (int64_t e = 0; e < p->value_size; ++e) {
          const double got = number(half, out[(s->query_offsets ? 0 : b) * p->out_stride.batch + h * p->out_stride.head +
                                              (base + i) * p->out_stride.row + e]);
          const double state = l[dense] == 0 ? 0 : o[dense * p->value_size + e] / l[dense] * share;
          worst = fmax(worst, fabs(got - want[e]) / 0.01), worst = fmax(worst, fabs(state - want[e]) / 0.01);
        }
      }
    }
  if (!(worst <= 1)) printf("FAILED: %s: %.2f of the bound\n", what, worst), ++failures;
  free(out), free(ln), free(log2s), free(at), free(l), free(o);
}

static void test_every_field(void) {
  for (int half = 0; half < 2; ++half) {
    seen s;
    memset(&s, 0, sizeof s);
    twofold_attention_problem* p = &s.p;
    p->type = half, p->batch = 2, p->heads = 4, p->kv_heads = 2, p->queries = 70, p->keys = 150, p->head_size = 40, p->value_size = 24;
    /* [sequence][row][head][element], [sequence][head][row][element], with gaps; nobody's strides are another's */
    p->q_stride = (twofold_attention_strides){80 * 4 * 48, 48, 4 * 48};
    p->k_stride = (twofold_attention_strides){2 * 160 * 56 + 8, 160 * 56, 56};
    p->v_stride = (twofold_attention_strides){152 * 2 * 32, 32, 2 * 32};
    p->out_stride = (twofold_attention_strides){4 * 70 * 40, 70 * 40, 40};
    s.q = numbers(half, 2 * 80 * 4 * 48, 1), s.k = numbers(half, 2 * (2 * 160 * 56 + 8), 2), s.v = numbers(half, 2 * 152 * 2 * 32, 3);
    p->q = to_device(s.q, 2 * 2 * 80 * 4 * 48), p->k = to_device(s.k, 2 * 2 * (2 * 160 * 56 + 8)), p->v = to_device(s.v, 2 * 2 * 152 * 2 * 32);
    p->score_factor = 0.3, p->alignment = 1, p->left = 60, p->right = 5, p->prefix = 9, p->softcap = 7;
    int32_t lengths[2] = {100, 55}, starts[2] = {4, 90};
    float slopes[4] = {0.5f, 0.25f, 0.125f, -0.125f}, sinks[4] = {0.5f, -INFINITY, -3, 4};
    float* bias = malloc(70 * 150 * 2 * 4 * sizeof(float));
    for (int i = 0; i < 70 * 150 * 2 * 4; ++i) bias[i] = (float)(i * 7919 % 64) / 32 - 1;
    s.key_lengths = lengths, s.key_starts = starts, s.slopes = slopes, s.sinks = sinks, s.bias = bias;
    p->key_lengths = to_device(lengths, sizeof lengths), p->key_starts = to_device(starts, sizeof starts);
    p->alibi_slopes = to_device(slopes, sizeof slopes), p->sinks = to_device(sinks, sizeof sinks);
    p->bias = to_device(bias, 70 * 150 * 2 * 4 * sizeof(float));
    p->bias_stride = (twofold_attention_strides){4 * 70 * 150, 70 * 150, 1}, p->bias_column = 70;
    compare(&s, 2 * 4 * 70 * 40, half ? "every field, fp16" : "every field, bf16");
    p->shared_rounding = true;
    compare(&s, 2 * 4 * 70 * 40, "every field, one rounding for both");
    p->shared_rounding = false, p->softcap = 0, p->bias = NULL, s.bias = NULL, p->alibi_slopes = NULL, s.slopes = NULL, p->alignment = 0;
    compare(&s, 2 * 4 * 70 * 40, "without changed scores, top left");
    /* packed: one tensor of rows for all sequences */
    int32_t query_offsets[3] = {0, 25, 60}, key_offsets[3] = {0, 80, 141};
    s.query_offsets = query_offsets, s.key_offsets = key_offsets, s.key_lengths = s.key_starts = NULL;
    p->query_offsets = to_device(query_offsets, sizeof query_offsets), p->key_offsets = to_device(key_offsets, sizeof key_offsets);
    p->key_lengths = p->key_starts = NULL, p->queries = 35, p->keys = 80, p->query_rows = 60, p->key_rows = 141;
    p->out_stride = (twofold_attention_strides){0, 24, 4 * 24};
    compare(&s, 60 * 4 * 24, "packed");
  }
}

/* States of two halves of the keys, merged, are those of all keys. */
static void test_merge(void) {
  twofold_attention_problem p = good();
  p.batch = 1, p.heads = p.kv_heads = 2, p.queries = 50, p.keys = 60, p.head_size = p.value_size = 64;
  p.q_stride = p.k_stride = p.v_stride = p.out_stride = (twofold_attention_strides){0, 120 * 64, 64};
  uint16_t* x = numbers(0, 3 * 2 * 120 * 64, 4);
  uint16_t* d = to_device(x, 3 * 2 * 120 * 64 * 2);
  const int rows = 2 * 50, size = 64;
  float *at = to_device(NULL, 2 * rows * 4), *l = to_device(NULL, 2 * rows * 4), *o = to_device(NULL, 2 * rows * size * 4),
        *ln[2] = {to_device(NULL, rows * 4), to_device(NULL, rows * 4)}, *all[3];
  void *work = to_device(NULL, 64), *out[2] = {to_device(NULL, 2 * 120 * 64 * 2), to_device(NULL, rows * (size + 8) * 2)};
  for (int i = 0; i < 3; ++i) all[i] = to_device(NULL, rows * size * 4);
  char message[256];
  p.q = d;
  for (int part = 0; part < 3; ++part) { /* the halves, then all keys */
    p.k = d + 2 * 120 * 64 + (part == 1 ? 60 * 64 : 0), p.v = d + 2 * 2 * 120 * 64 + (part == 1 ? 60 * 64 : 0);
    p.keys = part == 2 ? 120 : 60, p.out = part == 2 ? out[0] : NULL, p.lse_ln = part == 2 ? ln[0] : NULL;
    p.state_at = part == 2 ? NULL : at + part * rows, p.state_l = part == 2 ? NULL : l + part * rows,
    p.state_o = part == 2 ? NULL : o + part * rows * size;
    expect(twofold_attention_forward(&p, work, 64, NULL, message, sizeof message) == 0, message);
  }
  twofold_attention_merge m;
  memset(&m, 0, sizeof m);
  m.at = at, m.l = l, m.o = o, m.parts = 2, m.rows = rows, m.value_size = size, m.out = out[1], m.out_row = size + 8, m.lse_ln = ln[1];
  m.state_at = all[0], m.state_l = all[1], m.state_o = all[2], m.lse_log2 = NULL;
  expect(twofold_attention_merge_states(&m, NULL, message, sizeof message) == 0, message);
  uint16_t *whole = to_host(out[0], 2 * 120 * 64 * 2), *merged = to_host(out[1], rows * (size + 8) * 2);
  float *a = to_host(ln[0], rows * 4), *b = to_host(ln[1], rows * 4), *to_l = to_host(all[1], rows * 4), *to_o = to_host(all[2], rows * size * 4);
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    worst = fmax(worst, fabs(a[r] - b[r]) / 1e-4);
    for (int e = 0; e < size; ++e) {
      const double want = number(0, whole[r / 50 * 120 * 64 + r % 50 * 64 + e]);
      worst = fmax(worst, fabs(number(0, merged[r * (size + 8) + e]) - want) / 0.01);
      worst = fmax(worst, fabs(to_o[r * size + e] / to_l[r] - want) / 0.01);
    }
    for (int e = size; e < size + 8; ++e) expect(merged[r * (size + 8) + e] == 0xffff, "nothing between the rows");
  }
  expect(worst <= 1, "merged states");
}

int main(void) {
  int devices = 0, major = 0;
  test_refusals();
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0 ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess || major != 9) {
    printf("%d failures before the device; the rest is skipped: no device of compute capability 9.0\n", failures);
    return failures ? 1 : 77;
  }
  test_every_field();
  test_merge();
  printf("%d failures\n", failures);
  return failures != 0;
}
