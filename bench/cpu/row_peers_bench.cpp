// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file oneDNN's softmax and layer norm (interface of version 2), on all threads.
#include "rows.hpp"

#if __has_include(<dnnl.hpp>)
#include <dnnl.hpp>
#endif

namespace bench {

void add_row_peers([[maybe_unused]] std::vector<contender>& all) {
#if defined(DNNL_VERSION_MAJOR) && DNNL_VERSION_MAJOR == 2
  for (const shape& s : shapes) {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const dnnl::memory::desc layout({s.rows, s.columns}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::ab);
    dnnl::memory in(layout, engine, const_cast<float*>(signal())), out(layout, engine, room());
    dnnl::stream stream(engine);
    const row_truth t = truth_of(s);
    const dnnl::softmax_forward softmax({{dnnl::prop_kind::forward_inference, layout, 1}, engine});
    add_map(
        all, "softmax", s, "onednn",
        [=] {
          dnnl::stream queue = stream;
          softmax.execute(queue, {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
          queue.wait();
        },
        t.softmax, 1e-4 * t.softmax);
    const dnnl::layer_normalization_forward norm(
        {{dnnl::prop_kind::forward_inference, layout, 1e-5f, dnnl::normalization_flags::none}, engine});
    add_map(
        all, "layer_norm", s, "onednn",
        [=] {
          dnnl::stream queue = stream;
          norm.execute(queue, {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
          queue.wait();
        },
        t.layer_norm, 1e-4);
  }
#endif
}

}  // namespace bench
