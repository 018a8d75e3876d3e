// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The driver's interface by dlopen. Its prototypes are written out here: a build needs no CUDA.
#include "gpu.hpp"

#include <algorithm>

#include "shared_library.hpp"

namespace twofold::device {

namespace {
shared_library driver_library() {
  shared_library library({"libcuda.so.1", "libcuda.so"});
  if (library.empty())
    throw failure("TF3106", "no GPU can be used", "the driver of NVIDIA is not installed: " + library.why(),
                  "run on a machine with an NVIDIA GPU and its driver, or with --device cpu");
  return library;
}
}  // namespace

void expect_driver() { (void)driver_library(); }

//! The functions of libcuda that are used, under the names of its current interface.
struct gpu::driver {
  int (*init)(unsigned) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device_get)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*attribute)(int*, int, int) = nullptr;
  int (*retain)(void**, int) = nullptr;
  int (*release)(int) = nullptr;
  int (*set_current)(void*) = nullptr;
  int (*module_load)(void**, const void*) = nullptr;
  int (*module_unload)(void*) = nullptr;
  int (*module_function)(void**, void*, const char*) = nullptr;
  int (*module_global)(std::uint64_t*, std::size_t*, void*, const char*) = nullptr;
  int (*function_set)(void*, int, int) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**) = nullptr;
  int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
  int (*free)(std::uint64_t) = nullptr;
  int (*to_device)(std::uint64_t, const void*, std::size_t) = nullptr;
  int (*to_host)(void*, std::uint64_t, std::size_t) = nullptr;
  int (*set)(std::uint64_t, unsigned char, std::size_t, void*) = nullptr;
  int (*copy)(std::uint64_t, std::uint64_t, std::size_t, void*) = nullptr;
  int (*event_create)(void**, unsigned) = nullptr;
  int (*event_destroy)(void*) = nullptr;
  int (*event_record)(void*, void*) = nullptr;
  int (*event_wait)(void*) = nullptr;
  int (*event_elapsed)(float*, void*, void*) = nullptr;
  int (*error_text)(int, const char**) = nullptr;

  driver() {
    const shared_library library = driver_library();
    bool all = true;
    const auto get = [&](auto& f, const char* name) {
      library.get(f, name);
      all = all && f != nullptr;
    };
    get(init, "cuInit");
    get(device_count, "cuDeviceGetCount");
    get(device_get, "cuDeviceGet");
    get(device_name, "cuDeviceGetName");
    get(attribute, "cuDeviceGetAttribute");
    get(retain, "cuDevicePrimaryCtxRetain");
    get(release, "cuDevicePrimaryCtxRelease_v2");
    get(set_current, "cuCtxSetCurrent");
    get(module_load, "cuModuleLoadData");
    get(module_unload, "cuModuleUnload");
    get(module_function, "cuModuleGetFunction");
    get(module_global, "cuModuleGetGlobal_v2");
    get(function_set, "cuFuncSetAttribute");
    get(launch, "cuLaunchKernel");
    get(allocate, "cuMemAlloc_v2");
    get(free, "cuMemFree_v2");
    get(to_device, "cuMemcpyHtoD_v2");
    get(to_host, "cuMemcpyDtoH_v2");
    get(set, "cuMemsetD8Async");
    get(copy, "cuMemcpyDtoDAsync_v2");
    get(event_create, "cuEventCreate");
    get(event_destroy, "cuEventDestroy_v2");
    get(event_record, "cuEventRecord");
    get(event_wait, "cuEventSynchronize");
    get(event_elapsed, "cuEventElapsedTime");
    get(error_text, "cuGetErrorString");
    if (!all) throw failure("TF3106", "no GPU can be used", "the driver is too old", "install a driver for CUDA 13 (580 or later)");
  }
};

namespace {
// Numbers of the driver's interface.
constexpr int attribute_multiprocessors = 16, attribute_major = 75, attribute_minor = 76, attribute_shared_optin = 97;
constexpr int function_max_dynamic_shared = 8;
constexpr int out_of_memory = 2;
}  // namespace

gpu::gpu() : api_(std::make_unique<driver>()) {
  const auto refuse = [](const std::string& why) {
    throw failure("TF3106", "no GPU can be used", why, "run on a machine with an NVIDIA GPU and its driver, or with --device cpu");
  };
  if (const int e = api_->init(0); e != 0) {
    const char* text = nullptr;
    api_->error_text(e, &text);
    refuse(text != nullptr ? text : "the driver does not start");
  }
  int count = 0;
  if (api_->device_count(&count) != 0 || count == 0 || api_->device_get(&device_, 0) != 0) refuse("the driver sees no device");
  char text[256] = {};
  check(api_->device_name(text, sizeof text - 1, device_), "asking for the name of the device");
  name_ = text;
  check(api_->attribute(&major_, attribute_major, device_), "asking for the compute capability");
  check(api_->attribute(&minor_, attribute_minor, device_), "asking for the compute capability");
  check(api_->attribute(&multiprocessors_, attribute_multiprocessors, device_), "asking for the multiprocessors");
  check(api_->attribute(&shared_, attribute_shared_optin, device_), "asking for the shared memory");
  if (major_ < 8) refuse(name_ + " has compute capability " + std::to_string(major_) + "." + std::to_string(minor_) + ", 8.0 is the least");
  void* context = nullptr;
  check(api_->retain(&context, device_), "starting the device");
  check(api_->set_current(context), "starting the device");
  for (void*& e : events_) check(api_->event_create(&e, 0), "making an event");
}

gpu::~gpu() {
  for (void* e : events_)
    if (e != nullptr) api_->event_destroy(e);
  if (module_ != nullptr) api_->module_unload(module_);
  api_->release(device_);
}

void gpu::check(int result, const char* doing) const {
  if (result == 0) return;
  const char* text = nullptr;
  api_->error_text(result, &text);
  throw failure(
      "TF3107", std::string("the GPU failed while ") + doing, text != nullptr ? text : "error " + std::to_string(result),
      result == out_of_memory ? "smaller arrays, or a GPU with more free memory" : "try --device cpu; report this with your loop");
}

std::string gpu::architecture() const { return "sm_" + std::to_string(major_) + std::to_string(minor_) + (major_ >= 9 ? "a" : ""); }

void gpu::load(const std::string& code) { check(api_->module_load(&module_, code.data()), "loading compiled code"); }

void gpu::read_constant(const char* name, void* to, std::size_t bytes) const {
  std::uint64_t at = 0;
  std::size_t size = 0;
  check(api_->module_global(&at, &size, module_, name), "looking for a constant");
  check(api_->to_host(to, at, std::min(bytes, size)), "copying from the device");
}

kernel gpu::find(const char* name, std::size_t shared_bytes) const {
  kernel k;
  check(api_->module_function(&k.function, module_, name), "looking for a kernel");
  if (shared_bytes > 0)
    check(api_->function_set(k.function, function_max_dynamic_shared, static_cast<int>(shared_bytes)), "reserving shared memory");
  return k;
}

void gpu::launch(const kernel& k, unsigned blocks, unsigned threads, std::size_t shared_bytes, void* argument) const {
  void* arguments[] = {argument};
  check(api_->launch(k.function, blocks, 1, 1, threads, 1, 1, static_cast<unsigned>(shared_bytes), nullptr, arguments, nullptr),
        "launching a kernel");
}

void gpu::mark(int which) const { check(api_->event_record(events_[which], nullptr), "recording an event"); }

double gpu::elapsed() const {
  float ms = 0;
  check(api_->event_wait(events_[1]), "running the loop");
  check(api_->event_elapsed(&ms, events_[0], events_[1]), "measuring time");
  return static_cast<double>(ms);
}

memory::memory(const gpu& on, std::size_t bytes) : on_(&on), bytes_(bytes) {
  if (bytes > 0) on.check(on.api_->allocate(&at_, bytes), "allocating memory");
}
memory::~memory() {
  if (at_ != 0) on_->api_->free(at_);
}
void memory::write(const void* from, std::size_t bytes) {
  if (bytes > 0) on_->check(on_->api_->to_device(at_, from, bytes), "copying to the device");
}
void memory::fill(std::size_t bytes) {
  if (bytes > 0) on_->check(on_->api_->set(at_, 1, bytes, nullptr), "writing memory");
}
void memory::copy(const memory& from, std::size_t bytes) {
  if (bytes > 0) on_->check(on_->api_->copy(at_, from.at_, bytes, nullptr), "copying on the device");
}
void memory::read(void* to, std::size_t bytes, std::size_t from) const {
  if (bytes > 0) on_->check(on_->api_->to_host(to, at_ + from, bytes), "copying from the device");
}

}  // namespace twofold::device
