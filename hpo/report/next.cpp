// Where to search next, as far as counts tell.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/report/best_values.h"
#include "hpo/report/blamed_ends.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// Fewer trials that ended with a value are no ground for advice.
constexpr std::size_t kFewestForAdvice = 30;
/// The share of the best tenth at the end of a range from which on they press against it.
constexpr double kPress = 0.5;
/// Names that the heading has.
constexpr std::size_t kNamed = 3;
/// Importance from which on a bound is worth moving, and below which a parameter may stay.
constexpr double kMatters = 0.05, kIdle = 0.02;

struct Advice {
  std::vector<std::string> narrow, widen, keep;  ///< names
  std::vector<std::string> reasons;
  std::string yaml;
};

std::string key_of(const std::string& name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  });
  return plain ? name : base::quote_json(name);
}

/// A bound of a study file: without a point it would make an int of a float.
std::string bound_text(const ParameterColumn& column, double bound) {
  std::string text = base::format_double(bound);
  if (!column.is_whole && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string range_line(const ParameterColumn& column, double min, double max) {
  return base::cat("  ", key_of(column.name), ": {", column.is_whole ? "type: int, " : "",
                   "min: ", bound_text(column, min), ", max: ", bound_text(column, max),
                   column.is_log ? ", scale: log" : "", "}\n");
}

/// For people: they would not write more digits.
double rounded(double bound, int digits) {
  return base::parse_double(base::with_digits(bound, digits)).value_or(bound);
}

/// A bound further out: on a log scale by a quarter of the range, else by half of it.
double further(const ParameterColumn& column, bool up) {
  const double width = column.max - column.min;
  double bound = up ? column.max + width / 2 : column.min - width / 2;
  if (column.is_log) {
    const double factor = std::pow(column.max / column.min, 0.25);
    bound = up ? column.max * factor : column.min / factor;
  }
  if (column.is_whole) return std::max(std::round(bound), column.is_log ? 1.0 : bound);
  return rounded(bound, 2);
}

/// Whether a range may go further: shares and probabilities end at 0 and 1.
bool may_widen(const ParameterColumn& column, bool up) {
  const bool share = !column.is_log && !column.is_whole && column.min >= 0 && column.max <= 1;
  if (share) return false;
  return up || column.is_log || column.min < 0;
}

/// Where trials failed at an end of the range. Returns false if there is no such end.
bool advise_narrower(Advice& advice, const Gathered& study, const ParameterColumn& column,
                     const std::vector<BlamedEnd>& blamed) {
  auto [min, max] = std::pair(column.min, column.max);
  const std::string name = visible(column.name, kLongName);
  bool is_blamed = false;
  for (const BlamedEnd& end : blamed) {
    if (end.column != &column) continue;
    is_blamed = true;
    (end.up ? max : min) = column.is_whole ? end.bound : rounded(end.bound, 3);
    advice.reasons.push_back(
        base::cat("In ", end.failed, " of ", base::counted(study.counts.failed, "failed trial"),
                  ", ", name, " is ", end.up ? "above " : "below ", value_text(column, end.bound),
                  ", where no trial ended with a value: end the range there."));
  }
  if (!is_blamed) return false;
  advice.narrow.push_back(name);
  advice.yaml += range_line(column, min, max);
  return true;
}

void advise_wider(Advice& advice, const ParameterColumn& column, const BestValues& best, bool up) {
  const double bound = up ? column.max : column.min;
  const std::string name = visible(column.name, kLongName);
  const auto near =
      std::lround((up ? best.at_max : best.at_min) * static_cast<double>(best.trials));
  advice.widen.push_back(name);
  advice.reasons.push_back(base::cat(near, " of ", best.trials, " of the best tenth lie at the ",
                                     up ? "upper" : "lower", " end of ", name, " (",
                                     value_text(column, bound), "): widen it."));
  const double min = up ? column.min : further(column, false);
  const double max = up ? further(column, true) : column.max;
  advice.yaml += range_line(column, min, max);
}

void advise_to_keep(Advice& advice, const Gathered& study, const ParameterColumn& column) {
  const ParamValue* value = study.best->params.find(column.name);
  if (value == nullptr) return;
  const std::string name = visible(column.name, kLongName);
  advice.keep.push_back(name);
  advice.reasons.push_back(base::cat(name, " made little difference (", percent_of(column.share, 1),
                                     "): keep it at ", visible(study.label(*value), kLongName),
                                     " and search one dimension less."));
  advice.yaml +=
      base::cat("  ", key_of(column.name), ": {value: ", study.hidden(text_of(*value)), "}\n");
}

Advice advice_of(const Gathered& study) {
  Advice advice;
  const auto searched = std::ranges::count(study.parameters, true, &ParameterColumn::is_searched);
  const std::vector<BlamedEnd> blamed = blamed_ends(study);
  for (const ParameterColumn& column : study.parameters) {
    if (advise_narrower(advice, study, column, blamed)) continue;
    if (!column.is_searched || study.outcomes < kFewestForAdvice) continue;
    const auto best = best_values(study, column);
    if (column.is_number && best && column.share >= kMatters) {
      for (const bool up : {true, false}) {
        const bool presses = (up ? best->at_max : best->at_min) >= kPress;
        if (presses && may_widen(column, up)) advise_wider(advice, column, *best, up);
      }
    }
    // With two parameters, one without effect is not worth a line.
    if (column.share < kIdle && searched > 2) advise_to_keep(advice, study, column);
  }
  return advice;
}

/// Where nothing is to be changed: the best trials lie inside of every range.
Section as_before(const Gathered& study) {
  Section section{.id = "next", .title = "Next", .heading = "Next time search the same ranges."};
  section.lead = base::cat("Of ", base::counted(study.outcomes, "trial"),
                           ", the best tenth lies inside of every range that matters.");
  std::vector<std::string> ranges;
  for (const ParameterColumn& column : study.parameters) {
    if (!column.is_searched || !column.is_number || column.share < kMatters) continue;
    const auto best = best_values(study, column);
    if (best && ranges.size() < kNamed)
      ranges.push_back(base::cat("Most of them have a ", visible(column.name, kLongName), " from ",
                                 value_text(column, best->low), " to ",
                                 value_text(column, best->high), "."));
  }
  section.body = list(ranges);
  return section;
}

}  // namespace

std::optional<Section> next_section(const Gathered& study) {
  const bool searched =
      std::ranges::any_of(study.parameters, [](const auto& one) { return one.is_searched; });
  if (!study.best || !searched) return std::nullopt;
  const Advice advice = advice_of(study);
  if (study.outcomes < kFewestForAdvice && advice.reasons.empty()) {
    Section section{.id = "next", .title = "Next"};
    section.heading = base::cat("Too few trials for advice: ", study.outcomes,
                                " ended with a value, and ", kFewestForAdvice, " are needed.");
    return section;
  }
  if (advice.reasons.empty()) return as_before(study);
  const auto named = [](const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i)
      out += (i > 0 ? ", " : "") + names[i];
    return names.size() > kNamed ? base::cat(out, " and ", names.size() - kNamed, " more") : out;
  };
  Section section{.id = "next", .title = "Next"};
  std::vector<std::string> parts;
  const auto part = [&](std::string_view verb, const std::vector<std::string>& names) {
    if (!names.empty()) parts.push_back(base::cat(verb, " ", named(names)));
  };
  part("narrow", advice.narrow);
  part("widen", advice.widen);
  part("keep", advice.keep);
  section.heading = "Next time " + parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    section.heading += (i + 1 < parts.size() ? ", " : ", and ") + parts[i];
  section.heading += ".";
  section.lead = base::cat("Counted over ", base::counted(study.outcomes, "trial"),
                           ". Other data may say otherwise.");
  section.body = list(advice.reasons) +
                 paragraph("In place of the lines of the same names in the study file:") +
                 code("parameters:\n" + advice.yaml);
  return section;
}

}  // namespace hpo::report
