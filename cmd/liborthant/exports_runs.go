//go:build cgo

package main

/*
#include "orthant.h"

typedef const orthant_matrix const_matrix;
typedef const orthant_components const_components;
typedef const orthant_options const_options;
typedef const int64_t const_int64;
typedef const char const_char;
*/
import "C"

import (
	"fmt"
	"unsafe"
)

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

// orthantinternal_consensus brings the runs of one rank together.
//
//export orthantinternal_consensus
func orthantinternal_consensus(rank C.int64_t, parameters *C.const_char, of *C.const_components, x *C.const_matrix,
	o *C.const_options, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	if of == nil {
		err = fmt.Errorf("the components are NULL; give those of all runs of the rank")
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
