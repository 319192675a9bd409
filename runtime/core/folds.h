// The small tasks behind commutative and redux arguments.
#pragma once

#include "runtime/task.h"

namespace rt::inline v0::detail {

/// A task that nobody but the runtime calls.
template <class S>
Task<S> inside(const Task<S>& task) {
  return task.with([](TaskInfo& info) { info.inside = true; });
}

template <class P>
struct Fold {
  static const FoldOps* ops() { return nullptr; }
};

template <class T>
struct Fold<commutative<T>> {
  static Held begin(Held old) {
    static const auto own = inside(rt::task("commutative").cpu([](inout<T>) {}));
    Value<T> v(std::move(old));
    (void)own(v);
    return v.version();
  }
  static const FoldOps* ops() {
    static constexpr FoldOps table{&begin, nullptr, nullptr};
    return &table;
  }
};

template <class T, class Op>
struct Fold<redux<T, Op>> {
  static BoxRef identity([[maybe_unused]] const void* like) {
    if constexpr (BufferType<T>) {
      return make_box(T(Op::identity(*static_cast<const T*>(like))));
    } else {
      return make_box(T(Op::identity()));
    }
  }
  static Held combine(Held into, const Held& from, bool pure, Version* result) {
    static const auto impure_task =
        inside(rt::task("combine " + std::string(type_name<Op>())).cpu([](inout<T> a, in<T> b) {
          Op::combine(*a, *b);
        }));
    static const auto pure_task = impure_task.pure().keep(Keep::never);
    Value<T> sum(std::move(into));
    const Value<T> other(from);
    NewNode<Call<void, inout<T>, in<T>>> node((pure ? pure_task : impure_task).info_,
                                              std::source_location::current(), result);
    node.template make<inout<T>, in<T>>(sum, other);
    (void)submit_call(node.release());
    return sum.version();
  }
  static const FoldOps* ops() {
    static constexpr FoldOps table{nullptr, &identity, &combine};
    return &table;
  }
};

template <class P>
const FoldOps* fold_ops() {
  return Fold<P>::ops();
}

}  // namespace rt::inline v0::detail
