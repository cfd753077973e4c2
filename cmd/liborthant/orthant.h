/* orthant.h: manifold learning, factorisation and clustering from C.
 *
 * A task (embed, factorize, cluster, select, neighbors, transform, evaluate) takes a matrix with one
 * sample a row and makes a result. Arrays are copied out of the result by name:
 *
 *     orthant_matrix x = {data, n, m, m, ORTHANT_FLOAT64};
 *     orthant_result r = NULL;
 *     if (orthant_embed("neml", "{\"neighbors\": 15}", &x, NULL, &r, NULL) == ORTHANT_OK) {
 *         orthant_buffer y = {out, n, 2, 2, ORTHANT_FLOAT64};
 *         orthant_copy(r, "embedding", &y, NULL);
 *     }
 *     orthant_result_free(r);
 *
 * Memory. Every buffer belongs to the caller. The library reads a matrix in place
 * (float64 without gaps between the rows is never copied on the way in) and
 * keeps no pointer to it once the task has ended. It returns handles, which hold the library's own
 * memory until they are freed.
 *
 * Threads. Any function may be called from any thread. Results and models may be
 * used by several threads at a time; freeing a handle while another thread uses it
 * is safe, and later uses of it are errors.
 *
 * Errors. Every function returns a status. If a function has an error argument, it comes last and
 * receives the text of the error; it may be NULL. Nothing is kept per thread.
 *
 * Forks. If a process loads the library and then calls fork(), the library does not work in the
 * child: every function returns ORTHANT_FORKED there at once.
 * Load it after the fork, or start children by exec (Python: "forkserver", "spawn",
 * joblib's "loky").
 *
 * The library must not be unloaded (dlclose leaves it in place).
 */
#ifndef ORTHANT_H
#define ORTHANT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a program built with an older header would no longer work. Compare
 * with orthant_abi_version(), the number of the loaded library. */
#define ORTHANT_ABI 1

/* The outcome of a call. */
typedef enum orthant_status {
  ORTHANT_OK = 0,
  ORTHANT_INVALID = 1,       /* an argument, a parameter or the data are wrong; the text says which */
  ORTHANT_CANCELED = 2,      /* by the flag, by the callback or by orthant_cancel */
  ORTHANT_NOT_CONVERGED = 3, /* there is a result, the best found, but not what was asked for */
  ORTHANT_FORKED = 4,        /* this process is a fork of the one that loaded the library */
  ORTHANT_NOMEM = 5,         /* the work would need more memory than the limit; it was not started */
  ORTHANT_INTERNAL = 6,      /* a bug in the library; the handle, if there is one, is unusable */
  ORTHANT_BUSY = 7,          /* the task is still running: see orthant_wait */
  ORTHANT_FAILED = 8,        /* a file cannot be read or written */
  ORTHANT_NOT_DEFINITE = 9   /* orthant_cholesky_of: the matrix is not positive definite; the text has the pivot and its row */
} orthant_status;

/* The types of entries. */
enum {
  ORTHANT_FLOAT64 = 0,
  ORTHANT_FLOAT32 = 1,
  ORTHANT_UINT8 = 2,
  ORTHANT_INT64 = 3,
  ORTHANT_INT32 = 4,
  ORTHANT_FLOAT16 = 5,
  ORTHANT_INT8 = 6
};

/* A matrix to read: entry (i, j) is entry i * stride + j of data, which is aligned to
 * the size of an entry. At least one row and one column; stride >= cols.
 * Types: ORTHANT_FLOAT64, ORTHANT_FLOAT32, ORTHANT_UINT8; of orthant_neighbors and orthant_nearest_of also
 * ORTHANT_FLOAT16 (IEEE 754 binary16) and ORTHANT_INT8. */
typedef struct orthant_matrix {
  const void *data;
  int64_t rows, cols, stride;
  int32_t type;
} orthant_matrix;

/* A sparse matrix to read, in compressed rows: row i has the columns indices[indptr[i]] to
 * indices[indptr[i + 1] - 1], from 0, and data holds their values. indptr has
 * rows + 1 entries and begins with 0; indptr[rows] is at most entries. No column appears twice
 * in a row. Where the columns of every row ascend, float64 data, int32 indices and an int64
 * indptr are read in place; anything else is converted in a copy. Fewer than 2^31 rows and
 * columns; stored zeros stay.
 * index_type, of both indptr and indices: ORTHANT_INT32 or ORTHANT_INT64.
 * type, of data: ORTHANT_FLOAT64, ORTHANT_FLOAT32, ORTHANT_UINT8. */
typedef struct orthant_csr {
  const void *data, *indices, *indptr;
  int64_t rows, cols;
  int64_t entries; /* the length of data and indices */
  int32_t index_type, type;
} orthant_csr;

/* A matrix to write, laid out like orthant_matrix. Types: ORTHANT_FLOAT64 or ORTHANT_FLOAT32 for arrays of
 * numbers, ORTHANT_INT64 for labels and indices. */
typedef struct orthant_buffer {
  void *data;
  int64_t rows, cols, stride;
  int32_t type;
} orthant_buffer;

/* A buffer for a text, UTF-8 with a final NUL. The library writes what fits, cut between
 * characters, and sets needed to the bytes that the whole text takes, including the NUL.
 * To ask for the length, pass size 0; data may then be NULL. */
typedef struct orthant_text {
  char *data;
  size_t size;
  size_t needed;
} orthant_text;

/* Called at most ten times a second, on the thread that made the call, with the current phase of
 * the work ("neighbors", "solve" ...) and the share of that phase that is done, 0 to 1. A return
 * value other than 0 cancels. It must return: no longjmp and no C++ exception may leave it
 * (orthant.hpp lets yours through). */
typedef int (*orthant_progress)(void *user, const char *phase, double done);

/* Optional inputs of a task, in addition to its parameters. All zero except struct_size, as
 * ORTHANT_OPTIONS sets it, means that none is given. */
typedef struct orthant_options {
  size_t struct_size;            /* sizeof(orthant_options), so that later versions can add to it */
  const int64_t *labels;         /* the classes of the samples, for supervised methods */
  int64_t labels_count;          /* one for each sample */
  const orthant_matrix *start;   /* embed: the start of an iterative method; factorize: of W (n x rank) */
  const orthant_matrix *start_h; /* factorize: the start of H (rank x m) */
  orthant_progress progress;
  void *user;                    /* passed to progress */
  const volatile int *cancel;    /* read every few milliseconds; a value other than 0 cancels */
  int64_t patience;              /* not 0: return ORTHANT_BUSY if the task still runs after this many milliseconds,
                                  * and let it go on in the background (see orthant_wait); without progress and cancel */

  /* embed, factorize, cluster, neighbors, transform: the samples in compressed rows, with x NULL. They are
   * never made dense: methods that need dense samples are refused ("keeps_sparse" of orthant_methods). The
   * exception is transform: if its model was fitted to dense samples, it makes one block of rows dense at
   * a time. */
  const orthant_csr *samples;

  /* embed, factorize, cluster: known neighbours or distances, which replace the search. Give at most one
   * of: a graph, a graph as lists, affinities, all distances. "instead_of_samples" of orthant_methods
   * lists the methods that take it with x NULL, "beside_samples" those that take it together with the
   * samples. With a graph or affinities, do not give "neighbors".
   *
   * graph: n x n distances. Row i holds the distances of sample i to its neighbours, any number of
   * them, in any order. A stored zero is a distance of zero; an entry that is not stored is no
   * neighbour; the sample itself is ignored. Rows that list the nearest first without the sample
   * itself are read in place, others in a copy. */
  const orthant_csr *graph;
  const orthant_matrix *graph_indices;   /* or n x k, ORTHANT_INT64, as orthant_neighbors finds them, with ... */
  const orthant_matrix *graph_distances; /* ... their distances, n x k, ORTHANT_FLOAT64 or ORTHANT_FLOAT32 */
  /* n x n weights >= 0 of edges, symmetric: the Laplacian is D - W, and the method applies no
   * kernel or weights of its own. The diagonal is ignored. */
  const orthant_csr *affinities;
  /* n x n distances >= 0, symmetric, with a diagonal of zeros: the nearest neighbours are found
   * from them, and mds and nmms scale them. ORTHANT_FLOAT64 or ORTHANT_FLOAT32. */
  const orthant_matrix *distances;

  /* embed: numbers that are known of the samples, a row for each, which "umap" learns from with "target_metric":
   * "euclidean". ORTHANT_FLOAT64 or ORTHANT_FLOAT32. */
  const orthant_matrix *targets;

  /* embed with "pca", cluster with "kmeans": the weights of the samples, n x 1, >= 0. ORTHANT_FLOAT64 or
   * ORTHANT_FLOAT32. */
  const orthant_matrix *weights;
} orthant_options;

#define ORTHANT_OPTIONS \
  {sizeof(orthant_options), NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

typedef struct orthant_result_s *orthant_result; /* the result of a task */
typedef struct orthant_model_s *orthant_model;   /* a fitted model, for new samples */

/* The ABI of the library; compare it with ORTHANT_ABI. Works in forked processes. */
int orthant_abi_version(void);

/* One JSON object, the same as "orthant info --json" prints: "version", "abi", "go", the machine,
 * the instruction set, the backends, and the "threads" and "memory_bytes" that this process may
 * use, with the source of each limit. */
orthant_status orthant_info(orthant_text *json, orthant_text *error);

/* One JSON object about an error or a warning, the same as "orthant explain --json" prints: "id", "kind" (error or warning), "shape"
 * (its text, with … in place of values), "about" (what such messages mean, and what helps) and "page" of the documentation.
 * message is an identifier such as E0412, or the text. Identifiers stay when words change. */
orthant_status orthant_explain(const char *message, orthant_text *json, orthant_text *error);

/* Limits every call that this process begins from now on to the given number of threads, whatever
 * its "threads" asks for. 0, the initial state: only the environment and the machine limit them. A
 * number above what the machine has is not an error; all available threads are used. Results do not
 * depend on it. For programs that share the cores with other libraries. */
orthant_status orthant_set_num_threads(int64_t threads, orthant_text *error);

/* The number of threads that a call without "threads" uses now. */
orthant_status orthant_get_num_threads(int64_t *threads, orthant_text *error);

/* One JSON object with every method, the same as "orthant methods --json" prints: name, title,
 * tasks, whether it needs labels and has a rule for new samples, and its parameters with types,
 * defaults and ranges. */
orthant_status orthant_methods(orthant_text *json, orthant_text *error);

/* The tasks.
 *
 * parameters is a JSON object, or NULL for the defaults: the method's own parameters
 * ({"neighbors": 15, "gamma": 1e-3}), the parameters that all methods of the task share
 * ("components", "duplicates", "landmarks" ..., see orthant_methods), and how to run:
 *     "seed"              seed of the random numbers (1)
 *     "threads"           workers; results are the same for any number (0: $ORTHANT_NUM_THREADS, else
 *                         $OMP_NUM_THREADS, else all; never more than the affinity mask
 *                         and the quota of the control group)
 *     "backend"           library for linear algebra ("auto")
 *     "memory"            limit in bytes; work that needs more is refused (0, and at most: the
 *                         memory left within the control group, RLIMIT_AS, RLIMIT_DATA and the
 *                         machine)
 *     "neighbors_method"  "exact", "approximate" or "auto": exact unless "recall" allows what is
 *                         faster ("auto")
 *     "certified"         embed: true for a proof that no eigenvalue was missed ("certificate" in the report's details)
 *     "blocks"            factorize: the block of each column, whole numbers in a text, separated by commas:
 *                         "0,0,1,1"; with "block_weights" ("auto", "equal", or weights in the order of the labels)
 *     "datasets"          factorize: the dataset of each sample, likewise; with "dataset_weights" ("equal") and
 *                         "own_penalty" (5); the array "own" has the own parts. transform: "dataset" is that of the
 *                         samples, a whole number
 *     "model"             embed, factorize, cluster: true to keep what orthant_model_of needs,
 *                         "try" to keep it only if the method has a rule for new samples (false)
 *     "keep_affinities"   cluster: true to keep the weights between samples, for methods that build
 *                         a similarity graph (false)
 *     "trace_every"       factorize: iterations between two points of "objective" (10)
 * An unknown key is an error, which suggests the nearest key; null means the default.
 *
 * options and error may be NULL. *result is NULL after an error; free it after ORTHANT_OK,
 * ORTHANT_NOT_CONVERGED and ORTHANT_BUSY.
 *
 * The arrays of a result, by name, n samples of m columns:
 *     embed       embedding (n x d), eigenvalues (d x 1), residuals (d x 1), objective; with "model",
 *                 for methods that project linearly: mean (m x 1), projection (m x d), (x - mean)
 *                 projection
 *     factorize   w (n x rank), h (rank x m), offset (m x 1): x is approximately w h + offset in every row; objective
 *     cluster     labels (n x 1, int64, from 0 in the order of the first samples),
 *                 eigenvalues, residuals; for kmeans centers (clusters x m); exemplars (count x 1,
 *                 int64), the samples that represent the others: for ds3 one for each cluster, for
 *                 esc-ffs the samples that code all others, in the order of choice, for smrmf and
 *                 similar methods the samples whose neighbourhoods regularise the factors; with
 *                 "keep_affinities" a symmetric n x n matrix in compressed rows, affinities_indptr
 *                 (n + 1 x 1, int64), affinities_indices (entries x 1, int64), affinities_data;
 *                 for hdbscan probabilities and outliers (n x 1), core_distances (n x 1), the minimum
 *                 spanning tree of mutual reachability, spanning_from, spanning_to (n - 1 x 1, int64)
 *                 and spanning_distances (n - 1 x 1), its condensed tree (rows x 4: parent, child, lambda
 *                 and size of the child; samples from 0, components from n, which is all samples),
 *                 with its parameter "memberships"
 *                 memberships (n x clusters), how likely each sample is in each, and with "layers"
 *                 layers (n x count, int64): labels of other resolutions, the finest first, with
 *                 layer_sizes (count x 1, int64), the smallest min_cluster_size of each, and
 *                 layer_persistences (count x 1, int64)
 *     neighbors   indices (n x k, int64, nearest first, without the sample itself),
 *                 distances (n x k); within a radius a sparse n x n matrix of distances in
 *                 compressed rows, in the form that "graph" of the options takes: graph_indptr (n + 1 x 1,
 *                 int64), graph_indices (entries x 1, int64), graph_data (entries x 1)
 *     denoise     samples (n x m)
 *     select      indices (count x 1, int64), the exemplars in the order of choice or weight
 *     transform   embedding (n x d), or by the model of a clustering labels (n x 1, int64)
 */
orthant_status orthant_embed(const char *method, const char *parameters, const orthant_matrix *x,
                             const orthant_options *options, orthant_result *result, orthant_text *error);
/* rank may be ORTHANT_AUTO: the rank is found by held-out entries (nmf, nmf-kl, nmf-beta, l21-nmf). Its parameters are "least_rank"
 * and "most_rank", "held_out" (0.1, the share of the entries), and "masks" (3, the choices of them); the report has what was tried as
 * "held_out". */
#define ORTHANT_AUTO (-1)
orthant_status orthant_factorize(const char *method, int64_t rank, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error);
/* Learns components from samples that arrive in batches, by nmf or nmf-kl with "solver": "minibatch". The array
 * "learned" (numbers x 1) holds the state after the samples so far. To continue, pass it as options.start of the
 * next call, with the same method, rank and columns. The other arrays are the same as for orthant_factorize, without
 * w; a model gives samples their coordinates. */
orthant_status orthant_learn(const char *method, int64_t rank, const char *parameters, const orthant_matrix *x,
                             const orthant_options *options, orthant_result *result, orthant_text *error);
orthant_status orthant_cluster(const char *method, int64_t clusters, const char *parameters, const orthant_matrix *x,
                               const orthant_options *options, orthant_result *result, orthant_text *error);
/* The k nearest neighbours of every sample, or with "radius" and k = 0 all neighbours within that distance. Its parameters
 * are "metric" ("euclidean", "cosine", "correlation", "manhattan", "chebyshev", "minkowski=P", "canberra",
 * "bray-curtis", "haversine", "hamming", "jaccard", "dice", "rogers-tanimoto", "russell-rao",
 * "sokal-michener", "sokal-sneath", "yule", "kulsinski", "inner-product"; "haversine" for dense samples only;
 * "inner-product" is minus the product, without "radius"),
 * "radius" (a finite number >= 0), "method" ("auto", "exact" or "approximate", for dense samples), "recall",
 * and how to run. Without gaps between rows, an exact "euclidean" search with k makes no copy of samples of any type. If a graph within a radius would need more than "memory", the call returns
 * ORTHANT_NOMEM before it allocates the graph. */
orthant_status orthant_neighbors(int64_t k, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error);
/* Removes noise: moves samples onto the surface of dim dimensions near which they lie, as "orthant denoise" does. Its
 * parameters are "neighbors" ("auto", or the number of neighbours that each plane is fitted to) and how to run. The numbers of
 * the result are "denoised" (0: the samples are returned unchanged, and the report says why), "noise"
 * and "neighbors". */
orthant_status orthant_denoise(int64_t dim, const char *parameters, const orthant_matrix *x,
                               const orthant_options *options, orthant_result *result, orthant_text *error);
/* Chooses count exemplars among the samples. */
orthant_status orthant_select(const char *method, int64_t count, const char *parameters, const orthant_matrix *x,
                              const orthant_options *options, orthant_result *result, orthant_text *error);
/* Coordinates of new samples by a model, or their labels by the model of a clustering. Each sample
 * is mapped independently of the others. Its parameters are "threads", "backend" and "memory". */
orthant_status orthant_transform(orthant_model model, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error);

/* Many factorisations of one matrix, and their consensus.
 *
 * orthant_factorize_runs makes the given number of runs for each rank, by nmf, nmf-kl, nmf-beta, l21-nmf or cim-nmf. The ranks
 * are distinct and at most the smaller side of the data. x is read once for all runs. Run i, counted from 0, has the seed "seed"
 * + i and finds the same as orthant_factorize with that seed. The parameters are the same as for orthant_factorize without
 * "model" and "trace_every", and in addition
 *     "keep_w"   true to keep W of every run (false)
 * The options must not contain labels, starts or a graph. The arrays, where R is a rank:
 *     h_R            runs * R x m: H of every run, one run after another
 *     w_R            runs * n x R, with "keep_w": W of every run
 *     labels_R       runs x s, int64: the largest component of the samples in label_samples, in every run
 *     label_samples  s x 1, int64: the indices of these samples, at most 1000, evenly spaced
 *     errors         ranks x runs: |X - W H| / |X|; objectives and iterations (int64) have the same shape
 *     ranks, seeds   ranks x 1, runs x 1, int64
 * The report has under "stability" how reliably the runs find each component of the best one of their rank. */
orthant_status orthant_factorize_runs(const char *method, const int64_t *ranks, int64_t ranks_count, int64_t runs,
                                      const char *parameters, const orthant_matrix *x, const orthant_options *options,
                                      orthant_result *result, orthant_text *error);

/* The components that the runs of one rank found. All zero except struct_size, as ORTHANT_COMPONENTS
 * sets it, means that nothing is given. All of it must stay valid until the task has ended. */
typedef struct orthant_components {
  size_t struct_size;
  const orthant_matrix *components; /* runs * rank x m, such as h_R: ORTHANT_FLOAT64 or ORTHANT_FLOAT32; always given */
  const orthant_matrix *labels;     /* runs x s, ORTHANT_INT64, such as labels_R; NULL: no cophenetic correlation */
  const orthant_matrix *levels;     /* n x g: the data that the scores describe; NULL: the samples, each scaled to the sum 1e6 */
  const orthant_csr *levels_csr;    /* or the same in compressed rows */
} orthant_components;

#define ORTHANT_COMPONENTS {sizeof(orthant_components), NULL, NULL, NULL, NULL}

/* Combines the runs of one rank by consensus NMF (Kotliar et al. 2019): components far from all others are left out,
 * the rest are clustered, and the medians of the clusters are the spectra. x, or samples of the options, is the matrix
 * that the runs factorised. The parameters are how to run, and
 *     "method"                   of the runs: "nmf", "nmf-kl" (usages are found by the divergence), "nmf-beta", "l21-nmf" or "cim-nmf" ("nmf")
 *     "local_density_threshold"  leave out components whose mean distance to their nearest others is at or above this; 2: leave out none (0.5)
 *     "local_neighborhood_size"  the number of nearest others, as a share of the number of runs (0.3)
 * The arrays: spectra (rank x m, of sum 1), usages (n x rank), scores (rank x g; NaN for constant columns) and levels
 * (rank x g, the spectra in the unit of the levels). The numbers: "stability" (mean silhouette), "prediction_error"
 * (|X - usages spectra|^2), "relative_error", the first two without the filter as "stability_unfiltered" and
 * "prediction_error_unfiltered", "cophenetic_correlation" (NaN without labels), "components", "kept" and "runs". The report
 * has under "parts" the stability, share and sparseness of each component. */
orthant_status orthant_consensus(int64_t rank, const char *parameters, const orthant_components *components,
                                 const orthant_matrix *x, const orthant_options *options, orthant_result *result,
                                 orthant_text *error);

/* The inputs of a measure. All zero except struct_size, as ORTHANT_EVALUATION sets it, means that nothing is
 * given. All of it must stay valid until the task has ended. */
typedef struct orthant_evaluation {
  size_t struct_size;
  const orthant_matrix *x;         /* the samples, n x m */
  const orthant_matrix *embedding; /* n x d */
  const orthant_matrix *truth;     /* n x p: the true coordinates */
  const orthant_matrix *w, *h;     /* n x rank and rank x m: the factors of x */
  const int64_t *labels;           /* n: the classes of the samples */
  int64_t labels_count;
  const int64_t *predicted; /* n: the predicted classes or clusters of the samples */
  int64_t predicted_count;
} orthant_evaluation;

#define ORTHANT_EVALUATION {sizeof(orthant_evaluation), NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0}

/* Measures an embedding, a clustering or a factorisation. The metrics, what each needs, and its settings, default first:
 *     dev                  truth, embedding; "centred": false or true
 *     trustworthiness      x, embedding; "neighbors" (5)
 *     continuity, lcmc     the same
 *     mrre                 the same; "side": "embedding" or "data"
 *     residual-variance    the same (12); "distances": "paths" or "straight"
 *     random-triplet       x, embedding
 *     distance-correlation the same
 *     centroid-triplet     x, embedding, labels
 *     kl-divergence        x, embedding (at most three columns); "perplexity" (30, or the largest that the number of samples allows)
 *     procrustes           truth (another embedding), embedding
 *     nalac, soft-nalac    x, embedding; "neighbors" (5), "method": "knn", "lnp" or "smce"; "cap": "auto" or "none"
 *     intrinsic-dimension  x; "neighbors" (the default of the method), "method": "lnp", "lle", "smce" or "le"; "rule": "support" or "gap"
 *     roc-auc              embedding (n x 1), labels of two values
 *     acc, nmi             labels, predicted; of nmi "normalise": "max", "min", "geometric" or "arithmetic"
 *     bad-neighbors        x, labels; "neighbors" (the square root of n)
 *     nn-error, nfl-error  embedding, labels; "splits" (10), "train" (0.5). With "projection": "separate" instead of "holistic" they take
 *                          x in place of the embedding, and "method" with its parameters
 *     reconstruction       x, w, h
 * parameters holds these settings and "seed", "threads", "backend" and "memory". Of the options only progress, cancel and patience are used. An input
 * that the metric does not use is a warning in the report. The number "value" is the result; for nn-error and nfl-error it is the mean of the array rates
 * (splits x 1). For some metrics the report has "details". docs/measures.md describes them. */
orthant_status orthant_evaluate(const char *metric, const char *parameters, const orthant_evaluation *evaluation,
                                const orthant_options *options, orthant_result *result, orthant_text *error);

/* The solvers.
 *
 * A matrix given only by its products: multiply computes Y = A X for a block of width columns, or Y
 * = A^T X where transposed is not 0 (orthant_svds only). Blocks are row-major without gaps: X has
 * width numbers for each column of A, Y has width numbers for each row. A return value other than 0
 * ends the task with ORTHANT_CANCELED. multiply may be called from any thread, but a task never
 * calls it twice at the same time. */
typedef int (*orthant_product)(void *user, int transposed, int64_t width, const double *x, double *y);

typedef struct orthant_operator {
  int64_t rows, cols;
  orthant_product multiply;
  void *user; /* passed to multiply */
} orthant_operator;

/* The inputs of each solver. All zero except struct_size, as the macro after each struct sets it, means that nothing is
 * given; struct_size is the sizeof of the struct, so that later versions can add fields. Give a matrix in only one of
 * the forms that it has (in compressed rows, in full, by its products). All of it must stay valid until the task has
 * ended. */

/* orthant_eigsh_of: A x = lambda M x. */
typedef struct orthant_eigsh_problem {
  size_t struct_size;
  const orthant_csr *a;               /* A in compressed rows, */
  const orthant_matrix *a_dense;      /* in full, */
  const orthant_operator *a_products; /* or by its products */
  const orthant_csr *m;               /* M, positive definite but for rows of zeros, in compressed rows, */
  const orthant_matrix *m_dense;      /* or as n x 1, its diagonal, or in full; neither: the identity */
  const orthant_matrix *null_vectors; /* known null vectors of A, n x count, a vector a column */
  const orthant_matrix *start;        /* vectors near those wanted, n x count */
} orthant_eigsh_problem;

#define ORTHANT_EIGSH_PROBLEM {sizeof(orthant_eigsh_problem), NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/* orthant_largest_of. */
typedef struct orthant_largest_problem {
  size_t struct_size;
  const orthant_csr *a;
  const orthant_matrix *a_dense;
  const orthant_operator *a_products;
} orthant_largest_problem;

#define ORTHANT_LARGEST_PROBLEM {sizeof(orthant_largest_problem), NULL, NULL, NULL}

/* orthant_svds_of. */
typedef struct orthant_svds_problem {
  size_t struct_size;
  const orthant_csr *a;
  const orthant_matrix *a_dense;
  const orthant_operator *a_products;
} orthant_svds_problem;

#define ORTHANT_SVDS_PROBLEM {sizeof(orthant_svds_problem), NULL, NULL, NULL}

/* orthant_cholesky_of, orthant_ldlt_of, orthant_laplacian_of, orthant_update_values_of. */
typedef struct orthant_factor_problem {
  size_t struct_size;
  const orthant_csr *a;
  const orthant_matrix *a_dense;
} orthant_factor_problem;

#define ORTHANT_FACTOR_PROBLEM {sizeof(orthant_factor_problem), NULL, NULL}

/* orthant_shortest_paths_of. */
typedef struct orthant_paths_problem {
  size_t struct_size;
  const orthant_csr *graph;
  const int64_t *sources; /* the vertices to begin at; NULL: all */
  int64_t sources_count;
} orthant_paths_problem;

#define ORTHANT_PATHS_PROBLEM {sizeof(orthant_paths_problem), NULL, NULL, 0}

/* orthant_connected_components_of, orthant_spectral_init_of. */
typedef struct orthant_graph_problem {
  size_t struct_size;
  const orthant_csr *graph;
} orthant_graph_problem;

#define ORTHANT_GRAPH_PROBLEM {sizeof(orthant_graph_problem), NULL}

/* orthant_lloyd_of. */
typedef struct orthant_lloyd_problem {
  size_t struct_size;
  const orthant_csr *samples; /* one a row */
  const orthant_matrix *samples_dense;
  const orthant_matrix *weights; /* of the samples, >= 0, n x 1; NULL: 1 each */
  const orthant_matrix *centers; /* the centres to begin at, clusters x columns, */
  const orthant_matrix *draws;   /* or the draws that choose them, (clusters - 1) x trials */
} orthant_lloyd_problem;

#define ORTHANT_LLOYD_PROBLEM {sizeof(orthant_lloyd_problem), NULL, NULL, NULL, NULL, NULL}

/* orthant_nearest_of. */
typedef struct orthant_nearest_problem {
  size_t struct_size;
  const orthant_csr *samples; /* one a row */
  const orthant_matrix *samples_dense;
  const orthant_csr *queries; /* one a row */
  const orthant_matrix *queries_dense;
} orthant_nearest_problem;

#define ORTHANT_NEAREST_PROBLEM {sizeof(orthant_nearest_problem), NULL, NULL, NULL, NULL}

/* parameters, options, result and error work as for the tasks. The parameters are "seed", "threads", "backend",
 * "memory" and the ones named below. Of the options only progress, cancel and patience are used. The report
 * (orthant_report) names the solver that was chosen and the reason. The arrays of the results:
 *     eigsh, largest         eigenvalues (count x 1), vectors (n x count), residuals and errors (count x 1); the number
 *                            "next_eigenvalue" is the first eigenvalue beyond those asked for
 *     svds                   singular_values (count x 1), u (rows x count), v (cols x count), residuals and errors (count x 1);
 *                            the number "next_singular_value"
 *     shortest_paths         lengths (sources x n), infinite where there is no path
 *     connected_components   labels (n x 1, int64, from 0 in the order of the first vertices), sizes (int64)
 *     spectral_init          embedding (n x dim), eigenvalues (of the largest component), sizes (int64, descending)
 *     lloyd                  labels (n x 1, int64, from 0 in the order of the start), centers (clusters x columns),
 *                            objective (iterations x 1, with "trace"); the numbers "iterations", "inertia", "converged"
 *     nearest                indices (queries x k, int64), distances (queries x k), or with "radius" graph_data,
 *                            graph_indices and graph_indptr, a matrix of queries x samples in compressed rows
 */

/* The count smallest eigenpairs of A x = lambda M x above "sigma" (0), ascending, A symmetric,
 * A - sigma M positive definite, or semidefinite with sigma an eigenvalue. If sigma is inside the spectrum, the result is
 * the count pairs nearest to it; a sigma on an eigenvalue is moved, and a warning says by how much. With "low" and "high"
 * the result is all pairs of that interval, whatever count is. "tolerance" bounds the residual of a pair of the inverse
 * (1e-10); with products alone it bounds the residual of a pair relative to the spread of the spectrum (4e-10). The
 * vectors are M-orthonormal. count < n. Rows of zeros in M are infinite eigenvalues, which are left out; "infinite_eigenvalues" in
 * the report counts them. "digits" has the number of digits of each eigenvalue that are sure.
 * "certified": true makes one more factorisation, which counts the eigenvalues below a number just beyond the last pair
 * ("certificate" in the report). If pairs were missed, they are searched for, with a warning.
 * A sparse matrix is factorised once. With products alone the solver is slow if the wanted
 * eigenvalues are tiny relative to the largest. */
orthant_status orthant_eigsh_of(int64_t count, const char *parameters, const orthant_eigsh_problem *problem,
                                const orthant_options *options, orthant_result *result, orthant_text *error);
/* The count largest eigenpairs of a symmetric A, descending. */
orthant_status orthant_largest_of(int64_t count, const char *parameters, const orthant_largest_problem *problem,
                                  const orthant_options *options, orthant_result *result, orthant_text *error);
/* The count largest singular triplets of any A, descending. */
orthant_status orthant_svds_of(int64_t count, const char *parameters, const orthant_svds_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error);

/* Factorises A + "shift" I (0), A symmetric, positive definite with the shift. The result holds the
 * factor for the functions below. It keeps no part of A and has no arrays. */
orthant_status orthant_cholesky_of(const char *parameters, const orthant_factor_problem *problem,
                                   const orthant_options *options, orthant_result *result, orthant_text *error);
/* The same for A that may be indefinite or singular: LDL^T with blocks of one and two rows in D. The numbers "positive",
 * "negative" and "zero" count the eigenvalues by sign, exactly for a matrix that differs from A + shift I by at most "bound" in
 * the 2-norm. "sign" is the sign of the determinant. "certain" is 1 if no eigenvalue is within "bound" of zero; otherwise there
 * is a warning. Solutions are refined. If the backward error of a solution stays above rounding, the status is ORTHANT_INVALID
 * and x is the best solution found. */
orthant_status orthant_ldlt_of(const char *parameters, const orthant_factor_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error);
/* Factorises other values of the same pattern, with "shift". The new factor replaces the old one in
 * its memory, without a new analysis. *result has only a report. If the matrix is refused, the old
 * factor stays. After ORTHANT_NOT_DEFINITE and ORTHANT_CANCELED there is no factor until the next
 * update. */
orthant_status orthant_update_values_of(orthant_result factor, const char *parameters,
                                        const orthant_factor_problem *problem, const orthant_options *options,
                                        orthant_result *result, orthant_text *error);
/* Replaces the columns of x (n x count, float64 or float32) by solutions of (A + shift I) x = b. */
orthant_status orthant_solve(orthant_result factor, const orthant_buffer *x, orthant_text *error);
/* Prepares to solve systems with a symmetric diagonally dominant A, such as a Laplacian, without an exact factor: by conjugate
 * gradients with the diagonal or an approximate Cholesky factor. Parameters: "tolerance" (1e-8) of the residual over the norm of b,
 * "preconditioner" ("auto", "diagonal", "approximate cholesky"), "splits" (2), "iterations" (1000). The result keeps a copy of A. */
orthant_status orthant_laplacian_of(const char *parameters, const orthant_factor_problem *problem,
                                    const orthant_options *options, orthant_result *result, orthant_text *error);
/* orthant_solve with the result of orthant_laplacian_of: the iterations of the column that took most, and the largest measured
 * residual; either may be NULL. If a residual is above the tolerance, the status is ORTHANT_INVALID and x, if its rows are
 * contiguous float64, is the best solution found. */
orthant_status orthant_solve_measured(orthant_result solver, const orthant_buffer *x, int64_t *iterations,
                                      double *residual, orthant_text *error);
/* The logarithm of the determinant of A + shift I; of its absolute value for orthant_ldlt_of. */
orthant_status orthant_log_det(orthant_result factor, double *value, orthant_text *error);
/* The same with the sign of the determinant, 1, -1, or 0 with the logarithm -infinity; either may be NULL. */
orthant_status orthant_slogdet(orthant_result factor, double *sign, double *logarithm, orthant_text *error);
/* Replaces the columns of x (n x count, float64 or float32) by the product of parts of the factor with them:
 * P (A + shift I) P^T = L D L^T, of orthant_cholesky_of with D = I, of orthant_ldlt_of with ones on the diagonal of L. The parts
 * are "P", "P^T", "L", "L^T", "L^-1", "L^-T", "D", "D^-1", separated by spaces and written as in a formula: the last comes first.
 * Of standard normal columns "P^T L" makes samples with the covariance A + shift I, and "P^T L^-T" with its inverse;
 * "L^-1 P" and "L^T P" make these white again. */
orthant_status orthant_apply(orthant_result factor, const char *parts, const orthant_buffer *x, orthant_text *error);
/* The parts as matrices: "order" (n x 1, int64: row k of L is row order[k] of A), L in compressed rows ("l_data", "l_indices",
 * "l_indptr"), and of orthant_ldlt_of D ("d_data", "d_indices", "d_indptr"). */
orthant_status orthant_parts_of(orthant_result factor, const char *parameters, const orthant_options *options,
                                orthant_result *result, orthant_text *error);
/* Entries of the inverse of A + shift I: "diagonal" (n x 1); or at the places of a pattern, n x n, in its order ("data",
 * "indices", "indptr"), which are places of A or of L; or with "entries": "factor" at all places of L and L^T. It takes as much
 * memory as the factor, and less than ten times its time. */
orthant_status orthant_inverse_of(orthant_result factor, const char *parameters, const orthant_csr *pattern,
                                  const orthant_options *options, orthant_result *result, orthant_text *error);
/* Turns a factor of orthant_cholesky_of into that of A + shift I + W W^T, with "subtract": true of A + shift I - W W^T. The problem has
 * W (n x k) in the place of A. A vector that joins rows which L does not join is refused, and a difference that is not positive
 * definite has the status ORTHANT_NOT_DEFINITE; the factor is then as it was. *result has only a report. */
orthant_status orthant_update_rank_of(orthant_result factor, const char *parameters, const orthant_factor_problem *problem,
                                      const orthant_options *options, orthant_result *result, orthant_text *error);

/* The lengths of the shortest paths of an undirected graph: entries are the lengths of edges, >= 0; a
 * stored zero is an edge of length zero. If the two directions of an edge differ, the shorter one is
 * used. */
orthant_status orthant_shortest_paths_of(const char *parameters, const orthant_paths_problem *problem,
                                         const orthant_options *options, orthant_result *result, orthant_text *error);
/* The connected components of a graph. Every stored entry is an edge, in both directions, zeros
 * included. The number "components" counts them. */
orthant_status orthant_connected_components_of(const char *parameters, const orthant_graph_problem *problem,
                                               const orthant_options *options, orthant_result *result,
                                               orthant_text *error);

/* The start that UMAP and t-SNE take: eigenvectors of the normalised Laplacian of a graph whose entries are
 * symmetric weights >= 0. Components are solved separately and placed as umap-learn places them. "components":
 * "each", "error" or "joint"; "scale": "none", "umap" (the largest coordinate is 10) or "tsne" (the first
 * column's deviation is 1e-4). */
orthant_status orthant_spectral_init_of(int64_t dim, const char *parameters, const orthant_graph_problem *problem,
                                        const orthant_options *options, orthant_result *result, orthant_text *error);

/* Runs Lloyd's k-means from problem.centers, with at most "iterations" iterations (0: only assign the samples). It ends
 * once no sample changes its cluster, or once the squared displacements of all centres sum to "tolerance" (0) or less.
 * Clusters without weight get the samples farthest from their centres. A cluster that still has none is placed at the
 * origin, or with "emptied": "heaviest" at the mean of the heaviest cluster. "trace": true keeps the objective of each
 * iteration.
 * Instead of problem.centers, problem.draws may hold numbers >= 0 and below 1. Greedy k-means++ then chooses the
 * centres by these draws, beginning with sample "first" (from 0); "single": true rounds squares to float32 there,
 * "weighted": true multiplies them by the weights. */
orthant_status orthant_lloyd_of(const char *parameters, const orthant_lloyd_problem *problem,
                                const orthant_options *options, orthant_result *result, orthant_text *error);

/* The k nearest samples of each query by "metric", as in orthant_neighbors, nearest first and ties by the lower index;
 * or with "radius" (and k = 0) all samples within that distance. */
orthant_status orthant_nearest_of(int64_t k, const char *parameters, const orthant_nearest_problem *problem,
                                  const orthant_options *options, orthant_result *result, orthant_text *error);

/* Kept until 2.0: the same solvers with one struct for all of them. The comment on each field names the field that it
 * replaces. A solver refuses fields that it does not take. New programs should use the functions above. */
typedef struct orthant_problem {
  size_t struct_size;
  const orthant_csr *a;             /* a, graph or samples */
  const orthant_matrix *dense;      /* a_dense or samples_dense */
  const orthant_operator *products; /* a_products */
  const orthant_csr *m;             /* eigsh: m. nearest: queries */
  const orthant_matrix *m_dense;    /* eigsh: m_dense. lloyd: weights. nearest: queries_dense */
  const orthant_matrix *null;       /* eigsh: null_vectors. lloyd: draws */
  const orthant_matrix *start;      /* eigsh: start. lloyd: centers */
  const int64_t *sources;           /* shortest_paths: sources */
  int64_t sources_count;
} orthant_problem;

#define ORTHANT_PROBLEM {sizeof(orthant_problem), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0}

orthant_status orthant_eigsh(int64_t count, const char *parameters, const orthant_problem *problem,
                             const orthant_options *options, orthant_result *result, orthant_text *error);
orthant_status orthant_largest(int64_t count, const char *parameters, const orthant_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error);
orthant_status orthant_svds(int64_t count, const char *parameters, const orthant_problem *problem,
                            const orthant_options *options, orthant_result *result, orthant_text *error);
orthant_status orthant_cholesky(const char *parameters, const orthant_problem *problem, const orthant_options *options,
                                orthant_result *result, orthant_text *error);
orthant_status orthant_ldlt(const char *parameters, const orthant_problem *problem, const orthant_options *options,
                            orthant_result *result, orthant_text *error);
orthant_status orthant_update_values(orthant_result factor, const char *parameters, const orthant_problem *problem,
                                     const orthant_options *options, orthant_result *result, orthant_text *error);
orthant_status orthant_shortest_paths(const char *parameters, const orthant_problem *problem,
                                      const orthant_options *options, orthant_result *result, orthant_text *error);
orthant_status orthant_connected_components(const char *parameters, const orthant_problem *problem,
                                            const orthant_options *options, orthant_result *result,
                                            orthant_text *error);
orthant_status orthant_spectral_init(int64_t dim, const char *parameters, const orthant_problem *problem,
                                     const orthant_options *options, orthant_result *result, orthant_text *error);
orthant_status orthant_lloyd(const char *parameters, const orthant_problem *problem, const orthant_options *options,
                             orthant_result *result, orthant_text *error);
orthant_status orthant_nearest(int64_t k, const char *parameters, const orthant_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error);

/* Waits for a task in the background (options.patience), at most the given number of milliseconds.
 * ORTHANT_BUSY means that it still runs. Any other status is its outcome, with the text of the error,
 * and every later call returns the same. Until then x, labels and the starts must stay valid, and arrays
 * cannot be copied. share (may be NULL) receives the share of the current phase that is done, phase (may
 * be NULL) its name. */
orthant_status orthant_wait(orthant_result result, int64_t milliseconds, double *share, orthant_text *phase,
                            orthant_text *error);

/* Asks a task in the background to end soon; orthant_wait reports when it has ended. */
orthant_status orthant_cancel(orthant_result result, orthant_text *error);

/* The shape of an array, and the type that stores it without loss. */
orthant_status orthant_shape(orthant_result result, const char *name, int64_t *rows, int64_t *cols, int32_t *type,
                             orthant_text *error);

/* Copies an array into a buffer of its shape. */
orthant_status orthant_copy(orthant_result result, const char *name, const orthant_buffer *to, orthant_text *error);

/* One number: "iterations", "converged" (0 or 1), "sound" (embed, factorize, cluster: 1 where the
 * verdict is "sound", 0 where it is "doubtful", see "quality" in the report), "warnings" (how many), "components",
 * "duplicates", "seconds", "relative_error" (factorize), "next_eigenvalue" (embed, cluster),
 * "next_singular_value" (svds), "inertia" (cluster: the sum of squared distances of the samples to their centres, of kmeans),
 * "value" (evaluate).
 * If a task does not have a number, it is NaN. */
orthant_status orthant_number(orthant_result result, const char *name, double *value, orthant_text *error);

/* Everything about a result except its arrays: one JSON object with the keys of the command's
 * --json: "method", "params", "quality", "warnings", "seconds" ... */
orthant_status orthant_report(orthant_result result, orthant_text *json, orthant_text *error);

/* Frees a result; NULL is allowed. If its task still runs in the background, the task is cancelled and waited for. */
orthant_status orthant_result_free(orthant_result result);

/* The model of a result that was made with "model". It stays valid when the result is freed and
 * shares no memory with the samples. */
orthant_status orthant_model_of(orthant_result result, orthant_model *model, orthant_text *error);

/* One JSON object: "method", "params", "samples", "features", "dim", "clusters" (0: the model gives
 * coordinates; otherwise it gives labels), "kind", "program". */
orthant_status orthant_model_info(orthant_model model, orthant_text *json, orthant_text *error);

/* Writes a model to a file, which is replaced as a whole or not at all, and reads a model from a
 * file. Paths are passed to the system unchanged. The format is described in
 * docs/model-format.md. */
orthant_status orthant_save(orthant_model model, const char *path, orthant_text *error);
orthant_status orthant_load(const char *path, orthant_model *model, orthant_text *error);

/* The same bytes in memory: writes them if all of them fit, and sets *needed in any case. buffer
 * may be NULL if size is 0. */
orthant_status orthant_save_bytes(orthant_model model, void *buffer, size_t size, size_t *needed, orthant_text *error);
orthant_status orthant_load_bytes(const void *bytes, size_t size, orthant_model *model, orthant_text *error);

/* Frees a model; NULL is allowed. */
orthant_status orthant_model_free(orthant_model model);

#ifdef __cplusplus
}
#endif

#endif
