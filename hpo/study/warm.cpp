#include "hpo/study/warm.h"

#include "base/text.h"
#include "hpo/study/node.h"
#include "hpo/study/places.h"

namespace hpo {

void refuse_warm_start(const StudySpec& study, std::size_t i, const std::string& problem) {
  const std::string folder = study::describe(study::string_node(study.warm_start.at(i), {}));
  study::with_place(study.file, [&] {
    throw study::StudyError(study.places->at(base::cat("warm_start.", i)),
                            base::cat("warm_start is ", folder, ", ", problem));
  });
  throw base::Error(base::Errc::internal, "refuse_warm_start returned");
}

}  // namespace hpo
