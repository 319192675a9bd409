#include "runtime/core/use_buckets.h"

#include <algorithm>

namespace rt::inline v0::detail {

namespace {

/// Adds `share` of `more`.
void add_to(WorkerTimes& times, const WorkerTimes& more, double share) {
  times.busy += share * more.busy;
  times.moving += share * more.moving;
  for (std::size_t i = 0; i < kIdleCauses; ++i) times.idle[i] += share * more.idle[i];
}

}  // namespace

UseBuckets::UseBuckets() { passed_.reserve(UseSeries::kMostBuckets); }

void UseBuckets::add_worker(base::Moment at) {
  if (workers_.empty()) {
    begin_ = from_ = at;
    until_ = begin_ + width_;
    passed_.assign(1, {});
  }
  workers_.emplace_back().reserve(UseSeries::kMostBuckets);
  workers_.back().resize(1);
}

void UseBuckets::pass(const Passed& passed) noexcept {
  if (passed_.size() == UseSeries::kMostBuckets) widen();
  passed_.push_back(passed);
  for (std::vector<WorkerTimes>& buckets : workers_) buckets.emplace_back();
  from_ = until_;
  until_ = from_ + width_;
}

void UseBuckets::widen() noexcept {
  width_ *= 2;
  for (std::vector<WorkerTimes>& buckets : workers_) {
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      if (i % 2 == 0)
        buckets[i / 2] = buckets[i];
      else
        add_to(buckets[i / 2], buckets[i], 1);
    }
    buckets.resize(buckets.size() / 2);
  }
  for (std::size_t i = 0; 2 * i < passed_.size(); ++i) passed_[i] = passed_[2 * i];
  passed_.resize(passed_.size() / 2);
}

/// Calls put(times, share of the time, bucket) for each bucket that the time has a part in.
template <class Put>
void UseBuckets::spread(unsigned worker, base::Moment from, base::Moment to,
                        const Put& put) noexcept {
  const double whole = static_cast<double>((to - from).count());
  auto bucket = static_cast<std::size_t>((from - begin_) / width_);
  while (from < to) {
    const base::Moment end = std::min(to, begin_ + static_cast<std::int64_t>(bucket + 1) * width_);
    put(workers_[worker][bucket], static_cast<double>((end - from).count()) / whole, bucket);
    from = end;
    ++bucket;
  }
}

void UseBuckets::add(unsigned worker, base::Moment from, base::Moment to, double WorkerTimes::*what,
                     double nanos) noexcept {
  spread(worker, from, to,
         [&](WorkerTimes& times, double share, std::size_t) { times.*what += share * nanos; });
}

void UseBuckets::add_idle(unsigned worker, base::Moment from, base::Moment to, IdleCause cause,
                          double nanos) noexcept {
  spread(worker, from, to, [&](WorkerTimes& times, double share, std::size_t) {
    times.idle[static_cast<std::size_t>(cause)] += share * nanos;
  });
}

void UseBuckets::add_passed(unsigned worker, std::size_t kind, base::Moment from,
                            const CauseNanos& before, base::Moment to, const CauseNanos& after,
                            double share) noexcept {
  const CauseNanos* begin = &before;
  spread(worker, from, to, [&](WorkerTimes& times, double, std::size_t bucket) {
    const bool is_last = begin_ + static_cast<std::int64_t>(bucket + 1) * width_ >= to;
    const CauseNanos& end = is_last ? after : passed_[bucket + 1][kind];
    for (std::size_t i = 0; i < kIdleCauses; ++i)
      times.idle[i] += share * static_cast<double>(end[i] - (*begin)[i]);
    begin = &end;
  });
}

UseSeries UseBuckets::series(base::Moment at) const {
  constexpr double kNano = 1e-9;
  UseSeries series{.width = base::seconds(width_), .seconds = base::seconds(at - begin_)};
  for (const std::vector<WorkerTimes>& buckets : workers_) {
    std::vector<WorkerTimes>& times = series.workers.emplace_back(buckets.size());
    for (std::size_t i = 0; i < buckets.size(); ++i) add_to(times[i], buckets[i], kNano);
  }
  return series;
}

}  // namespace rt::inline v0::detail
