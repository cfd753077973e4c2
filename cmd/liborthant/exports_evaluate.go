//go:build cgo

package main

/*
#include "orthant.h"

typedef const orthant_matrix const_matrix;
typedef const orthant_evaluation const_evaluation;
typedef const orthant_options const_options;
typedef const int64_t const_int64;
typedef const char const_char;
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// orthantinternal_evaluate measures.
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
