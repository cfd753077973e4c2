//go:build cgo

package main

/*
#include "orthant.h"

typedef const orthant_matrix const_matrix;
// What a solver is given: the fields of its struct in orthant.h.
typedef struct orthantinternal_inputs {
  const orthant_csr *a; // the matrix, the graph or the samples: in compressed rows,
  const orthant_matrix *dense; // in full,
  const orthant_operator *products; // or by products
  const orthant_csr *m;
  const orthant_matrix *m_dense, *null_vectors, *start;
  const orthant_matrix *weights, *centers, *draws;
  const orthant_csr *queries;
  const orthant_matrix *queries_dense;
  const int64_t *sources;
  int64_t sources_count;
} orthantinternal_inputs;

typedef const orthantinternal_inputs const_inputs;
typedef const orthant_components const_components;
typedef const orthant_evaluation const_evaluation;
typedef const orthant_options const_options;
typedef const orthant_buffer const_buffer;
typedef const int64_t const_int64;
typedef const char const_char;

int orthantinternal_multiply(orthant_product multiply, void *user, int transposed, int64_t width, const double *x, double *y);
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// orthantinternal_problem runs a solver.
//
//export orthantinternal_problem
func orthantinternal_problem(task C.int, count C.int64_t, parameters *C.const_char, factor C.uintptr_t, given *C.const_inputs,
	o *C.const_options, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	r, err := runProblem(int(task), int64(count), parameters, uintptr(factor), given, o)
	if r != nil {
		*out = C.uintptr_t(keep(r))
	}
	return
}

func runProblem(task int, count int64, parameters *C.const_char, factor uintptr, given *C.const_inputs, o *C.const_options) (*result, error) {
	q, err := problemOf(given)
	if err != nil {
		return nil, err
	}
	q.count = count
	if parameters != nil {
		q.parameters = []byte(C.GoString((*C.char)(parameters)))
	}
	if problems[task].ofFactor {
		r, err := find[*result](factor)
		if err == nil {
			q.factor, err = r.factorOf()
		}
		if err != nil {
			return nil, err
		}
	}
	if err := following(o); err != nil {
		return nil, err
	}
	w, err := prepareProblem(task, q)
	if err != nil {
		return nil, err
	}
	return start(w, o)
}

// problemOf reads the inputs of a solver.
func problemOf(given *C.const_inputs) (q problem, err error) {
	q = problem{
		a: csrAt(given.a), dense: pointerTo(given.dense),
		m: csrAt(given.m), mDense: pointerTo(given.m_dense), nullVectors: pointerTo(given.null_vectors), start: pointerTo(given.start),
		weights: pointerTo(given.weights), centers: pointerTo(given.centers), draws: pointerTo(given.draws),
		queries: csrAt(given.queries), queriesDense: pointerTo(given.queries_dense),
	}
	if given.products != nil {
		multiply, user := given.products.multiply, given.products.user
		q.products = &operator{rows: int64(given.products.rows), cols: int64(given.products.cols)}
		if multiply != nil {
			q.products.multiply = func(transposed bool, width int, x, y []float64) int {
				return int(C.orthantinternal_multiply(multiply, user, C.int(truth(transposed)), C.int64_t(width),
					(*C.double)(unsafe.Pointer(&x[0])), (*C.double)(unsafe.Pointer(&y[0]))))
			}
		}
	}
	if given.sources == nil && given.sources_count == 0 {
		return q, nil
	}
	if given.sources == nil || given.sources_count < 1 || given.sources_count > math.MaxInt32 || uintptr(unsafe.Pointer(given.sources))%8 != 0 {
		return q, fmt.Errorf("the problem: %d sources at %p; give at least one, aligned to 8 bytes, or neither", given.sources_count, given.sources)
	}
	q.sources = unsafe.Slice((*int64)(unsafe.Pointer(given.sources)), int(given.sources_count))
	return q, nil
}

// orthantinternal_ask answers a question to a factor: what else there is to say than x goes to found, two numbers, and there says whether there is any.
//
//export orthantinternal_ask
func orthantinternal_ask(what C.int, handle C.uintptr_t, parts *C.const_char, x *C.const_buffer, found *C.double, there *C.int, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	r, err := find[*result](uintptr(handle))
	if err != nil {
		return
	}
	if askedOf(what) == askApply && parts == nil {
		err = fmt.Errorf("the parts are NULL; give their names, such as \"P^T L\"")
		return
	}
	var of *view
	if x != nil {
		of = &view{x.data, int64(x.rows), int64(x.cols), int64(x.stride), int32(x._type)}
	}
	names := ""
	if parts != nil {
		names = C.GoString((*C.char)(parts))
	}
	numbers, err := r.ask(askedOf(what), names, of)
	for i, v := range numbers {
		unsafe.Slice(found, 2)[i], *there = C.double(v), 1
	}
	return
}

// orthantinternal_runs factorises one matrix many times.
//
//export orthantinternal_runs
func orthantinternal_runs(method *C.const_char, ranks *C.const_int64, ranksCount, runs C.int64_t, parameters *C.const_char, x *C.const_matrix,
	o *C.const_options, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	if method == nil {
		err = fmt.Errorf("the method is NULL; give its name (orthant_methods lists them)")
		return
	}
	const most = 1 << 20
	if ranks == nil || ranksCount < 1 || ranksCount > most || uintptr(unsafe.Pointer(ranks))%8 != 0 {
		err = fmt.Errorf("%d ranks at %p; give at least one, aligned to 8 bytes", ranksCount, ranks)
		return
	}
	g, err := givenBy(int64(runs), parameters, x, o)
	if err != nil {
		return
	}
	g.method = C.GoString((*C.char)(method))
	w, err := g.factorizeRuns(unsafe.Slice((*int64)(unsafe.Pointer(ranks)), int(ranksCount)))
	if err != nil {
		return
	}
	r, err := start(w, o)
	if r != nil {
		*out = C.uintptr_t(keep(r))
	}
	return
}

// orthantinternal_consensus combines the runs of one rank.
//
//export orthantinternal_consensus
func orthantinternal_consensus(rank C.int64_t, parameters *C.const_char, of *C.const_components, x *C.const_matrix,
	o *C.const_options, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	if of == nil {
		err = fmt.Errorf("the components are NULL; give the components of all runs of the rank")
		return
	}
	if of.struct_size < C.sizeof_orthant_components {
		err = fmt.Errorf("the components: struct_size is %d where version %d has %d; set it to sizeof(orthant_components)", of.struct_size, abi, C.sizeof_orthant_components)
		return
	}
	g, err := givenBy(int64(rank), parameters, x, o)
	if err != nil {
		return
	}
	w, err := g.consensus(componentsGiven{components: pointerTo(of.components), labelsOfRuns: pointerTo(of.labels), levelsInFull: pointerTo(of.levels), levelsCSR: csrAt(of.levels_csr)})
	if err != nil {
		return
	}
	r, err := start(w, o)
	if r != nil {
		*out = C.uintptr_t(keep(r))
	}
	return
}

// orthantinternal_evaluate computes a measure.
//
//export orthantinternal_evaluate
func orthantinternal_evaluate(metric, parameters *C.const_char, of *C.const_evaluation, o *C.const_options, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	if metric == nil {
		err = fmt.Errorf("the metric is NULL; give its name")
		return
	}
	q, err := evaluationOf(of)
	if err != nil {
		return
	}
	if err = following(o); err != nil {
		return
	}
	var object []byte
	if parameters != nil {
		object = []byte(C.GoString((*C.char)(parameters)))
	}
	w, err := q.evaluate(C.GoString((*C.char)(metric)), object)
	if err != nil {
		return
	}
	r, err := start(w, o)
	if r != nil {
		*out = C.uintptr_t(keep(r))
	}
	return
}

// evaluationOf reads an orthant_evaluation.
func evaluationOf(of *C.const_evaluation) (q evaluation, err error) {
	if of == nil {
		return q, fmt.Errorf("the evaluation is NULL; give what is to be measured")
	}
	if of.struct_size < C.sizeof_orthant_evaluation {
		return q, fmt.Errorf("the evaluation: struct_size is %d where version %d has %d; set it to sizeof(orthant_evaluation)", of.struct_size, abi, C.sizeof_orthant_evaluation)
	}
	q = evaluation{matrices: map[string]*view{}, classes: map[string][]int64{}}
	for name, x := range map[string]*C.const_matrix{"in": of.x, "embedding": of.embedding, "truth": of.truth, "w": of.w, "h": of.h} {
		if x != nil {
			q.matrices[name] = pointerTo(x)
		}
	}
	if err := q.classesOf("labels", of.labels, of.labels_count); err != nil {
		return q, err
	}
	return q, q.classesOf("predicted", of.predicted, of.predicted_count)
}

func (q evaluation) classesOf(name string, list *C.const_int64, count C.int64_t) error {
	if list == nil && count == 0 {
		return nil
	}
	if list == nil || count < 1 || count > math.MaxInt32 || uintptr(unsafe.Pointer(list))%8 != 0 {
		return fmt.Errorf("the evaluation: %d %s at %p; give one for each sample, aligned to 8 bytes, or neither", count, name, list)
	}
	q.classes[name] = unsafe.Slice((*int64)(unsafe.Pointer(list)), int(count))
	return nil
}
