#include "hpo/samplers/sequence.h"

#include <utility>
#include <vector>

#include "hpo/samplers/random.h"
#include "hpo/samplers/visited_points.h"

namespace hpo {

namespace {

class SequenceSampler final : public Sampler {
 public:
  SequenceSampler(const SamplerSetup& setup, std::unique_ptr<Sequence> sequence)
      : space_(setup.space),
        sequence_(std::move(sequence)),
        random_(random_sampler().make(setup)),
        place_(space_.size()) {}

  void created(std::uint64_t trial, const Params& params) override {
    visited_.add(params);
    random_->created(trial, params);
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    sequence_->point(ordinal, place_);
    Params params = space_.from_unit(place_);
    return visited_.leaves(params) ? params : random_->propose(ordinal);
  }

 private:
  const Space& space_;
  std::unique_ptr<Sequence> sequence_;
  std::unique_ptr<Sampler> random_;
  VisitedPoints visited_{space_};
  std::vector<double> place_;
};

}  // namespace

std::unique_ptr<Sampler> sequence_sampler(const SamplerSetup& setup,
                                          std::unique_ptr<Sequence> sequence) {
  return std::make_unique<SequenceSampler>(setup, std::move(sequence));
}

}  // namespace hpo
