// The table of fields, the JSON schema, the reference page, the defaults and the checks say the
// same.

#include <gtest/gtest.h>

#include <filesystem>

#include "hpo/study/checker.h"
#include "hpo/study/field.h"
#include "hpo/study/field_docs.h"
#include "hpo/study/yaml_reader.h"
#include "tests/hpo/study/json_schema.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

using Json = nlohmann::json;
using study::Field;

const std::string kRoot = TRELLIS_ROOT;

const Json& schema() {
  static const Json kSchema = Json::parse(study_schema_json());
  return kSchema;
}

std::string violation(const std::string& yaml) {
  return schema_violation(schema(), json_of_node(study::read_yaml(yaml)));
}

/// The schema of the field at a dotted path.
const Json& schema_at(const std::string& path) {
  const Json* at = &schema();
  std::string rest = path;
  while (!rest.empty()) {
    const std::string key = rest.substr(0, rest.find('.'));
    rest.erase(0, std::min(key.size() + 1, rest.size()));
    if (at->contains("anyOf")) {
      for (const Json& form : (*at)["anyOf"]) at = form.contains("properties") ? &form : at;
    }
    if (at->contains("additionalProperties") && !at->contains("properties"))
      at = &(*at)["additionalProperties"];
    at = &at->at("properties").at(key);
  }
  return *at;
}

TEST(FieldTable, EveryRowIsInSchemaAndReference) {
  const std::string page = study_reference_markdown();
  for (const Field& field : study::field_table()) {
    EXPECT_FALSE(field.doc.empty()) << field.name;
    const bool parameter = field.name.starts_with("parameters.");
    const std::string key = parameter ? field.name.substr(11) : field.name;
    EXPECT_EQ(schema_at(field.name).at("description"), field.doc) << field.name;
    EXPECT_NE(page.find("| `" + key + "` | " + study::type_text(field) + " |"), std::string::npos)
        << field.name;
    const bool has_default = field.required || !field.fallback.empty() || !field.otherwise.empty();
    const bool optional = field.name == "data.csv" || field.name == "data.idx" ||
                          field.name == "data.safetensors" || parameter;
    EXPECT_TRUE(has_default || optional || field.type == study::Type::block ||
                field.type == study::Type::blocks)
        << field.name << " does not say what holds without it";
  }
}

/// Expects a sentence, in the page and in an editor: it begins with no small letter and has an end.
void expect_sentence(const std::string& doc, const std::string& name) {
  ASSERT_FALSE(doc.empty()) << name;
  EXPECT_FALSE(doc.front() >= 'a' && doc.front() <= 'z') << name << ": " << doc;
  EXPECT_EQ(doc.back(), '.') << name << ": " << doc;
}

void expect_sentences(const Field& block) {
  for (const Field& field : block.fields) {
    expect_sentence(field.doc, block.name + "." + field.name);
    expect_sentences(field);
  }
}

TEST(FieldTable, EveryTextIsASentence) {
  expect_sentences(study::study_block());
  for (const auto* set :
       {study::layer_set(), study::loss_set(), study::optimizer_set(), study::schedule_set(),
        study::sampler_set(), study::stopping_set(), study::policy_set(), study::operation_set()}) {
    for (const study::Kind& kind : set->kinds) {
      expect_sentence(kind.doc, kind.name);
      expect_sentences(kind.block);
    }
  }
}

TEST(FieldTable, EveryDefaultPassesItsOwnCheck) {
  const Space none;
  for (const Field& field : study::field_table()) {
    if (field.fallback.empty()) continue;
    EXPECT_NO_THROW(
        (void)study::Checker(none).check(study::read_yaml(field.fallback), field, field.name))
        << field.name;
  }
}

TEST(FieldTable, EveryKindOfEveryRegistryIsInSchemaAndReference) {
  const std::string page = study_reference_markdown();
  for (const auto* set : {study::layer_set(), study::loss_set(), study::optimizer_set(),
                          study::sampler_set(), study::stopping_set()}) {
    EXPECT_FALSE(set->kinds.empty());
    for (const study::Kind& kind : set->kinds) {
      EXPECT_NE(page.find("\n### " + kind.name + "\n"), std::string::npos) << kind.name;
      for (const Field& field : kind.block.fields) {
        EXPECT_NE(page.find("| `" + field.name + "` |"), std::string::npos) << field.name;
      }
    }
  }
}

TEST(Reference, TheCommittedPageIsTheOneOfToday) {
  EXPECT_EQ(base::read_file(kRoot + "/docs/study-file.md"), study_reference_markdown())
      << "run `ninja docs` in the build folder and commit docs/study-file.md";
}

class Schema : public StudyTest {};

TEST_F(Schema, TheExamplesOfThePageLoadAndPassTheSchema) {
  const std::string page = study_reference_markdown();
  std::filesystem::create_directory_symlink(kRoot + "/experiments/data", folder_ / "data");
  base::write_file_atomic(folder_ / "flowers.csv", "a,b\n1,x\n2,y\n");
  int examples = 0;
  for (std::size_t at = page.find("```yaml\n"); at != std::string::npos;
       at = page.find("```yaml\n", at + 1)) {
    const std::string yaml = page.substr(at + 8, page.find("```", at + 8) - at - 8);
    EXPECT_NO_THROW((void)load(yaml)) << yaml;
    EXPECT_EQ(violation(yaml), "");
    ++examples;
  }
  EXPECT_EQ(examples, 2);
}

TEST_F(Schema, AcceptsWhatTheProgramAccepts) {
  for (const auto& entry : std::filesystem::directory_iterator(kRoot + "/experiments")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(violation(base::read_file(entry.path())), "") << entry.path();
  }
  EXPECT_EQ(violation(resolved_yaml(settle(load(table()), classes(2, 2)))), "");
  EXPECT_EQ(violation(table() + "metric: valid.loss\nmethod: grid\nnetwork: [flatten, max_pool: , "
                                "{dense: {units: $a}}]\n"),
            "");
  EXPECT_EQ(
      violation(
          table() +
          "parallel: auto\nearly_stop: none\ntrain: {optimizer: $o, shards: auto, loss: mse}\n"),
      "");
}

TEST_F(Schema, RefusesWhatNeedsNoKnowledgeOfTheWhole) {
  const char* bad[] = {"sede: 1\n",
                       "seed: x\n",
                       "seed: -1\n",
                       "train: {epochs: 0}\n",
                       "train: {epoch: 3}\n",
                       "train: {optimizer: adma}\n",
                       "train: {optimizer: {adam: {momentum: 0.9}}}\n",
                       "train: {optimizer: {type: adam, lr: 0}}\n",
                       "network: [dense: {units: 0}]\n",
                       "network: [dens: {units: 3}]\n",
                       "network: [repeat: {times: 2, of: [dense: {unit: 3}]}]\n",
                       "network: {dense: {units: 3}}\n",
                       "metric: {goal: max}\n",
                       "limits: {time: 600}\n",
                       "resources: {memory: 2gb}\n",
                       "retry: {on: [oom]}\n",
                       "method: evolution\n",
                       "early_stop: {type: asha, eta: 1}\n",
                       "parameters: {a: 3}\n",
                       "parameters: {a-b: {value: 3}}\n",
                       "parameters: {a: {value: 3, when: {}}}\n",
                       "command: [ls]\n",
                       "parallel: many\n"};
  for (const char* section : bad) {
    EXPECT_NE(violation(table() + section), "") << section;
    EXPECT_NE(refusal(table() + section), "accepted") << section;
  }
  EXPECT_NE(violation("seed: 1\n"), "");
}

}  // namespace
}  // namespace hpo
