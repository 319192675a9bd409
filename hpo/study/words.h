#pragma once
// The words of the study file for enumerators. An empty word: the key is left out.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_names.h"
#include "hpo/study/sections.h"

namespace hpo::study {

template <class E>
struct Words;

template <>
struct Words<Goal> {
  static constexpr base::EnumNames<Goal> names{
      {{Goal::minimize, "minimize"}, {Goal::maximize, "maximize"}}};
};

template <>
struct Words<Take> {
  static constexpr base::EnumNames<Take> names{{{Take::last, "last"}, {Take::best, "best"}}};
};

template <>
struct Words<Order> {
  static constexpr base::EnumNames<Order> names{
      {{Order::virtual_time, "virtual"}, {Order::arrival, "arrival"}}};
};

template <>
struct Words<OutputKind> {
  static constexpr base::EnumNames<OutputKind> names{
      {{OutputKind::lines, ""}, {OutputKind::terminal, "terminal"}, {OutputKind::pipe, "pipe"}}};
};

template <>
struct Words<Library> {
  static constexpr base::EnumNames<Library> names{{{Library::none, ""}, {Library::wandb, "wandb"}}};
};

template <>
struct Words<WriteReport> {
  static constexpr base::EnumNames<WriteReport> names{
      {{WriteReport::off, "off"}, {WriteReport::on, "on"}}};
};

template <>
struct Words<Isa> {
  static constexpr base::EnumNames<Isa> names{
      {{Isa::any, ""}, {Isa::avx2, "avx2"}, {Isa::avx512, "avx512"}}};
};

template <>
struct Words<Cause> {
  static constexpr const base::EnumNames<Cause>& names = kCauseNames;
};

template <>
struct Words<From::Optimizer> {
  static constexpr base::EnumNames<From::Optimizer> names{{{From::Optimizer::automatic, ""},
                                                           {From::Optimizer::keep, "keep"},
                                                           {From::Optimizer::anew, "new"}}};
};

template <>
struct Words<nn::HeaderRow> {
  static constexpr base::EnumNames<nn::HeaderRow> names{{{nn::HeaderRow::guess, "guess"},
                                                         {nn::HeaderRow::yes, "true"},
                                                         {nn::HeaderRow::no, "false"}}};
};

template <>
struct Words<nn::LearningTask> {
  static constexpr base::EnumNames<nn::LearningTask> names{
      {{nn::LearningTask::guess, ""},
       {nn::LearningTask::classification, "classification"},
       {nn::LearningTask::regression, "regression"}}};
};

template <>
struct Words<nn::Scale> {
  static constexpr base::EnumNames<nn::Scale> names{{{nn::Scale::standard, "standard"},
                                                     {nn::Scale::minmax, "minmax"},
                                                     {nn::Scale::unit, "unit"},
                                                     {nn::Scale::none, "none"}}};
};

template <>
struct Words<RateRule> {
  static constexpr base::EnumNames<RateRule> names{
      {{RateRule::none, "none"}, {RateRule::linear, "linear"}, {RateRule::sqrt, "sqrt"}}};
};

template <>
struct Words<nn::Flip> {
  static constexpr base::EnumNames<nn::Flip> names{{{nn::Flip::none, "none"},
                                                    {nn::Flip::horizontal, "horizontal"},
                                                    {nn::Flip::vertical, "vertical"},
                                                    {nn::Flip::both, "both"}}};
};

template <class E>
[[nodiscard]] constexpr std::string_view to_word(E value) {
  return Words<E>::names[value];
}
template <class E>
[[nodiscard]] constexpr std::optional<E> from_word(std::string_view word) {
  return Words<E>::names.find(word);
}

/// Returns all words of an enumeration.
template <class E>
[[nodiscard]] std::vector<std::string> words_of() {
  std::vector<std::string> words;
  for (const std::string_view word : Words<E>::names.all())
    if (!word.empty()) words.emplace_back(word);
  return words;
}

[[nodiscard]] inline std::string_view to_word(kern::Precision value) {
  return kern::precision_name(value);
}
template <>
[[nodiscard]] inline std::optional<kern::Precision> from_word<kern::Precision>(
    std::string_view word) {
  return kern::precision_from_name(word);
}

template <>
[[nodiscard]] inline std::vector<std::string> words_of<kern::Precision>() {
  std::vector<std::string> words;
  for (const kern::Precision precision : kern::precisions())
    words.emplace_back(kern::precision_name(precision));
  return words;
}

}  // namespace hpo::study
