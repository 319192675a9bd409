#include <array>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "bench/bench.h"

namespace bench {
namespace {

// One line a benchmark.
constexpr std::array kBenchmarks = {
    Benchmark{"machine",
              "what the cores can give: FMA peak, GEMM, memory bandwidth on 1..n workers",
              run_machine},
    Benchmark{"gemm",
              "products of dense layers by our code, OpenBLAS and oneDNN, and who is to do which",
              run_gemm},
    Benchmark{"elementary", "exp, log, pow and others, beside those of the host's libm",
              run_elementary},
    Benchmark{"tasks",
              "what empty and 10 us tasks cost, beside StarPU alone and oneTBB; memory; idle cost",
              run_tasks},
    Benchmark{"agents", "tasks on agents here, and what hundreds of agents ask of a driver",
              run_agents},
    Benchmark{"aggregator", "sums of gradients through a switch, simulated and over UDP; a study",
              run_aggregator},
    Benchmark{"sums", "sums over two processes, through TLS and through shared memory", run_sums},
    Benchmark{"overlap",
              "two members on a slow link: sums behind the computation, and beside its path",
              run_overlap},
    Benchmark{"pipeline", "a network in stages, beside one worker and the law of pipelines",
              run_pipeline},
    Benchmark{"nodes",
              "short tasks and trials on four nodes beside Dask, Ray Tune and Optuna (needs root)",
              run_nodes},
    Benchmark{"distributed",
              "a network on two nodes with a link, beside torch.distributed (needs root)",
              run_distributed},
    Benchmark{"cholesky", "blocked Cholesky by tasks against OpenBLAS's threaded potrf",
              run_cholesky},
    Benchmark{"alone",
              "one trial alone on one worker and on all, before and after its network grew",
              run_alone},
    Benchmark{"trials", "trials with an empty body against Optuna with SQLite and Ray Tune",
              run_trials},
    Benchmark{"linear", "10 to 10,000 trials of one epoch: time, memory, FLOPs, the driver's share",
              run_linear},
    Benchmark{"samplers", "what a proposal costs, beside Optuna's and Rustuna's samplers",
              run_samplers},
    Benchmark{"fidelity", "stopping rules on tabulated curves, against the best of them",
              run_fidelity},
    Benchmark{"quality", "how good searches are, beside Optuna's and Rustuna's samplers",
              run_quality},
    Benchmark{"adapt",
              "policies that let a network find its size, beside fixed networks and a sweep",
              run_adapt},
    Benchmark{"programs", "trials of a program that does nothing against posix_spawn of the same",
              run_programs},
    Benchmark{"networks", "epochs of networks of many shapes, beside PyTorch and JAX",
              run_networks},
    Benchmark{"precision", "training in bf16 beside the same in f32: time and accuracy",
              run_precision},
    Benchmark{"packs", "what reading a batch once for several networks would bring", run_packs},
    Benchmark{"grid", "27 trials on Fashion-MNIST beside JAX and PyTorch in a pool, and Ray Tune",
              run_grid},
    Benchmark{"gpu", "training on a GPU, beside the same products by cuBLAS alone", run_gpu},
    Benchmark{"gpu-small",
              "a sweep of 64 small networks on a GPU, beside PyTorch one by one and stacked",
              run_gpu_small},
    Benchmark{"gpu-stream",
              "training on a GPU on rows that stay in main memory, beside the same rows there",
              run_gpu_stream},
    Benchmark{"digits",
              "the digits sweep beside Optuna, a pool of processes and Ray Tune, 20 seeds",
              run_digits},
    Benchmark{"tables",
              "the least study file on ten unprepared tables against scikit-learn's networks",
              run_tables},
    Benchmark{"frontier",
              "an adaptive network against the frontier of fixed ones, on Fashion-MNIST",
              run_frontier},
    Benchmark{"report", "the page of a study in a browser, beside HiPlot and optuna-dashboard",
              run_report},
    Benchmark{"reshape", "what growing and shrinking while training do to accuracy, on MNIST",
              run_reshape},
};

}  // namespace

std::span<const Benchmark> benchmarks() { return kBenchmarks; }

const Benchmark& find_benchmark(std::string_view name) {
  std::vector<std::string> names;
  for (const Benchmark& b : kBenchmarks) {
    if (b.name == name) return b;
    names.emplace_back(b.name);
  }
  const std::string near = base::did_you_mean(name, names);
  throw base::Error(base::Errc::usage, base::cat("no benchmark is called '", base::printable(name),
                                                 "': there are ", base::listed(names), near));
}

}  // namespace bench
