#include "tasks/judging.h"

#include <atomic>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "nn/evaluation/measurement.h"
#include "runtime/task.h"

namespace tasks {

namespace {

/// Every study draws the same resamples: a verdict is a function of the answers alone.
constexpr std::uint64_t kSeed = 0;

std::atomic<double> seconds_for_trees{0};

nn::Measurement measured(const nn::Answers& answers, const nn::DataView& view,
                         const std::string& metric, const nn::Choice& loss) {
  return nn::measure(metric, nn::judged_of(answers, view), loss, view);
}

const auto compare_task =
    rt::task("compare", 1)
        .cpu([](rt::in<nn::Answers> first, rt::in<nn::Answers> second, rt::in<nn::Dataset> data,
                nn::Part part, std::string metric, nn::Choice loss) -> nn::Difference {
          const nn::DataView view = data->view(part);
          return nn::difference_of(measured(*first, view, metric, loss),
                                   measured(*second, view, metric, loss),
                                   data->header().units_of(part), kSeed);
        })
        .pure();

const auto estimate_task =
    rt::task("estimate", 1)
        .cpu([](rt::in<nn::Answers> answers, rt::in<nn::Dataset> data, nn::Part part,
                std::string metric, nn::Choice loss) -> nn::Estimate {
          const nn::DataView view = data->view(part);
          return nn::estimate_of(measured(*answers, view, metric, loss),
                                 data->header().units_of(part), kSeed);
        })
        .pure();

const auto labelled_task = rt::task("labelled answers", 1)
                               .cpu([](rt::in<nn::Answers> answers, rt::in<nn::Dataset> data,
                                       nn::Part part) -> nn::LabelledAnswers {
                                 const auto units = data->header().units_of(part);
                                 return {.answers = *answers,
                                         .labels = nn::judged_of(*answers, data->view(part)).labels,
                                         .units = {units.begin(), units.end()}};
                               })
                               .pure()
                               .keep(rt::Keep::never);

const auto joined_task = rt::task("joined answers", 1)
                             .cpu([](rt::in<nn::LabelledAnswers> first,
                                     rt::in<nn::LabelledAnswers> second) -> nn::LabelledAnswers {
                               return nn::joined(*first, *second);
                             })
                             .pure()
                             .keep(rt::Keep::never);

const auto calibrate_task =
    rt::task("calibrate", 1)
        .cpu([](rt::in<nn::LabelledAnswers> answered, std::string metric) -> nn::Calibration {
          return nn::calibrate(*answered, metric);
        })
        .pure();

const auto calibration_figures_task =
    rt::task("calibration figures", 1)
        .cpu([](rt::in<nn::Answers> answers, rt::in<nn::Dataset> data, nn::Part part,
                nn::Calibration calibration) -> Figures {
          return nn::calibration_figures(nn::judged_of(*answers, data->view(part)), calibration);
        })
        .pure();

const auto fit_trees_task =
    rt::task("trees", 3)
        .cpu([](rt::in<nn::Dataset> data, nn::TreeSize size, std::string library,
                double) -> nn::BoostedTrees {
          const std::string here = nn::trees_library();
          if (here != library)
            throw base::Error(base::Errc::no_device,
                              base::cat("expected ", library, ", here is ",
                                        here.empty() ? "no such library" : here));
          const base::Moment begun = base::now();
          nn::BoostedTrees trees = nn::fit_trees(*data, size);
          seconds_for_trees.fetch_add(base::seconds_since(begun), std::memory_order_relaxed);
          return trees;
        })
        .pure()
        .cost(
            [](const nn::TreeSize&, const std::string&, double flops) { return rt::Flops{flops}; });

const auto tree_answers_task =
    rt::task("answers of trees", 1)
        .cpu([](rt::in<nn::BoostedTrees> trees, rt::in<nn::Dataset> data,
                nn::Part part) -> nn::Answers { return nn::tree_answers(*trees, *data, part); })
        .pure()
        .keep(rt::Keep::never);

const auto score_answers_task = rt::task("score answers", 1)
                                    .cpu([](rt::in<nn::Answers> answers, rt::in<nn::Dataset> data,
                                            nn::Part part, nn::Choice loss) -> nn::Scores {
                                      return nn::scores_of(*answers, data->view(part), loss);
                                    })
                                    .pure();

}  // namespace

double tree_seconds() noexcept { return seconds_for_trees.load(std::memory_order_relaxed); }

rt::Value<nn::Difference> compare(const rt::Value<nn::Answers>& first,
                                  const rt::Value<nn::Answers>& second,
                                  const rt::Value<nn::Dataset>& data, nn::Part part,
                                  const std::string& metric, const nn::Choice& loss) {
  return compare_task(first, second, data, part, metric, loss);
}

rt::Value<nn::Estimate> estimate(const rt::Value<nn::Answers>& answers,
                                 const rt::Value<nn::Dataset>& data, nn::Part part,
                                 const std::string& metric, const nn::Choice& loss) {
  return estimate_task(answers, data, part, metric, loss);
}

rt::Value<nn::LabelledAnswers> labelled(const rt::Value<nn::Answers>& answers,
                                        const rt::Value<nn::Dataset>& data, nn::Part part) {
  return labelled_task(answers, data, part);
}

rt::Value<nn::LabelledAnswers> joined(const rt::Value<nn::LabelledAnswers>& first,
                                      const rt::Value<nn::LabelledAnswers>& second) {
  return joined_task(first, second);
}

rt::Value<nn::Calibration> calibrate(const rt::Value<nn::LabelledAnswers>& answered,
                                     const std::string& metric) {
  return calibrate_task(answered, metric);
}

rt::Value<Figures> calibration_figures(const rt::Value<nn::Answers>& answers,
                                       const rt::Value<nn::Dataset>& data, nn::Part part,
                                       const nn::Calibration& calibration) {
  return calibration_figures_task(answers, data, part, calibration);
}

rt::Value<nn::BoostedTrees> fit_trees(const rt::Value<nn::Dataset>& data, const nn::TreeSize& size,
                                      rt::Flops cost, const std::string& library) {
  return fit_trees_task(data, size, library, cost.value);
}

rt::Value<nn::Answers> answers(const rt::Value<nn::BoostedTrees>& trees,
                               const rt::Value<nn::Dataset>& data, nn::Part part) {
  return tree_answers_task(trees, data, part);
}

rt::Value<nn::Scores> score_answers(const rt::Value<nn::Answers>& answers,
                                    const rt::Value<nn::Dataset>& data, nn::Part part,
                                    const nn::Choice& loss) {
  return score_answers_task(answers, data, part, loss);
}

}  // namespace tasks
