#include "tasks/continued.h"

#include "base/hash.h"
#include "kernels/kernels.h"
#include "nn/data/preprocessing.h"
#include "nn/model/model_file.h"
#include "nn/reshape/continued_net.h"
#include "runtime/runtime.h"
#include "tasks/simulated.h"

namespace tasks {

namespace {

nn::Dataset made(const nn::Dataset& fresh, const nn::Dataset* old, const std::string& preprocessing,
                 const std::vector<std::string>& classes, const base::Key& content) {
  const nn::Dataset model = nn::preprocessing_from_json(preprocessing);
  return nn::continued_data(fresh, old, model, classes, content);
}

const auto data_task =
    rt::task("continue data", 1)
        .cpu([](rt::in<nn::Dataset> fresh, std::string preprocessing,
                std::vector<std::string> classes, base::Key content) -> nn::Dataset {
          return made(*fresh, nullptr, preprocessing, classes, content);
        })
        .pure()
        .keep(rt::Keep::never);

const auto replay_task =
    rt::task("continue data with replay", 1)
        .cpu([](rt::in<nn::Dataset> fresh, rt::in<nn::Dataset> old, std::string preprocessing,
                std::vector<std::string> classes, base::Key content) -> nn::Dataset {
          return made(*fresh, &*old, preprocessing, classes, content);
        })
        .pure()
        .keep(rt::Keep::never);

const auto network_task =
    rt::task("continue network", 1)
        .cpu([](rt::file_in file, nn::ParamSlab::Header header, nn::Continuation how,
                std::uint64_t seed, std::uint64_t) -> nn::ParamSlab {
          const nn::Model model = nn::read_model(file.path().string(), how.keeps_optimizer);
          return nn::continued(kern::cpu_kernels(), model.net, header, how, seed);
        })
        .simulated(
            [](rt::file_in, nn::ParamSlab::Header header, nn::Continuation, std::uint64_t,
               std::uint64_t) -> nn::ParamSlab { return simulated_birth(std::move(header)); })
        .pure()
        .keep(rt::Keep::never);

}  // namespace

rt::Value<nn::Dataset> continued_data(const rt::Value<nn::Dataset>& fresh,
                                      const rt::Value<nn::Dataset>* old,
                                      const std::string& preprocessing,
                                      const std::vector<std::string>& classes,
                                      const base::Key& content) {
  if (old != nullptr) return replay_task(fresh, *old, preprocessing, classes, content);
  return data_task(fresh, preprocessing, classes, content);
}

rt::Value<nn::ParamSlab> continued(const std::string& path, const nn::ParamSlab::Header& header,
                                   const nn::Continuation& how, std::uint64_t seed,
                                   std::uint64_t apart) {
  return network_task(path, header, how, seed, apart);
}

}  // namespace tasks
