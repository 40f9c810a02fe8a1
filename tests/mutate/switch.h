// What stands in a source whose mutants can be chosen at run time (schemata.py writes it): a place that could be otherwise asks here which
// it is to be.
//
//     L < R      ->  L < Less<17>{} < R     17: L <= R, 18: L > R. Binds as the operator did, so nobody needs to know where L and R end.
//     L && R     ->  both<19>([&] { return bool(L); }, [&] { return bool(R); })
//     3          ->  number<20>(3)
//
// While a trace is kept each place says which of its mutants would have made another value of the operands that it met. What no test
// makes different no test can see, and of a mutant that is seen the tests that could tell are known.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace shardlint::mutate {

int chosen();              // the mutant's number; 0: the program as it is; kTraced: the same, traced
void differs(int number);  // the mutant would have made another value
bool refused(int number);  // the mutant does not compile
constexpr int kTraced = -1;

template <int N>
struct Refused {
  static inline const bool noted = refused(N);
};

template <int N, class Was, class... Becomes>
struct Operator {};

template <class L, int N, class Was, class... Becomes>
struct Half {
  const L& left;

  template <class R>
  auto with(const R& right) const {
    std::decay_t<std::invoke_result_t<Was, const L&, const R&>> out = Was{}(left, right);
    look<N, Becomes...>(right, out);
    return out;
  }

 private:
  template <int Number, class Other, class... More, class R, class Out>
  void look(const R& right, Out& out) const {
    if constexpr (!std::is_invocable_r_v<Out, Other, const L&, const R&>) {
      static_cast<void>(Refused<Number>::noted);
    } else if (chosen() == Number || chosen() == kTraced) {
      Out other = Other{}(left, right);
      if (chosen() == Number)
        out = std::move(other);
      else if (!(other == out))
        differs(Number);
    }
    if constexpr (sizeof...(More) > 0) look<Number + 1, More...>(right, out);
  }
};

template <int N>
using LessEqual = Operator<N, std::less_equal<>, std::less<>, std::greater<>>;
template <int N>
using GreaterEqual = Operator<N, std::greater_equal<>, std::greater<>, std::less<>>;
template <int N>
using Less = Operator<N, std::less<>, std::less_equal<>, std::greater_equal<>>;
template <int N>
using Greater = Operator<N, std::greater<>, std::greater_equal<>, std::less_equal<>>;
template <int N>
using Equal = Operator<N, std::equal_to<>, std::not_equal_to<>>;
template <int N>
using NotEqual = Operator<N, std::not_equal_to<>, std::equal_to<>>;
template <int N>
using Plus = Operator<N, std::plus<>, std::minus<>>;
template <int N>
using Minus = Operator<N, std::minus<>, std::plus<>>;
template <int N>
using Times = Operator<N, std::multiplies<>, std::plus<>>;
template <int N>
using Over = Operator<N, std::divides<>, std::multiplies<>>;
template <int N>
using Modulo = Operator<N, std::modulus<>, std::divides<>>;

// The last of each is nearer than what std::optional compares itself with.
#define BINDS_AS(symbol)                                                                         \
  template <class L, int N, class Was, class... Becomes>                                         \
  Half<L, N, Was, Becomes...> operator symbol(const L& left, Operator<N, Was, Becomes...>) {     \
    return {left};                                                                               \
  }                                                                                              \
  template <class L, int N, class Was, class... Becomes, class R>                                \
  auto operator symbol(const Half<L, N, Was, Becomes...>& half, const R& right) {                \
    return half.with(right);                                                                     \
  }                                                                                              \
  template <class L, int N, class Was, class... Becomes, class R>                                \
  auto operator symbol(const Half<L, N, Was, Becomes...>& half, const std::optional<R>& right) { \
    return half.with(right);                                                                     \
  }
BINDS_AS(<=)
BINDS_AS(>=)
BINDS_AS(<)
BINDS_AS(>)
BINDS_AS(==)
BINDS_AS(!=)
BINDS_AS(+)
BINDS_AS(-)
BINDS_AS(*)
BINDS_AS(/)
BINDS_AS(%)
#undef BINDS_AS

// Where the left side alone decides, nobody knows what the right one would have said.
template <int N>
bool both(const auto& left, const auto& right) {
  if (chosen() == N) return left() || right();
  const bool out = left() && right();
  if (!out) differs(N);
  return out;
}

template <int N>
bool either(const auto& left, const auto& right) {
  if (chosen() == N) return left() && right();
  const bool out = left() || right();
  if (out) differs(N);
  return out;
}

template <int N, class T>
T number(T was) {
  differs(N);
  if (chosen() != N) return was;
  return std::is_floating_point_v<T> && was != 0 ? 2 * was : was + 1;
}

}  // namespace shardlint::mutate
