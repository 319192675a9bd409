// A network as a file: what is read back is what was written; what does not fit is refused.

#include "nn/model/model_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "nn/data/source_file.h"
#include "nn/model/init.h"
#include "nn/model/layout.h"
#include "nn/reshape/reshape.h"
#include "tests/nn/data/files.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::error_of;

nn::Dataset small_data() {
  return nn_test::CsvFile("a,b,kind\n1,2,dog\n3,4,cat\n5,6,dog\n").load();
}

nn::ParamSlab network(const nn::ModelSpec& spec, std::uint64_t seed) {
  nn::ParamSlab slab(nn::slab_header(spec, {"adam", {}}));
  nn::init_weights(slab, seed);
  return slab;
}

TEST(ModelFile, ReadsBackWhatItWrote) {
  const support::TempFolder folder;
  const std::string path = folder / "best.safetensors";
  for (const nn::ModelSpec& spec : {nn_test::mlp(2, {5, 3}, 2, "tanh"), nn_test::lenet(3, 4, 20)}) {
    const nn::ParamSlab slab = network(spec, 7);
    nn::write_model(path, slab, small_data(), {{"metric", "valid.accuracy"}});
    const nn::Model model = nn::read_model(path);
    EXPECT_EQ(model.net.spec(), slab.spec());
    EXPECT_EQ(model.net.header().slots, 0);
    EXPECT_TRUE(std::ranges::equal(model.net.weights(), slab.weights()));
    EXPECT_EQ(model.metadata.at("metric"), "valid.accuracy");
    const auto preprocessing = nlohmann::json::parse(model.metadata.at("preprocessing"));
    EXPECT_EQ(preprocessing["classes"], nlohmann::json({"cat", "dog"}));
  }
}

/// A network that grew, written to a file.
nn::ParamSlab grown_network(const std::string& path) {
  nn::ParamSlab slab = network(nn_test::mlp(2, {5, 3}, 2), 7);
  slab.state() = {.steps = 12, .rows = 96};
  nn::Workspace workspace;
  nn::ParamSlab grown = nn::reshape(kern::ref_kernels<float>(), workspace, slab,
                                    {"widen", "dense1", {{"by", nn_test::n(2)}}}, {}, 1);
  nn::write_model(path, grown, small_data());
  return grown;
}

TEST(ModelFile, AReshapedNetworkKeepsIdsAndBirths) {
  const support::TempFolder folder;
  const std::string path = folder / "best.safetensors";
  const nn::ParamSlab grown = grown_network(path);
  const nn::Model model = nn::read_model(path);
  EXPECT_TRUE(model.net.header().reshaped);
  EXPECT_EQ(model.net.units(), grown.units());
  EXPECT_EQ(model.net.state().steps, 12);
  EXPECT_TRUE(std::ranges::equal(model.net.weights(), grown.weights()));
}

TEST(ModelFile, TheVerdictIsNoPartOfTheContent) {
  const support::TempFolder folder;
  const std::string plain = folder / "plain.safetensors", judged = folder / "judged.safetensors";
  const nn::ParamSlab net = grown_network(plain);
  nn::write_model(judged, net, small_data(), {{"verdict", "better"}});
  EXPECT_NE(nn::hash_of(judged, 1 << 20), nn::hash_of(plain, 1 << 20));
  EXPECT_EQ(nn::model_content(plain), nn::hash_of(plain, 1 << 20));
  EXPECT_EQ(nn::model_content(judged), nn::model_content(plain));
  nn::write_model(judged, net, small_data(), {{"study", "other"}});
  EXPECT_NE(nn::model_content(judged), nn::model_content(plain));
}

TEST(ModelFile, UnitsThatAreNoneAreRefused) {
  const support::TempFolder folder;
  const std::string path = folder / "best.safetensors";
  (void)grown_network(path);
  nn::Safetensors file = nn::read_safetensors(path);
  const auto message = [&](std::size_t word, std::int64_t value) {
    std::vector<std::byte> data = file.data;
    std::memcpy(data.data() + file.find("trellis.units")->begin + 8 * word, &value, 8);
    std::vector<nn::TensorBytes> tensors;
    for (const auto& t : file.tensors) {
      tensors.push_back(
          {t.name, t.dtype, t.shape, std::span(data).subspan(t.begin, t.end - t.begin)});
    }
    nn::write_safetensors(path, tensors, file.metadata);
    return error_of(folder.path(), [&] { (void)nn::read_model(path); });
  };
  EXPECT_EQ(message(2, 3), "best.safetensors: units: the ids of dense1 are not unit ids");
  EXPECT_EQ(message(0, 11), "best.safetensors: units: a birth is after the last step");
}

TEST(ModelFile, SpecsSurviveJson) {
  const nn::ModelSpec spec = nn::complete(nn_test::lenet(3, 4, 20));
  EXPECT_EQ(nn::spec_from_json(nn::spec_json(spec)), spec);
}

TEST(ModelFile, SpecsThatAreNoneAreRefused) {
  const auto message = [](const std::string& text, base::Errc kind = base::Errc::data) {
    return error_of(
        "/", [&] { (void)nn::spec_from_json(text); }, kind);
  };
  const std::string usage = "spec: expected an object with input and layers";
  for (const char* text :
       {"", "[]", "{}", "{\"input\":[2]}", "{\"input\":[2],\"layers\":{}}",
        "{\"input\":[2],\"layers\":[],\"code\":1}", "{\"input\":[2],\"layers\":["}) {
    EXPECT_EQ(message(text), usage) << text;
  }
  EXPECT_EQ(message(std::string(100000, '[')),
            "spec: nested too deeply, expected at most 4 levels");
  EXPECT_EQ(message(R"({"input":[2.5],"layers":[]})"),
            "spec: input: a dimension is not a whole number");
  EXPECT_EQ(message(R"({"input":[2],"layers":[3]})"), "spec: a layer is not an object");
  EXPECT_EQ(message(R"({"input":[2],"layers":[{"kind":3}]})"),
            "spec: a layer's kind is not a string");
  EXPECT_EQ(message(R"({"input":[2],"layers":[{"kind":"dense","units":[3]}]})"),
            "spec: the field \"units\" is neither a number nor a word");
  EXPECT_NE(message(R"({"input":[2],"layers":[{"kind":"dens","units":3}]})", base::Errc::study),
            "no error");
  EXPECT_NE(message(R"({"input":[2],"layers":[{"kind":"dense","units":18446744073709551615}]})"),
            "no error");
}

TEST(ModelFile, FilesThatContradictTheirSpecAreRefused) {
  const support::TempFolder folder;
  const std::string path = folder / "m";
  const std::vector<float> numbers(64, 0.0F);
  const nn::ModelSpec spec = nn::complete(nn_test::mlp(2, {}, 2));
  const auto tensor = [&](const std::string& name, std::vector<std::int64_t> shape) {
    std::size_t count = 1;
    for (const auto d : shape) count *= static_cast<std::size_t>(d);
    return nn::TensorBytes{name, "F32", std::move(shape),
                           std::as_bytes(std::span(numbers).first(count))};
  };
  const auto message = [&](std::vector<nn::TensorBytes> tensors, nn::TensorMetadata metadata) {
    nn::write_safetensors(path, tensors, metadata);
    return error_of(folder.path(), [&] { (void)nn::read_model(path); });
  };
  const nn::TensorMetadata good{
      {"format", "trellis"}, {"version", "1"}, {"spec", nn::spec_json(spec)}};
  const auto with = [&](const std::string& name, const std::string& text) {
    nn::TensorMetadata changed = good;
    changed[name] = text;
    return changed;
  };
  const std::vector<nn::TensorBytes> tensors{tensor("output.weight", {2, 2}),
                                             tensor("output.bias", {2})};
  EXPECT_EQ(message(tensors, good), "no error");
  EXPECT_EQ(message(tensors, {}), "m: this is not a model of Trellis: it has no \"format\"");
  EXPECT_EQ(message(tensors, with("format", "pt")), "m: this is not a model of Trellis");
  EXPECT_EQ(message(tensors, with("version", "2")), "m: the file has version '2', expected 1");
  EXPECT_EQ(message(tensors, with("spec", "{}")),
            "m: spec: expected an object with input and layers");
  EXPECT_EQ(message({tensors[0]}, good), "m: the file has 1 tensors, expected 2");
  EXPECT_EQ(message({tensors[0], tensor("other", {2})}, good),
            "m: the file has no tensor \"output.bias\"");
  EXPECT_EQ(message({tensors[0], tensor("output.bias", {3})}, good),
            "m: tensor 'output.bias' is F32 [3], expected F32 [2]");
  // A spec of a network larger than any memory is refused by what the file holds, not by trying.
  EXPECT_EQ(message(tensors,
                    with("spec", nn::spec_json(nn::complete(nn_test::mlp(40'000, {40'000}, 2))))),
            "m: the file has 2 tensors, expected 4");
}

}  // namespace
