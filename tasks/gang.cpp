#include "tasks/gang.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/process/start.h"
#include "base/text.h"
#include "kernels/kernels.h"
#include "nn/training/tally.h"
#include "nn/training/trainer.h"
#include "runtime/codec.h"
#include "tasks/members/follower.h"

namespace tasks {

namespace {

Gang* the_gang = nullptr;
bool serially_now = false;
nn::Stages stages_now;

/// A training as the other members get it. The bytes of the data are in another file, and those of
/// the network come from a member.
struct Job {
  nn::ParamSlab::Header net;
  nn::Dataset::Header data;
  nn::Hyper hyper;
  nn::Segment segment;
  std::int32_t most_stages = 0;  ///< as ElasticSums takes it
};

Job job_of(const base::File& file) { return rt::decode<Job>(bytes_of(file)); }

nn::TrainStats train_member(ElasticSums& sums, const kern::Kernels<float>& kernels,
                            nn::Workspace& workspace, nn::ParamSlab& net, const nn::Dataset& data,
                            const nn::Hyper& hyper, const nn::Segment& segment,
                            nn::Tally* done = nullptr) {
  return nn::train_steps(kernels, workspace, net, data.view(nn::Part::train), hyper, segment,
                         [&sums] { return sums.stopping(); }, nullptr, &sums, {.done = done});
}

Roster::Start starter(std::vector<std::string> words) {
  return [words = std::move(words)](int /*seat*/) {
    const base::File nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!nothing) throw base::storage_error("open", "/dev/null", errno);
    auto [ours, theirs] = Channel::make();
    base::ProcessStart start;
    start.path = words.front();
    start.words = words;
    start.environment = base::environment_with({});
    static_assert(kMemberChannel == STDERR_FILENO + 1);
    const std::array files{nothing.fd(), nothing.fd(), STDERR_FILENO, theirs.fd()};
    return StartedMember{
        std::make_unique<ChildMember>(base::start_process(std::move(start), files)),
        std::move(ours)};
  };
}

/// Returns how many members have room for the shards of a batch.
int fewest_for(const nn::Hyper& hyper, const nn::ModelSpec& spec) {
  return (nn::shards_of(hyper, spec) + nn::kShardsSideBySide - 1) / nn::kShardsSideBySide;
}

}  // namespace

/// A training of which the other members hear, until its end, whatever that is.
class Gang::Training {
 public:
  Training(Gang& gang, const nn::ParamSlab& net, const nn::Dataset& data, const nn::Hyper& hyper,
           const nn::Segment& segment)
      : roster_(gang.roster_) {
    gang.offer(data);
    const bool staged = gang.divided_ == Divided::layers;
    most_stages_ = staged ? gang.members() : 0;
    job_ = file_of(rt::encode(Job{net.header(), data.header(), hyper, segment, most_stages_}));
    const std::array files{job_.fd(), gang.data_file_.fd()};
    roster_.begin(static_cast<std::uint32_t>(gang.data_.lo), files,
                  staged ? 1 : fewest_for(hyper, net.spec()));
  }
  ~Training() { roster_.over(); }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  [[nodiscard]] int most_stages() const noexcept { return most_stages_; }

 private:
  Roster& roster_;
  std::int32_t most_stages_ = 0;
  base::File job_;
};

Gang::Gang(int members, const std::vector<std::string>& words, Divided divided)
    : Gang(members, starter(words), std::make_unique<SharedPlace>(), divided) {}

Gang::Gang(int members, Roster::Start start, std::unique_ptr<Place> place, Divided divided)
    : roster_(members, std::move(start), std::move(place)), divided_(divided) {}

Gang::Gang(int members, std::unique_ptr<Place> place)
    : roster_(members, std::move(place)), divided_(Divided::shards) {}

void Gang::offer(const nn::Dataset& data) {
  const base::Key key = base::Hasher()
                            .add(base::hash_bytes(rt::encode(data.header())))
                            .add(base::hash_bytes(data.bytes()))
                            .finish();
  if (data_file_ && key == data_) return;
  data_file_ = file_of(data.bytes());
  data_ = key;
}

nn::TrainStats Gang::train(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                           nn::ParamSlab& net, const nn::Dataset& data, const nn::Hyper& hyper,
                           const nn::Segment& segment, const nn::StopPredicate& stop) {
  const std::lock_guard one_at_a_time(training_);
  const Training training(*this, net, data, hyper, segment);
  ElasticSums sums(roster_, notes_, true, stop, training.most_stages());
  return train_member(sums, kernels, workspace, net, data, hyper, segment);
}

nn::TrainStats Gang::train_with_visitors(const kern::Kernels<float>& kernels,
                                         nn::Workspace& workspace, nn::ParamSlab& net,
                                         const nn::Dataset& data, const nn::Hyper& hyper,
                                         const nn::Segment& segment, const nn::StopPredicate& stop,
                                         nn::Parallel* parallel) {
  const std::lock_guard one_at_a_time(training_);
  nn::Tally done;
  std::optional<Training> training;
  const auto are_wanted = [&] { return training ? roster_.newcomers() : roster_.visited(); };
  while (true) {
    // Visitors get the data while this process goes on alone.
    if (!training && roster_.visited()) training.emplace(*this, net, data, hyper, segment);
    nn::TrainStats stats;
    if (training && roster_.newcomers()) {
      ElasticSums sums(roster_, notes_, true, stop);
      stats = train_member(sums, kernels, workspace, net, data, hyper, segment, &done);
    } else {
      stats = nn::train_steps(kernels, workspace, net, data.view(nn::Part::train), hyper, segment,
                              [&] { return stop() || are_wanted(); }, parallel, nullptr,
                              {.done = &done});
    }
    if (!stats.stopped || stop()) return stats;
  }
}

std::vector<MemberUse> Gang::use() const {
  std::vector<MemberUse> use = roster_.use();
  use.insert(use.begin(), notes_.read());
  return use;
}

void train_with(Gang* gang) { the_gang = gang; }
Gang* gang_of_training() { return the_gang; }
void train_serially(bool serially) { serially_now = serially; }
bool trains_serially() { return serially_now; }
void train_in_stages(int stages, nn::StageOrder order) { stages_now = {stages, order}; }
nn::Stages stages_of_training() { return stages_now; }

void be_member(base::File end, const Enter& enter, const std::string& address) {
  kern::prepare_thread();
  const Channel channel(std::move(end));
  nn::Workspace workspace;
  std::optional<nn::Dataset> data;
  std::uint32_t data_number = 0;
  try {
    Follower follower(channel, enter, address);
    while (true) {
      const Channel::Received training = follower.next_training();
      const Job job = job_of(training.files.at(0));
      nn::ParamSlab net(job.net);
      if (!data || data_number != training.order.data_number) {
        data.emplace(job.data);
        read_whole(training.files.at(1), data->bytes());
        data_number = training.order.data_number;
      }
      ElasticSums sums(follower, follower.notes(), false, {}, job.most_stages);
      (void)train_member(sums, kern::cpu_kernels(job.hyper.precision), workspace, net, *data,
                         job.hyper, job.segment);
      follower.end_training();
    }
  } catch (const FirstIsGone&) {
    // So nobody needs this member any more.
  }
}

}  // namespace tasks
