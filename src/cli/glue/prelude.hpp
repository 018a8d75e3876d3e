// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file The fixed part of the code that `run` compiles: how arrays become the parameters of a user's function. What a parameter is comes
//! from the function's own type, never from text.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace twofold_run {

inline void expect(bool right, const char* what) {
  if (!right) throw std::invalid_argument(what);
}

template <class T>
T load(const slot& s) {
  expect(s.bytes == sizeof(T) && s.count == 1, "a scalar parameter has another size than its type");
  T v;
  std::memcpy(&v, s.data, sizeof v);
  return v;
}

// --- one adapter per form of parameter: get() is what the function receives, finish() brings results back

template <class P>
struct argument {  // scalars, by value
  const slot& s;
  static_assert(std::is_arithmetic_v<std::remove_cvref_t<P>> || std::is_enum_v<std::remove_cvref_t<P>>,
                "this form of parameter cannot be filled from arrays");
  std::remove_cvref_t<P> value = load<std::remove_cvref_t<P>>(s);
  P get() { return static_cast<P>(value); }
  void finish() {}
};

template <class T>
struct argument<T&> {  // scalars by reference: results come back
  slot& s;
  std::remove_const_t<T> value = load<std::remove_const_t<T>>(s);
  T& get() { return value; }
  void finish() {
    if constexpr (!std::is_const_v<T>) std::memcpy(s.data, &value, sizeof value);
  }
};

template <class T>
struct argument<T*> {  // a row-major array, or a pointer to arrays of fixed length
  slot& s;
  T* get() {
    expect((s.count * s.bytes) % static_cast<std::int64_t>(sizeof(T)) == 0, "an array does not divide into rows of the parameter's length");
    return static_cast<T*>(s.data);
  }
  void finish() {}
};

template <class T>
requires std::is_pointer_v<std::remove_const_t<T>>
struct argument<T*> {  // an array of pointers to rows
  slot& s;
  std::vector<std::remove_const_t<T>> rows;
  T* get() {
    using entry = std::remove_pointer_t<std::remove_const_t<T>>;
    for (std::int64_t i = 0; i < s.rows; ++i) rows.push_back(static_cast<entry*>(s.data) + i * s.row);
    return rows.data();
  }
  void finish() {}
};

template <class T, std::size_t N>
struct argument<T (&)[N]> {
  slot& s;
  auto get() -> T (&)[N] {
    expect(s.count * s.bytes == static_cast<std::int64_t>(sizeof(T[N])), "an array has another length than the parameter");
    return *static_cast<T(*)[N]>(s.data);
  }
  void finish() {}
};

template <class T, std::size_t E>
struct argument<std::span<T, E>> {
  slot& s;
  std::span<T, E> get() {
    expect(E == std::dynamic_extent || s.count == static_cast<std::int64_t>(E), "an array has another length than the span");
    return std::span<T, E>(static_cast<T*>(s.data), static_cast<std::size_t>(s.count));
  }
  void finish() {}
};
template <class T, std::size_t E>
struct argument<const std::span<T, E>&> : argument<std::span<T, E>> {};

template <class C>
struct copied {  // containers that own their elements
  slot& s;
  C value = fill(s);
  static C fill(const slot& s) {
    C c{};
    read(c, static_cast<const std::byte*>(s.data), s.rows, s.row, s);
    return c;
  }
  void back() { write(value, static_cast<std::byte*>(s.data)); }

 private:
  template <class T>
  static void read(std::vector<T>& v, const std::byte* at, std::int64_t rows, std::int64_t row, const slot& s) {
    if constexpr (std::is_arithmetic_v<T>) {
      const std::int64_t n = rows * row;
      for (std::int64_t i = 0; i < n; ++i) {
        T x;
        std::memcpy(&x, at + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
        v.push_back(x);
      }
    } else {
      v.resize(static_cast<std::size_t>(rows));
      for (std::int64_t i = 0; i < rows; ++i) read(v[static_cast<std::size_t>(i)], at + i * row * s.bytes, 1, row, s);
    }
  }
  template <class T, std::size_t N>
  static void read(std::array<T, N>& a, const std::byte* at, std::int64_t rows, std::int64_t row, const slot& s) {
    expect(rows * row * s.bytes == static_cast<std::int64_t>(sizeof a), "an array has another length than the parameter");
    std::memcpy(a.data(), at, sizeof a);
  }
  template <class T>
  static void write(const std::vector<T>& v, std::byte*& at) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      if constexpr (std::is_arithmetic_v<T>) {
        const T x = v[i];
        std::memcpy(at, &x, sizeof(T));
        at += sizeof(T);
      } else {
        write(v[i], at);
      }
    }
  }
  template <class T, std::size_t N>
  static void write(const std::array<T, N>& a, std::byte*& at) {
    std::memcpy(at, a.data(), sizeof a);
    at += sizeof a;
  }
  static void write(const C& c, std::byte*&& at) {
    std::byte* moving = at;
    write(c, moving);
  }
};

template <class C>
inline constexpr bool is_container = false;
template <class T, class A>
inline constexpr bool is_container<std::vector<T, A>> = true;
template <class T, std::size_t N>
inline constexpr bool is_container<std::array<T, N>> = true;

template <class C>
requires is_container<std::remove_const_t<C>>
struct argument<C&> : copied<std::remove_const_t<C>> {
  C& get() { return this->value; }
  void finish() {
    if constexpr (!std::is_const_v<C>) this->back();
  }
};
template <class C>
requires is_container<C>
struct argument<C> : copied<C> {
  C get() { return this->value; }
  void finish() {}
};

// --- structures: one object, whose fields are filled one by one

template <class P>
struct object {
  std::remove_cv_t<std::remove_pointer_t<std::remove_reference_t<P>>> value{};
  P get() {
    if constexpr (std::is_pointer_v<std::remove_reference_t<P>>) return &value;
    else return static_cast<P>(value);
  }
};

//! An array of structures, each number of which has a slot of its own.
template <class R>
struct records {
  std::vector<R> value{};
  template <class F>
  void fill(const F& part, const slot& s) {
    value.resize(static_cast<std::size_t>(s.count));
    for (std::int64_t i = 0; i < s.count; ++i) {
      auto& to = part(value[static_cast<std::size_t>(i)]);
      std::memcpy(&to, static_cast<const std::byte*>(s.data) + i * s.bytes, sizeof to);
    }
  }
};
template <class R>
requires std::is_class_v<R>
struct object<const R*> : records<R> {
  const R* get() { return this->value.data(); }
};
template <class R, std::size_t E>
requires std::is_class_v<R>
struct object<std::span<R, E>> : records<std::remove_const_t<R>> {
  std::span<R, E> get() { return std::span<R, E>(this->value.data(), this->value.size()); }
};
template <class R, std::size_t E>
struct object<const std::span<R, E>&> : object<std::span<R, E>> {};
template <class R, class A>
struct object<const std::vector<R, A>&> : records<R> {
  const std::vector<R, A>& get() { return this->value; }
};
template <class R, class A>
struct object<std::vector<R, A>&> : records<R> {
  std::vector<R, A>& get() { return this->value; }
};
template <class R, class A>
struct object<std::vector<R, A>> : records<R> {
  std::vector<R, A> get() { return this->value; }
};

//! A field bound to a slot for the time of the call.
template <class T>
struct field {
  T& target;
  slot& s;
  field(T& t, slot& from) : target(t), s(from) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) target = load<T>(s);
    else if constexpr (std::is_pointer_v<T>) target = static_cast<T>(s.data);
    else if constexpr (is_container<T>) target = copied<T>{s}.value;
    else if constexpr (std::is_array_v<T>) copy(&target, s.data);
    else target = argument<T>{s}.get();
  }
  void finish() {
    if constexpr (is_container<T>) copied<T>{s, target}.back();
    else if constexpr (std::is_array_v<T>) copy(s.data, &target);
  }

 private:
  void copy(void* to, const void* from) const {
    expect(s.count * s.bytes == static_cast<std::int64_t>(sizeof(T)), "an array has another length than the field");
    std::memcpy(to, from, sizeof(T));
  }
};

struct bound_records {
  void finish() {}
};
//! The part of an object, or of every record of an array, that a slot holds.
template <class O, class F>
auto bound(O& o, const F& part, slot& s) {
  if constexpr (requires { o.fill(part, s); }) {
    o.fill(part, s);
    return bound_records{};
  } else {
    return field<std::remove_reference_t<decltype(part(o.value))>>(part(o.value), s);
  }
}

template <class F>
struct parameters_of;
template <class R, class... P>
struct parameters_of<R (*)(P...)> {
  using types = std::tuple<std::type_identity<P>...>;
};
template <class R, class... P>
struct parameters_of<R (*)(P...) noexcept> : parameters_of<R (*)(P...)> {};
template <class F, std::size_t I>
using parameter = typename std::tuple_element_t<I, typename parameters_of<std::remove_const_t<F>>::types>::type;

// --- answers

template <class V>
void store(slot& s, const V& v) {
  expect(s.bytes == sizeof(V) && s.count == 1, "an answer has another size than its type");
  std::memcpy(s.data, &v, sizeof v);
}
template <class T, class C>
void store_all(slot& s, const C& c) {
  for (std::int64_t j = 0; j < s.count; ++j) static_cast<T*>(s.data)[j] = static_cast<T>(c[static_cast<std::size_t>(j)]);
}

class stopwatch {
 public:
  explicit stopwatch(frame* f) : frame_(f) {}
  void stop() { frame_->milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  frame* frame_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

//! Runs and turns what is thrown into a message.
template <class F>
int guarded(frame* f, F&& run) {
  f->message[0] = '\0';
  try {
    run();
    return 0;
  } catch (const std::exception& e) {
    std::snprintf(f->message, sizeof f->message, "%s", e.what());
  } catch (...) {
    std::snprintf(f->message, sizeof f->message, "%s", "something that is not a std::exception was thrown");
  }
  return 1;
}

//! Positions 0 … n−1 of a range, as a source of Twofold.
struct positions {
  std::ptrdiff_t from = 0, to = 0;
  std::ptrdiff_t size() const { return to - from; }
  template <class F>
  decltype(auto) apply(std::ptrdiff_t i, F&& f) const {
    return f(from + i);
  }
  positions sub(std::ptrdiff_t a, std::ptrdiff_t b) const { return {from + a, from + b}; }
};

}  // namespace twofold_run
