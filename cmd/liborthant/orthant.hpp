/* orthant.hpp: orthant.h for C++11, as one header. Handles are freed by themselves, errors
 * are exceptions, and a progress callback may throw: the task is then cancelled, waited
 * for, and the exception goes on to the caller.
 *
 *     orthant::result r = orthant::embed("neml", "{\"neighbors\": 15}", orthant::rows(x.data(), n, m));
 *     std::vector<double> y = r.numbers("embedding");
 */
#ifndef ORTHANT_HPP
#define ORTHANT_HPP

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "orthant.h"

namespace orthant {

/* What a call threw. */
class error : public std::runtime_error {
 public:
  error(orthant_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
  orthant_status status() const { return status_; }

 private:
  orthant_status status_;
};

/* Calls f with room for the text of its error, and throws what is wrong. A result that did
 * not converge is one, and so is one that is still at work. */
template <class Call>
orthant_status check(Call f) {
  std::string room(1024, '\0');
  orthant_text text = {&room[0], room.size(), 0};
  orthant_status status = f(&text);
  if (status != ORTHANT_OK && status != ORTHANT_NOT_CONVERGED && status != ORTHANT_BUSY) throw error(status, room.c_str());
  return status;
}

/* Calls f for a text, with as much room as it takes. */
template <class Call>
std::string text(Call f) {
  orthant_text length = {nullptr, 0, 0};
  check([&](orthant_text *e) { return f(&length, e); });
  std::string out(length.needed, '\0');
  orthant_text room = {&out[0], out.size(), 0};
  check([&](orthant_text *e) { return f(&room, e); });
  out.resize(length.needed - 1);
  return out;
}

/* Limits all calls of this process to a number of threads; 0: what the environment allows. */
inline void set_num_threads(int64_t threads) {
  check([&](orthant_text *e) { return orthant_set_num_threads(threads, e); });
}

/* The number of threads that a call takes which asks for none. */
inline int64_t num_threads() {
  int64_t threads = 0;
  check([&](orthant_text *e) { return orthant_get_num_threads(&threads, e); });
  return threads;
}

/* Samples to read, one a row, without gaps between them. */
inline orthant_matrix rows(const double *data, int64_t n, int64_t m) { return {data, n, m, m, ORTHANT_FLOAT64}; }
inline orthant_matrix rows(const float *data, int64_t n, int64_t m) { return {data, n, m, m, ORTHANT_FLOAT32}; }
inline orthant_matrix rows(const uint8_t *data, int64_t n, int64_t m) { return {data, n, m, m, ORTHANT_UINT8}; }

class model {
 public:
  explicit model(orthant_model handle) : handle_(handle) {}
  explicit model(const std::string &path) : handle_(nullptr) {
    check([&](orthant_text *e) { return orthant_load(path.c_str(), &handle_, e); });
  }
  model(model &&other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  model &operator=(model &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~model() { orthant_model_free(handle_); }

  void save(const std::string &path) const {
    check([&](orthant_text *e) { return orthant_save(handle_, path.c_str(), e); });
  }
  std::string info() const {
    return text([&](orthant_text *to, orthant_text *e) { return orthant_model_info(handle_, to, e); });
  }
  orthant_model get() const { return handle_; }

 private:
  orthant_model handle_;
};

/* Called with a phase and the share of it that is done. */
typedef std::function<void(const std::string &phase, double done)> progress;

class result {
 public:
  explicit result(orthant_result handle) : handle_(handle), converged_(true) {}
  result(result &&other) noexcept : handle_(other.handle_), converged_(other.converged_) { other.handle_ = nullptr; }
  result &operator=(result &&other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(converged_, other.converged_);
    return *this;
  }
  ~result() { orthant_result_free(handle_); } /* which cancels what is still at work */

  /* Waits for the end, and reports the progress ten times a second. */
  void wait(const progress &tell = progress()) {
    for (;;) {
      char name[64];
      double done = 0;
      orthant_text phase = {name, sizeof name, 0};
      orthant_status status = ORTHANT_OK;
      std::string room(1024, '\0');
      orthant_text why = {&room[0], room.size(), 0};
      status = orthant_wait(handle_, 100, &done, &phase, &why);
      if (status == ORTHANT_BUSY) {
        if (tell && phase.needed > 1) tell(name, done);
        continue;
      }
      converged_ = status != ORTHANT_NOT_CONVERGED;
      if (status != ORTHANT_OK && converged_) throw error(status, room.c_str());
      return;
    }
  }

  bool converged() const { return converged_; }
  orthant_result get() const { return handle_; }
  std::vector<double> numbers(const std::string &array) const { return copied<double>(array, ORTHANT_FLOAT64); }
  std::vector<int64_t> integers(const std::string &array) const { return copied<int64_t>(array, ORTHANT_INT64); }
  double number(const std::string &name) const { /* by the names of orthant_number, such as "value" */
    double value = 0;
    check([&](orthant_text *e) { return orthant_number(handle_, name.c_str(), &value, e); });
    return value;
  }
  std::string report() const {
    return text([&](orthant_text *to, orthant_text *e) { return orthant_report(handle_, to, e); });
  }
  orthant::model model() const { /* of a task with the parameter "model": true */
    orthant_model m = nullptr;
    check([&](orthant_text *e) { return orthant_model_of(handle_, &m, e); });
    return orthant::model(m);
  }

 private:
  template <class T>
  std::vector<T> copied(const std::string &array, int32_t type) const {
    int64_t n = 0, m = 0;
    check([&](orthant_text *e) { return orthant_shape(handle_, array.c_str(), &n, &m, nullptr, e); });
    std::vector<T> out(static_cast<size_t>(n * m));
    orthant_buffer to = {out.data(), n, m, m, type};
    check([&](orthant_text *e) { return orthant_copy(handle_, array.c_str(), &to, e); });
    return out;
  }

  orthant_result handle_;
  bool converged_;
};

/* Starts a task by one of the functions of orthant.h and waits for it. The samples, and
 * what the options name, need only last as long as this call. */
template <class Start>
result follow(Start start, orthant_options options, const progress &tell) {
  options.patience = 1;
  orthant_result handle = nullptr;
  check([&](orthant_text *e) { return start(&options, &handle, e); });
  result r(handle);
  r.wait(tell);
  return r;
}

inline orthant_options no_options() {
  orthant_options o = ORTHANT_OPTIONS;
  return o;
}

inline result embed(const std::string &method, const std::string &parameters, const orthant_matrix &x,
                    const progress &tell = progress(), const orthant_options &options = no_options()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_embed(method.c_str(), parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

inline result factorize(const std::string &method, int64_t rank, const std::string &parameters, const orthant_matrix &x,
                        const progress &tell = progress(), const orthant_options &options = no_options()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_factorize(method.c_str(), rank, parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

inline result cluster(const std::string &method, int64_t clusters, const std::string &parameters, const orthant_matrix &x,
                      const progress &tell = progress(), const orthant_options &options = no_options()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_cluster(method.c_str(), clusters, parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

/* The same of samples that the options have in compressed rows, or of what they have in place of
 * samples: a graph or affinities. */
inline result embed(const std::string &method, const std::string &parameters, const orthant_options &options,
                    const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_embed(method.c_str(), parameters.c_str(), nullptr, o, r, e);
      },
      options, tell);
}

inline result factorize(const std::string &method, int64_t rank, const std::string &parameters, const orthant_options &options,
                        const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_factorize(method.c_str(), rank, parameters.c_str(), nullptr, o, r, e);
      },
      options, tell);
}

inline result cluster(const std::string &method, int64_t clusters, const std::string &parameters, const orthant_options &options,
                      const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_cluster(method.c_str(), clusters, parameters.c_str(), nullptr, o, r, e);
      },
      options, tell);
}

/* New samples that the options have in compressed rows. */
inline result transform(const model &by, const orthant_options &options, const std::string &parameters = "{}",
                        const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_transform(by.get(), parameters.c_str(), nullptr, o, r, e);
      },
      options, tell);
}

inline result neighbors(int64_t k, const std::string &parameters, const orthant_matrix &x,
                        const progress &tell = progress(), const orthant_options &options = no_options()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_neighbors(k, parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

/* The neighbours of samples that the options have in compressed rows. */
inline result neighbors(int64_t k, const std::string &parameters, const orthant_options &options,
                        const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_neighbors(k, parameters.c_str(), nullptr, o, r, e);
      },
      options, tell);
}

inline result select(const std::string &method, int64_t count, const std::string &parameters, const orthant_matrix &x,
                     const progress &tell = progress(), const orthant_options &options = no_options()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_select(method.c_str(), count, parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

inline result denoise(int64_t dim, const std::string &parameters, const orthant_matrix &x,
                      const progress &tell = progress(), const orthant_options &options = no_options()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_denoise(dim, parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

/* Measures what the evaluation has; number("value") of the result is the metric. */
inline result evaluate(const std::string &metric, const std::string &parameters, const orthant_evaluation &of,
                       const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_evaluate(metric.c_str(), parameters.c_str(), &of, o, r, e);
      },
      no_options(), tell);
}

/* Many factorisations of one matrix, and what the factorisations of one rank have in common. The components are
 * such as numbers("h_5") of the runs, and the labels integers("labels_5"), or none. */
inline result factorize_runs(const std::string &method, const std::vector<int64_t> &ranks, int64_t runs,
                             const std::string &parameters, const orthant_matrix &x, const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_factorize_runs(method.c_str(), ranks.data(), static_cast<int64_t>(ranks.size()), runs,
                                      parameters.c_str(), &x, o, r, e);
      },
      no_options(), tell);
}

/* Goes on learning after what is known of earlier samples: numbers("learned") of the result before, or none. */
inline result learn(const std::string &method, int64_t rank, const std::string &parameters, const orthant_matrix &x,
                    const std::vector<double> &learned = std::vector<double>(), const progress &tell = progress()) {
  orthant_matrix known = {learned.data(), static_cast<int64_t>(learned.size()), 1, 1, ORTHANT_FLOAT64};
  orthant_options options = no_options();
  if (!learned.empty()) options.start = &known;
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_learn(method.c_str(), rank, parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

inline result consensus(int64_t rank, const std::string &parameters, const orthant_components &components,
                        const orthant_matrix &x, const progress &tell = progress()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_consensus(rank, parameters.c_str(), &components, &x, o, r, e);
      },
      no_options(), tell);
}

inline result transform(const model &by, const orthant_matrix &x, const std::string &parameters = "{}",
                        const progress &tell = progress(), const orthant_options &options = no_options()) {
  return follow(
      [&](const orthant_options *o, orthant_result *r, orthant_text *e) {
        return orthant_transform(by.get(), parameters.c_str(), &x, o, r, e);
      },
      options, tell);
}

}  // namespace orthant

#endif
