//go:build cgo

package main

/*
#include "orthant.h"
*/
import "C"

import "fmt"

// orthantinternal_set_num_threads limits the process; see numThreads.
//
//export orthantinternal_set_num_threads
func orthantinternal_set_num_threads(threads C.int64_t, text *C.orthant_text) C.int {
	return ended(setNumThreads(int64(threads)), text)
}

//export orthantinternal_get_num_threads
func orthantinternal_get_num_threads(threads *C.int64_t, text *C.orthant_text) C.int {
	if threads == nil {
		return ended(fmt.Errorf("the place of the number of threads is NULL"), text)
	}
	*threads = C.int64_t(numThreads())
	return ended(nil, text)
}
