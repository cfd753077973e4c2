//go:build cgo

package main

/*
#include "orthant.h"

typedef const char const_char;

*/
import "C"

import (
	"fmt"
	"unsafe"
)

//export orthantinternal_model_of
func orthantinternal_model_of(handle C.uintptr_t, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	r, err := find[*result](uintptr(handle))
	if err != nil {
		return
	}
	m, err := r.modelOf()
	if err == nil {
		*out = C.uintptr_t(keep(m))
	}
	return
}

//export orthantinternal_save
func orthantinternal_save(handle C.uintptr_t, path *C.const_char, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	m, err := find[*model](uintptr(handle))
	if err == nil && path == nil {
		err = fmt.Errorf("the path is NULL")
	}
	if err == nil {
		err = m.save(C.GoString((*C.char)(path)))
	}
	return
}

//export orthantinternal_load
func orthantinternal_load(path *C.const_char, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	if path == nil {
		err = fmt.Errorf("the path is NULL")
		return
	}
	m, err := load(C.GoString((*C.char)(path)))
	if err == nil {
		*out = C.uintptr_t(keep(m))
	}
	return
}

//export orthantinternal_save_bytes
func orthantinternal_save_bytes(handle C.uintptr_t, buffer unsafe.Pointer, size C.size_t, needed *C.size_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	m, err := find[*model](uintptr(handle))
	if err != nil {
		return
	}
	b, err := m.bytes()
	if err != nil {
		return
	}
	if needed != nil {
		*needed = C.size_t(len(b))
	}
	switch {
	case buffer != nil && uint64(size) >= uint64(len(b)):
		copy(unsafe.Slice((*byte)(buffer), len(b)), b)
	case size != 0 || buffer != nil:
		err = fmt.Errorf("the buffer has %d bytes where the model takes %d", size, len(b))
	case needed == nil:
		err = fmt.Errorf("both the buffer and needed are NULL")
	}
	return
}

//export orthantinternal_load_bytes
func orthantinternal_load_bytes(bytes unsafe.Pointer, size C.size_t, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	if bytes == nil || size == 0 {
		err = fmt.Errorf("there are no bytes to read a model from")
		return
	}
	m, err := loadBytes(unsafe.Slice((*byte)(bytes), int(size)))
	if err == nil {
		*out = C.uintptr_t(keep(m))
	}
	return
}
