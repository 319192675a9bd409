// An answer depends on its row alone: predictions are the same bits whether a table is asked whole
// or in pieces, for every kind of network and every instruction set.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/cpu.h"
#include "nn/model/init.h"
#include "nn/model/slab.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

constexpr std::uint32_t kRows = 300;

std::vector<float> answers(const kern::Kernels<float>& kernels, const nn::ParamSlab& net,
                           const nn::DataView& data, std::size_t most) {
  const auto width = static_cast<std::size_t>(nn::output_shape(net.spec()).elements());
  std::vector<float> all(data.rows.size() * width);
  nn::Workspace workspace;
  for (std::size_t first = 0; first < data.rows.size(); first += most) {
    nn::DataView some = data;
    some.rows = data.rows.subspan(first, std::min(most, data.rows.size() - first));
    nn::predict(kernels, workspace, net, some,
                std::span(all).subspan(first * width, some.rows.size() * width));
  }
  return all;
}

std::vector<std::pair<std::string, nn::ModelSpec>> networks() {
  std::vector<std::pair<std::string, nn::ModelSpec>> all{{"lenet", nn_test::lenet(4, 9, 30)},
                                                         {"normed", nn_test::normed(20, 24, 3)},
                                                         {"residual", nn_test::residual(12, 17, 2)},
                                                         {"assorted", nn_test::assorted(6, 4)}};
  for (const std::int64_t outputs : {1, 2, 3, 10, 40})
    for (const std::int64_t width : {1, 9, 32, 200})
      all.emplace_back("mlp " + std::to_string(width) + " to " + std::to_string(outputs),
                       nn_test::mlp(13, {width, width}, outputs, "gelu"));
  return all;
}

TEST(Rows, AreAnsweredAlike) {
  kern::prepare_thread();
  for (const kern::cpu::Isa isa :
       {kern::cpu::Isa::plain, kern::cpu::Isa::avx2, kern::cpu::Isa::avx512}) {
    if (isa > kern::cpu::best_isa()) continue;
    SCOPED_TRACE(kern::cpu::isa_name(isa));
    const kern::Kernels<float>& kernels = kern::cpu::table(isa);
    for (const auto& [name, spec] : networks()) {
      nn::ParamSlab net(nn::slab_header(spec, {"sgd", {}}));
      nn::init_weights(net, 5);
      nn_test::Table table(kRows, static_cast<std::int32_t>(spec.input.elements()), 3);
      table.shape = spec.input;
      const std::vector<float> whole = answers(kernels, net, table.view(), kRows);
      for (const std::size_t most : {1, 2, 7, 64, 299})
        EXPECT_EQ(whole, answers(kernels, net, table.view(), most))
            << name << ", " << most << " rows at once";
    }
  }
}

}  // namespace
