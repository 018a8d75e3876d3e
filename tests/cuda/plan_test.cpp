// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Plans of rows: every shape gets one that holds the row, within the limits of a card; and they print what they are.
#include <gtest/gtest.h>

#include "twofold/cuda/row_plan.hpp"

namespace tc = twofold::cuda;
using size = twofold::index;

TEST(RowPlan, HoldsEveryRowWithinTheLimits) {
  for (int bytes : {2, 4, 8})
    for (bool maps : {false, true})
      for (bool aligned : {false, true})
        for (size columns : {size(0), size(1), size(7), size(8), size(17), size(64), size(255), size(1000), size(2048), size(4096),
                             size(50257), size(1) << 18, (size(1) << 18) + 1, size(1) << 24, size(1) << 33})
          for (size rows : {size(1), size(16), size(1) << 12, size(1) << 24}) {
            const tc::row_task t{rows, columns, bytes, 12, maps, aligned, columns % 2 == 0};
            const tc::row_plan p = tc::plan_rows(t);
            const size per = 16 / bytes, vectors = tc::detail::rounded_up_division(columns + (aligned ? 0 : per - 1), per);
            EXPECT_LE(p.threads_per_block(), 512) << to_string(p);
            EXPECT_GE(p.threads_per_block(), 32) << to_string(p);
            EXPECT_EQ(p.threads_per_block() % 32, 0) << to_string(p);
            EXPECT_LE(p.vectors, p.kernel == tc::row_kernel::ring || !maps ? 8 : tc::detail::most_vectors(bytes)) << to_string(p);
            const size held = size(p.vectors) * p.lanes * p.warps * p.blocks, staged = p.teams * columns * bytes;
            EXPECT_TRUE(p.kernel != tc::row_kernel::on_chip || held >= vectors) << to_string(p) << columns;
            EXPECT_TRUE(p.kernel != tc::row_kernel::staged || staged <= 32768) << to_string(p) << columns;
            EXPECT_TRUE(p.kernel != tc::row_kernel::streamed || !maps) << to_string(p);
            EXPECT_LE(p.parts, vectors == 0 ? 1 : vectors);
          }
}

TEST(RowPlan, ReadsOnceWhatACardHolds) {
  EXPECT_EQ(tc::plan_rows({1024, 1 << 18, 4, 8, true}).kept, 1);
  EXPECT_EQ(tc::plan_rows({1024, (1 << 18) + 4, 4, 8, true}).kernel, tc::row_kernel::reread);
  EXPECT_EQ(tc::plan_rows({1024, 1 << 15, 4, 8, true}, {108, 1}).kernel, tc::row_kernel::reread) << "no clusters before sm_90";
}

TEST(RowPlan, LetsRowsFlowThatOneBlockHoldsInSharedMemory) {
  const tc::row_task norms{8192, 1 << 15, 4, 24, true};
  EXPECT_EQ(to_string(tc::plan_rows(norms)), "flow(vectors=8, warps=8, parts=4, stages=6, ahead=3): 100% of a row is read once");
  EXPECT_EQ(tc::plan_rows({4096, 50257, 2, 8, true, false}).kernel, tc::row_kernel::flow);
  for (int bytes : {2, 4})
    for (size columns : {size(16384), size(30001), size(50257), size(52000), size(90000), size(102000)})
      for (bool aligned : {false, true}) {
        const size per = 16 / bytes, vectors = tc::detail::rounded_up_division(columns + (aligned ? 0 : per - 1), per);
        const tc::row_plan p = tc::plan_rows({4096, columns, bytes, 24, true, aligned, false});
        if (p.kernel != tc::row_kernel::flow) continue;
        EXPECT_LE(p.parts, p.stages) << to_string(p) << columns;
        EXPECT_LT(p.ahead, p.stages) << to_string(p) << columns;
        EXPECT_GE(p.parts * p.warps * p.vectors * 32, vectors) << to_string(p) << columns;
        EXPECT_LE(p.stages * tc::detail::rounded_up_division(vectors, p.parts) * 16, 216 * 1024) << to_string(p) << columns;
      }
  const auto refused = [&](const char* why, auto change) {
    tc::row_task t = norms;
    change(t);
    EXPECT_NE(tc::plan_rows(t).kernel, tc::row_kernel::flow) << why;
  };
  refused("too few rows for all processors", [](auto& t) { t.rows = 200; });
  refused("order matters", [](auto& t) { t.commutative = false; });
  refused("the batch must not matter", [](auto& t) { t.batch_invariant = true; });
  refused("nothing is mapped", [](auto& t) { t.maps = false; });
  refused("a row does not fit", [](auto& t) { t.columns = 55000; });
  EXPECT_NE(tc::plan_rows(norms, {132, 16, 100 * 1024}).kernel, tc::row_kernel::flow) << "too little shared memory";
}

TEST(RowPlan, SpreadsWhatWouldTakeAClusterWhereThereIsMemoryForIt) {
  const tc::row_task norms{1024, 1 << 18, 4, 24, true};
  const tc::row_plan p = tc::plan_rows(norms);
  EXPECT_EQ(p.kernel, tc::row_kernel::spread);
  EXPECT_EQ(p.kept, 1);
  EXPECT_EQ(to_string(p).substr(0, 7), "spread(");
  tc::card without;
  without.spreads = false;
  EXPECT_NE(tc::plan_rows(norms, without).kernel, tc::row_kernel::spread);
  EXPECT_NE(tc::plan_rows(norms, {108, 1}).kernel, tc::row_kernel::spread) << "no resident packets before sm_90";
  tc::row_task few = norms;
  few.rows = 4;
  EXPECT_NE(tc::plan_rows(few).kernel, tc::row_kernel::spread) << "too little to keep all processors busy";
  for (size columns : {size(60000), size(100257), size(1) << 18}) {
    const tc::row_plan q = tc::plan_rows({4096, columns, 4, 24, true, columns % 4 == 0});
    EXPECT_GE(q.parts * q.warps * q.vectors * 32 * 4, columns) << columns;
    EXPECT_LE(q.parts, 64) << columns;
  }
}

TEST(RowPlan, BatchInvariantPlansDoNotKnowTheBatch) {
  for (size columns : {size(100), size(8192), size(1) << 20, size(1) << 26}) {
    tc::row_task t{1, columns, 4, 8};
    t.batch_invariant = true;
    const tc::row_plan one = tc::plan_rows(t);
    t.rows = 4096;
    EXPECT_EQ(tc::plan_rows(t), one) << columns;
  }
}

TEST(RowPlan, Prints) {
  EXPECT_EQ(to_string(tc::plan_rows({1 << 15, 1 << 13, 4, 8, true})),
            "on_chip(vectors=8, lanes=32, warps=8, blocks=1): 100% of a row is read once");
  EXPECT_EQ(to_string(tc::plan_rows({1, size(1) << 28, 4, 8})).substr(0, 8), "streamed");
}
