// Factorises samples into nonnegative parts and clusters them, by orthant.hpp.
//
//     c++ -std=c++11 -Icmd/liborthant -o parts examples/c/parts.cpp -Lbin/lib -lorthant -Wl,-rpath,$PWD/bin/lib
//     ./parts
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "orthant.hpp"

int main() {
  // Two kinds of samples, each a multiple of one of two patterns.
  const int n = 60, m = 8;
  std::vector<float> x(n * m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) x[i * m + j] = (i % 2 == j / 4) ? 1 + 0.1f * static_cast<float>(i % 7) : 0.01f;
  try {
    orthant::result parts = orthant::factorize("nmf", 2, "{\"iterations\": 300}", orthant::rows(x.data(), n, m));
    std::vector<double> w = parts.numbers("w"), h = parts.numbers("h");
    double worst = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        worst = std::fmax(worst, std::fabs(x[i * m + j] - w[2 * i] * h[j] - w[2 * i + 1] * h[m + j]));

    // The cores can be shared: a limit holds for all calls, and the results are the same.
    orthant::set_num_threads(1);
    if (orthant::num_threads() != 1) throw std::runtime_error("the limit of threads does not hold");
    if (orthant::factorize("nmf", 2, "{\"iterations\": 300}", orthant::rows(x.data(), n, m)).numbers("h") != h) throw std::runtime_error("one thread has other parts");
    orthant::set_num_threads(0);

    orthant::result groups = orthant::cluster("kmeans", 2, "", orthant::rows(x.data(), n, m));
    std::vector<int64_t> labels = groups.integers("labels");
    for (int i = 0; i < n; i++)
      if (labels[i] != i % 2) throw std::runtime_error("a sample is in the wrong cluster");
    std::printf("largest error of the parts %.3f; two clusters found\n", worst);
    if (!(worst < 0.05)) return 1;

    // One search serves many methods: its lists are a graph, which needs no samples.
    orthant::result near = orthant::neighbors(12, "", orthant::rows(x.data(), n, m));
    std::vector<int64_t> indices = near.integers("indices");
    std::vector<double> distances = near.numbers("distances");
    orthant_matrix lists = {indices.data(), n, 12, 12, ORTHANT_INT64}, beside = {distances.data(), n, 12, 12, ORTHANT_FLOAT64};
    orthant_options options = orthant::no_options();
    options.graph_indices = &lists, options.graph_distances = &beside;
    if (orthant::cluster("spectral", 2, "", options).integers("labels") != labels) throw std::runtime_error("the graph has other clusters");
    std::printf("the same clusters by their graph\n");

    // Many runs from many starts, and what they have in common.
    orthant::result runs = orthant::factorize_runs("nmf", {2}, 10, "{\"iterations\": 100}", orthant::rows(x.data(), n, m));
    std::vector<double> components = runs.numbers("h_2");
    std::vector<int64_t> largest = runs.integers("labels_2");
    orthant_matrix of = orthant::rows(components.data(), 20, m), by = {largest.data(), 10, n, n, ORTHANT_INT64};
    orthant_components found = ORTHANT_COMPONENTS;
    found.components = &of, found.labels = &by;
    orthant::result common = orthant::consensus(2, "", found, orthant::rows(x.data(), n, m));
    double agreement = 0;
    if (orthant_number(common.get(), "cophenetic_correlation", &agreement, nullptr) != ORTHANT_OK) return 1;
    std::printf("%s\n", agreement > 0.999 ? "ten runs agree" : "ten runs differ");

    // Two exemplars, one of each kind, and how well the clusters agree with the kinds.
    std::vector<int64_t> chosen = orthant::select("dpp", 2, "", orthant::rows(x.data(), n, m)).integers("indices"), kinds(n);
    for (int i = 0; i < n; i++) kinds[i] = i % 2;
    orthant_evaluation evaluation = ORTHANT_EVALUATION;
    evaluation.labels = kinds.data(), evaluation.labels_count = n;
    evaluation.predicted = labels.data(), evaluation.predicted_count = n;
    std::printf("%s exemplars; accuracy %.3f\n", chosen.at(0) % 2 != chosen.at(1) % 2 ? "two kinds of" : "equal",
                orthant::evaluate("acc", "", evaluation).number("value"));

    // A model places new samples; sparse ones come in compressed rows, in the options.
    orthant::model model = orthant::embed("pca", "{\"model\": true}", orthant::rows(x.data(), n, m)).model();
    std::vector<double> all(x.begin(), x.end());
    std::vector<int64_t> columns, ends(1, 0);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) columns.push_back(j);
      ends.push_back(static_cast<int64_t>(columns.size()));
    }
    orthant_csr rows = {all.data(), columns.data(), ends.data(), n, m, n * m, ORTHANT_INT64, ORTHANT_FLOAT64};
    orthant_options sparse = orthant::no_options();
    sparse.samples = &rows;
    std::vector<double> placed = orthant::transform(model, sparse).numbers("embedding"), same = orthant::transform(model, orthant::rows(all.data(), n, m)).numbers("embedding");
    double apart = 0;
    for (size_t i = 0; i < placed.size(); i++) apart = std::fmax(apart, std::fabs(placed[i] - same[i]));
    bool near_too = orthant::neighbors(3, "{\"metric\": \"cosine\"}", sparse).integers("indices").size() == 3 * n;
    std::printf("%s\n", apart < 1e-9 && near_too ? "sparse samples are the same" : "sparse samples differ");
  } catch (const orthant::error &e) {
    std::fprintf(stderr, "status %d: %s\n", e.status(), e.what());
    return 1;
  }
  // Mistakes are exceptions, and so is what a callback throws.
  try {
    orthant::embed("nmel", "", orthant::rows(x.data(), n, m));
    return 1;
  } catch (const orthant::error &e) {
    if (e.status() != ORTHANT_INVALID) return 1;
    std::printf("%s\n", e.what());
  }
  std::vector<double> wide(1500 * 60);
  for (size_t i = 0; i < wide.size(); i++) wide[i] = std::fmod(static_cast<double>(i * i % 9973), 31.0);
  try {
    orthant::factorize("cim-nmf", 30, "{\"iterations\": 1000000}", orthant::rows(wide.data(), 1500, 60),
                       [](const std::string &, double) { throw std::out_of_range("enough"); });
    return 1;
  } catch (const std::out_of_range &e) {
    std::printf("cancelled: %s\n", e.what());
  }
  return 0;
}
