#include "nn/adapt/schedule.h"

#include <string>

#include "nn/adapt/grid.h"
#include "nn/error.h"

namespace nn {
namespace {

class SchedulePolicy final : public Policy {
 public:
  explicit SchedulePolicy(const PolicySetup& setup) : at_(setup.adaptation.at) {
    if (at_.empty()) throw SpecError(-1, "at", "schedule: at is missing: epochs with operations");
    std::vector<double> epochs;
    for (const Planned& planned : at_) epochs.push_back(planned.epoch);
    grid_ = grid_of(epochs);
    check(setup);
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    for (const Planned& planned : at_) {
      const std::int64_t boundary = boundary_of(planned.epoch, grid_);
      if (boundary >= now && boundary > done_) return boundary;
    }
    return std::nullopt;
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    done_ = situation.now;
    Operations due;
    for (const Planned& planned : at_) {
      if (boundary_of(planned.epoch, grid_) == situation.now) due.push_back(planned.operation);
    }
    return {.candidates = {due}, .why = "as the timetable says"};
  }

  void told(const Round& round) override { done_ = round.from; }

 private:
  /// Plays the timetable through on the spec alone.
  void check(const PolicySetup& setup) const {
    ModelSpec spec = setup.spec;
    for (const Planned& planned : at_) {
      const std::string when = "at epoch " + to_text(planned.epoch) + ": ";
      try {
        spec = reshaped_within(spec, planned.operation, setup.adaptation.max_weights);
      } catch (const SpecError& error) {
        throw SpecError(-1, "at", when + error.what());
      }
    }
  }

  std::vector<Planned> at_;
  std::int64_t grid_ = 1;
  std::int64_t done_ = -1;  ///< boundary of the last turn
};

}  // namespace

PolicyKind schedule_policy() {
  return {.info = {.kind = "schedule",
                   .doc = "Applies operations at fixed epochs. This is the cheapest policy.",
                   .fields = {}},
          .timetable = true,
          .make = [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
            return std::make_unique<SchedulePolicy>(setup);
          }};
}

}  // namespace nn
