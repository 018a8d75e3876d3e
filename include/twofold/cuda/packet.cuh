// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file States published from one block to others: sealed packets in global memory that need no fence, no flag and no clean memory.
#pragma once

#include "twofold/cuda/words.cuh"

namespace twofold::cuda {

//! 16 bytes: 8 of payload and a seal over them. One relaxed 128-bit access moves a packet whole, and the seal reads every word of it: where
//! a word of the result is dead, ptxas 13.0 cuts the load in two, and halves of different packets were seen.
struct alignas(16) packet {
  std::uint64_t payload, seal;
};

//! What a reader expects: packets of another launch, of another wave, or whatever lay in the memory before, do not carry this seal. Foreign
//! bytes do with probability 2^-63 each; packets of other (launch, wave) never. A seal also says whether the state is marked.
struct packet_key {
  static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15ull, mark = 2 * factor;
  std::uint64_t key;
  __device__ __forceinline__ packet_key(std::uint64_t launch, std::uint64_t wave) : key((launch * 0xD1342543DE82EF95ull + wave) * 4 + 1) {}
  __device__ __forceinline__ std::uint64_t seal(std::uint64_t payload, bool marked = false) const {
    return (payload + key) * factor + (marked ? mark : 0);
  }
  //! What is left of a packet's seal: 0, or `mark`, or else it is another's.
  __device__ __forceinline__ std::uint64_t rest(std::uint64_t payload, std::uint64_t seal) const { return seal - (payload + key) * factor; }
};

__device__ __forceinline__ packet load_packet(const packet* at) {
  packet p;
  asm volatile("{\n.reg .b128 v;\nld.relaxed.gpu.global.b128 v, [%2];\nmov.b128 {%0, %1}, v;\n}"
               : "=l"(p.payload), "=l"(p.seal)
               : "l"(at)
               : "memory");
  return p;
}
__device__ __forceinline__ void store_packet(packet* at, const packet& p) {
  asm volatile("{\n.reg .b128 v;\nmov.b128 v, {%1, %2};\nst.relaxed.gpu.global.b128 [%0], v;\n}" ::"l"(at), "l"(p.payload), "l"(p.seal)
               : "memory");
}

//! A state as packets.
template <class S>
struct packets {
  static constexpr int count = (words<S>::count + 1) / 2;
  packet p[count];

  __device__ __forceinline__ void fetch(const packet* at) {
#pragma unroll
    for (int i = 0; i < count; ++i) p[i] = load_packet(at + i);
  }
  __device__ __forceinline__ bool arrived(packet_key k) const {
    bool all = true;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const std::uint64_t rest = k.rest(p[i].payload, p[i].seal);
      all &= rest == 0 || rest == packet_key::mark;
    }
    return all;
  }
  __device__ __forceinline__ bool marked(packet_key k) const { return k.rest(p[0].payload, p[0].seal) != 0; }
  //! A state from its payloads.
  __device__ static __forceinline__ S unpack(const std::uint64_t* payloads) {
    words<S> x;
#pragma unroll
    for (int i = 0; i < words<S>::count; ++i) x.w[i] = static_cast<std::uint32_t>(payloads[i / 2] >> (i % 2 * 32));
    return from_words<S>(x);
  }
  __device__ __forceinline__ S state() const {
    words<S> x;
#pragma unroll
    for (int i = 0; i < words<S>::count; ++i) x.w[i] = static_cast<std::uint32_t>(p[i / 2].payload >> (i % 2 * 32));
    return from_words<S>(x);
  }
};

template <class S>
__device__ __forceinline__ void publish(packet* at, const S& s, packet_key k, bool marked = false) {
  const words<S> x = to_words(s);
#pragma unroll
  for (int i = 0; i < packets<S>::count; ++i) {
    std::uint64_t payload = x.w[2 * i];
    if (2 * i + 1 < words<S>::count) payload |= static_cast<std::uint64_t>(x.w[2 * i + 1]) << 32;
    store_packet(at + i, {payload, k.seal(payload, marked)});
  }
}

//! The number of this launch, read by every block before it publishes; it lies in the workspace and may start as anything. Once every block
//! has published, one thread makes it the next launch's.
__device__ __forceinline__ std::uint64_t load_launch(const std::uint64_t* at) {
  std::uint64_t v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
  return v;
}

}  // namespace twofold::cuda
