// From a body's parameter types to tables: which are constants, which are data, which input and
// output each one has.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "runtime/access.h"
#include "runtime/core/task_info.h"
#include "runtime/value.h"

namespace rt::inline v0::detail {

/// What a file's version holds.
struct FilePath {
  std::string text;
  std::filesystem::path path;
  template <class A>
  void fields(A& a) {
    a(text);
  }
};

/// Stands for a data parameter where only constants are kept.
struct NoConstant {};

template <class P>
inline constexpr bool kIsContext = std::is_same_v<std::remove_cvref_t<P>, Context>;
template <class P>
inline constexpr bool kIsWhole = std::is_base_of_v<ValueBase, std::remove_cvref_t<P>>;
template <class P>
inline constexpr bool kIsChanged =
    std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;
template <class P>
inline constexpr bool kPointsToText = std::is_same_v<std::remove_cvref_t<P>, std::string_view> ||
                                      (std::is_pointer_v<std::remove_cvref_t<P>> &&
                                       std::is_convertible_v<std::remove_cvref_t<P>, const char*>);
/// False for what no body can have as a parameter.
template <class P>
inline constexpr bool kMayBeTaken =
    !kIsContext<P> && !kIsWhole<P> && !kIsChanged<P> && !kPointsToText<P>;

/// Fails to compile, in words, if no body can have a parameter of type P.
template <class P>
constexpr bool check_parameter() {
  if constexpr (kIsContext<P>)
    static_assert(kMayBeTaken<P>, "rt: a body that takes an rt::Context& takes it first, and once");
  else if constexpr (kIsWhole<P>)
    static_assert(kMayBeTaken<P>,
                  "rt: a body takes the content of an rt::Value, not the rt::Value: let it take "
                  "rt::in<T>");
  else if constexpr (kIsChanged<P>)
    static_assert(kMayBeTaken<P>,
                  "rt: a body gets a copy of a constant: for an argument that it changes, let it "
                  "take rt::inout<T>");
  else
    static_assert(kMayBeTaken<P>,
                  "rt: a task keeps its constants: let the body take std::string in place of a "
                  "pointer or a view");
  return true;
}

/// Of a constant; the data parameters are below.
template <class P>
struct Traits {
  using Plain = std::remove_cvref_t<P>;
  using Argument = Plain;
  using Kept = Plain;
  static constexpr Mode mode = Mode::constant;
  static constexpr int inputs = 0;
  static constexpr int outputs = 0;
  static constexpr const TypeOps* ops() { return nullptr; }
  static constexpr void check() {
    if constexpr (kMayBeTaken<P>) require_encodable<Plain>();
  }
};

template <class T, Mode M, int Inputs, int Outputs>
struct DataTraits {
  using Content = T;
  using Argument = std::conditional_t<M == Mode::in, const Value<T>&, Value<T>&>;
  using Kept = NoConstant;
  static constexpr Mode mode = M;
  static constexpr int inputs = Inputs;
  static constexpr int outputs = Outputs;
  static constexpr const TypeOps* ops() { return type_ops<T>(); }
  static constexpr void check() {
    require_value<T>();
    static_assert(M == Mode::in || M == Mode::out || M == Mode::redux || BufferType<T> ||
                      std::is_copy_constructible_v<T>,
                  "rt: an inout or commutative argument must be copyable: others may still need "
                  "the old version");
    static_assert(M != Mode::out || BufferType<T> || std::is_default_constructible_v<T>,
                  "rt: an out argument must have a default constructor, or be a buffer type");
  }
};

template <class T>
struct Traits<in<T>> : DataTraits<T, Mode::in, 1, 0> {};
template <class T>
struct Traits<inout<T>> : DataTraits<T, Mode::inout, 1, 1> {};
template <class T>
struct Traits<out<T>> : DataTraits<T, Mode::out, BufferType<T> ? 1 : 0, 1> {};
template <class T>
struct Traits<commutative<T>> : DataTraits<T, Mode::commutative, 1, 1> {};
template <class T, class Op>
struct Traits<redux<T, Op>> : DataTraits<T, Mode::redux, BufferType<T> ? 1 : 0, 1> {};

template <Mode M, int Outputs>
struct FileTraits {
  using Argument = const std::filesystem::path&;
  using Kept = NoConstant;
  static constexpr Mode mode = M;
  static constexpr int inputs = 1;
  static constexpr int outputs = Outputs;
  static constexpr const TypeOps* ops() { return type_ops<FilePath>(); }
  static constexpr void check() {}
};
/// The second output of each is its share in the file's gate, which the next writer waits for.
template <>
struct Traits<file_in> : FileTraits<Mode::file_in, 1> {};
template <>
struct Traits<file_out> : FileTraits<Mode::file_out, 2> {};

template <class P>
using Argument = typename Traits<P>::Argument;
template <class P>
using Kept = typename Traits<P>::Kept;
template <class P>
inline constexpr bool kIsConstant = Traits<P>::mode == Mode::constant;
template <class P>
inline constexpr bool kIsCommutative = Traits<P>::mode == Mode::commutative;
template <class P>
inline constexpr bool kIsFileOut = Traits<P>::mode == Mode::file_out;
template <class P>
inline constexpr bool kIsFile = kIsFileOut<P> || Traits<P>::mode == Mode::file_in;

/// The tasks that commutative and redux arguments need behind the scenes; defined in
/// runtime/core/folds.h.
template <class P>
const FoldOps* fold_ops();

template <class... P>
const std::array<Parameter, sizeof...(P)>& parameters_of() {
  static const std::array<Parameter, sizeof...(P)> table = [] {
    std::array<Parameter, sizeof...(P)> made{};
    [[maybe_unused]] std::size_t i = 0;
    [[maybe_unused]] std::uint8_t inputs = 0;
    [[maybe_unused]] std::uint8_t outputs = 0;
    ((made[i++] = Parameter{Traits<P>::mode, Traits<P>::inputs > 0 ? inputs : Parameter::kNone,
                            Traits<P>::outputs > 0 ? outputs : Parameter::kNone, Traits<P>::ops(),
                            fold_ops<P>()},
      inputs += Traits<P>::inputs, outputs += Traits<P>::outputs),
     ...);
    return made;
  }();
  return table;
}

/// A body's type without the optional Context: R(P...).
template <class F>
struct BodyType {
  static_assert(std::is_class_v<F>,
                "rt: a task's body is a lambda, e.g. [](rt::in<double> x) { return *x * 2; }");
};
template <class R, class C, class... P>
struct BodyType<R (C::*)(P...) const> {
  static_assert((check_parameter<P>() && ...));
  using type = R(P...);
  static constexpr bool with_context = false;
};
template <class R, class C, class... P>
struct BodyType<R (C::*)(Context&, P...) const> {
  static_assert((check_parameter<P>() && ...));
  using type = R(P...);
  static constexpr bool with_context = true;
};

template <class F>
concept HasOneCall = requires {
  &F::operator();
};

template <class F>
constexpr bool check_callable() {
  static_assert(std::is_class_v<F>,
                "rt: a task's body must be a lambda without captures, not a pointer to a function");
  static_assert(
      HasOneCall<F>,
      "rt: a task's body must name its parameter types: no auto parameters, no overloads");
  static_assert(std::is_empty_v<F> && std::is_default_constructible_v<F>,
                "rt: a task's body must capture nothing: pass what it needs as arguments");
  return true;
}

template <class F, bool = check_callable<F>()>
struct BodyOf : BodyType<decltype(&F::operator())> {};
template <class F>
using SignatureOf = typename BodyOf<F>::type;

}  // namespace rt::inline v0::detail
