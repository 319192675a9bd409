// Benchmarks: every number that the project claims, measured side by side with a rival in one run.
// A benchmark is one file pair and one line in bench/registry.cpp.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// One figure.
struct Case {
  std::string name;          ///< what was measured, e.g. "chain"
  double ours = 0;           ///< median of the repetitions
  std::string unit;          ///< of `ours` and `rival_value`, e.g. "us/task"
  std::string rival = {};    ///< who or what it is held against; empty: nobody
  double rival_value = NAN;  ///< measured in the same run; NaN where there is no rival
  double ratio =
      NAN;  ///< above 1: we are better, whether small or large values are good; NaN without a rival
  double spread = 0;  ///< of `ours`: (largest - smallest) / median over the repetitions
};

/// What the command line can choose.
struct Options {
  bool quick = false;  ///< a tenth of the work, for tests: the figures are rough
  int workers = 0;     ///< CPU workers; 0: one for each core that this process may use
  int seeds = 0;       ///< quality, fidelity: searches of each problem; tables: splits; digits:
                       ///< searches; precision, adapt: trainings; 0: usual
  // Of `quality`, `adapt`, `tables`, `networks` and `precision`:
  std::string problems =
      {};  ///< names (quality, adapt: also wildcards) with commas between; empty: all
  std::string methods = {};  ///< the same for samplers, ours and rivals', or policies; empty: usual
  std::string against =
      {};        ///< networks, grid, gpu-small, digits, report: rivals, commas between; empty: all
  int rows = 0;  ///< grid: rows of the data, 0: as many as usual
  // Of `machine`, to write a platform file:
  int nodes = 0;                           ///< of the cluster; 0: no file
  std::string hosts = "localhost";         ///< one that the link leads to
  std::string platform = "platform.yaml";  ///< the file
};

/// One benchmark. `run` may take minutes unless `quick`; progress goes to standard error, on a
/// terminal only.
struct Benchmark {
  std::string_view name;
  std::string_view summary;  ///< one line for the help
  std::vector<Case> (*run)(const Options&);
};

/// All benchmarks, in the order of the help.
[[nodiscard]] std::span<const Benchmark> benchmarks();
/// The one of that name. Throws base::Error (usage) with the nearest name.
[[nodiscard]] const Benchmark& find_benchmark(std::string_view name);

/// The machine in one line: processor, cores this process may use, memory.
[[nodiscard]] std::string machine_text();

/// A list of {"case", "ours", "unit", "rival", "rival_value", "ratio", "spread", "machine"}; NaN is
/// written as null.
[[nodiscard]] std::string json_of(std::span<const Case> cases, std::string_view machine);
/// The same as an aligned table for people.
[[nodiscard]] std::string table_of(std::span<const Case> cases, std::string_view machine);

// The benchmarks of this folder.
std::vector<Case> run_machine(
    const Options& options);  ///< what the cores can give: FMA, GEMM, memory on 1..n workers
std::vector<Case> run_gemm(
    const Options& options);  ///< products of dense layers, and the thresholds between libraries
std::vector<Case> run_elementary(
    const Options& options);  ///< exp, log, pow and others, beside the host's libm
std::vector<Case> run_tasks(
    const Options& options);  ///< cost of empty and short tasks, ours, StarPU's own and oneTBB's
std::vector<Case> run_agents(
    const Options& options);  ///< tasks on agents, and what hundreds of them ask of a driver
std::vector<Case> run_aggregator(
    const Options& options);  ///< sums through a switch, simulated and over UDP
std::vector<Case> run_sums(
    const Options& options);  ///< sums over two processes, through TLS and shared memory
std::vector<Case> run_overlap(
    const Options& options);  ///< two members on a slow link, their sums behind their computation
std::vector<Case> run_pipeline(
    const Options& options);  ///< a network in stages, beside one worker and the law
std::vector<Case> run_nodes(
    const Options& options);  ///< naps on four nodes of a Slurm cluster, ours and rivals'
std::vector<Case> run_distributed(
    const Options& options);  ///< a network on two nodes with a link, beside torch.distributed
std::vector<Case> run_cholesky(
    const Options& options);  ///< blocked Cholesky against OpenBLAS's threaded potrf
std::vector<Case> run_alone(
    const Options& options);  ///< a lone trial on one worker and on all, its network growing
std::vector<Case> run_linear(
    const Options& options);  ///< the same study with 10 to 10,000 trials: time, memory, FLOPs
std::vector<Case> run_trials(
    const Options& options);  ///< empty trials through driver, runtime and log, and rivals' trials
std::vector<Case> run_samplers(
    const Options& options);  ///< what a proposal costs, ours and rivals'
std::vector<Case> run_fidelity(
    const Options& options);  ///< what stopping rules reach on tabulated learning curves
std::vector<Case> run_quality(
    const Options& options);  ///< how good searches are, beside Optuna's and Rustuna's
std::vector<Case> run_adapt(
    const Options& options);  ///< policies that let a network find its size, beside a sweep
std::vector<Case> run_programs(
    const Options& options);  ///< trials of a program that does nothing, and starting it bare
std::vector<Case> run_networks(
    const Options& options);  ///< epochs of networks of many shapes, beside PyTorch and JAX
std::vector<Case> run_precision(
    const Options& options);  ///< training in bf16 beside f32: time and accuracy
std::vector<Case> run_packs(
    const Options& options);  ///< networks step by step on shared batches, and one after another
std::vector<Case> run_grid(
    const Options& options);  ///< 27 trials on Fashion-MNIST, beside pools of processes and Ray
std::vector<Case> run_gpu(
    const Options& options);  ///< training on a GPU, beside its library's products alone
std::vector<Case> run_gpu_small(
    const Options& options);  ///< a sweep of small networks on a GPU, beside PyTorch
std::vector<Case> run_gpu_stream(
    const Options& options);  ///< rows that come to a GPU as they are needed, beside resident ones
std::vector<Case> run_digits(
    const Options& options);  ///< the digits sweep, and the same search with other tools
std::vector<Case> run_tables(
    const Options& options);  ///< ten unprepared tables, and scikit-learn on the same rows
std::vector<Case> run_frontier(
    const Options& options);  ///< an adaptive network against fixed ones, on Fashion-MNIST
std::vector<Case> run_report(
    const Options& options);  ///< pages of studies in a browser, beside those of other tools
std::vector<Case> run_reshape(
    const Options& options);  ///< growing and shrinking while training, on MNIST

}  // namespace bench
