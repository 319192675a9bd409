#include "nn/reshape/reshape.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/kind.h"
#include "nn/training/batch_reader.h"

namespace nn {
namespace {

/// A job with what it refers to.
template <class T>
class Job {
 public:
  Job(const kern::Kernels<T>& kernels, Workspace& workspace, const Net<T>& from,
      const Operation& operation, const DataView& training, std::uint64_t seed)
      : whole_(complete(operation)),
        kind_(reshape_kind_of(whole_.kind)),
        to_(reshaped(from.spec(), whole_)),
        calibration_(training),
        job_{{kernels, workspace}, from, whole_, to_, calibration_, seed, nullptr, nullptr} {
    if (kind_.needs_data(whole_)) {
      check_input(from.spec(), training);
      rows_ = calibration_rows(training.rows, kCalibrationRows);
      if (rows_.empty())
        throw base::Error(base::Errc::study,
                          describe(whole_) + ": needs rows of the training part");
    }
    calibration_.rows = rows_;
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  [[nodiscard]] Net<T> run() const { return kind_.run(job_); }
  [[nodiscard]] Net<T> run_into(const ModelSpec& spec, T* room) {
    job_.into = room;
    job_.promised = &spec;
    return kind_.run(job_);
  }
  [[nodiscard]] ModelSpec measured_spec() const { return kind_.measured_spec(job_); }

 private:
  Operation whole_;
  const ReshapeKind& kind_;
  ModelSpec to_;
  std::vector<std::uint32_t> rows_;
  DataView calibration_;
  ReshapeJob<T> job_;
};

}  // namespace

template <class T>
T* ReshapeJob<T>::room(const ModelSpec& spec) const {
  if (into != nullptr && spec != *promised) {
    throw base::Error(base::Errc::internal,
                      describe(operation) + ": makes another network than there is room for");
  }
  return into;
}

template <class T>
Net<T> reshape(const kern::Kernels<T>& kernels, Workspace& workspace, const Net<T>& from,
               const Operation& operation, const DataView& training, std::uint64_t seed) {
  return Job<T>(kernels, workspace, from, operation, training, seed).run();
}

ParamSlab reshape(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& from,
                  const Operation& operation, const DataView& training, std::uint64_t seed) {
  return slab_of(reshape(kernels, workspace, net_of(from), operation, training, seed));
}

void reshape(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& from,
             const Operation& operation, const DataView& training, std::uint64_t seed,
             ParamSlab& to) {
  const kern::Memory& memory = *kernels.memory;
  const Net<float> net = net_of(from, memory);
  if (to.header() != reshaped_header(from.header(), to.spec()))
    throw base::Error(base::Errc::internal,
                      describe(operation) + ": makes another network than there is room for");
  memory.zero(to.bytes().data(), to.bytes().size());
  Job<float> job(kernels, workspace, net, operation, training, seed);
  const Net<float> made = job.run_into(to.spec(), to.weights().data());
  if (made.numbers.all().data() != to.weights().data())
    throw std::logic_error(operation.kind + " made a network without asking for its room");
  to.set_units(memory, made.units);
  to.set_state(memory, made.state);
}

ModelSpec measured_spec(const kern::Kernels<float>& kernels, Workspace& workspace,
                        const ParamSlab& from, const Operation& operation,
                        const DataView& training) {
  const Net<float> net = net_of(from, *kernels.memory);
  return Job<float>(kernels, workspace, net, operation, training, 0).measured_spec();
}

std::size_t reshaping_memory(const kern::Kernels<float>& kernels, const ModelSpec& spec,
                             const Operation& operation) {
  const Operation whole = complete(operation);
  const ReshapeKind& kind = reshape_kind_of(whole.kind);
  std::size_t tensor = 0;  // numbers of the largest one, old or new
  for (const ModelSpec& net : {spec, reshaped(spec, whole)}) {
    for (const ParamTensor& t : param_layout(net).tensors) tensor = std::max(tensor, t.count);
  }
  const std::size_t changes = Block::aligned(2 * tensor * sizeof(float));
  if (!kind.needs_data(whole)) return changes;
  const std::size_t gradients = kind.gradient_numbers(spec, whole);
  const auto pass = [&](Use use) { return calibration_memory(kernels, spec, use); };
  const std::size_t looking = std::max(changes, pass(Use::inference));
  if (gradients == 0) return looking;
  return std::max(looking, pass(Use::training) + Block::aligned(gradients * sizeof(float)));
}

template struct ReshapeJob<float>;
template struct ReshapeJob<double>;
template Net<float> reshape(const kern::Kernels<float>&, Workspace&, const Net<float>&,
                            const Operation&, const DataView&, std::uint64_t);
template Net<double> reshape(const kern::Kernels<double>&, Workspace&, const Net<double>&,
                             const Operation&, const DataView&, std::uint64_t);

}  // namespace nn
