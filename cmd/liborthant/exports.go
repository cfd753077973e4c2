//go:build cgo

package main

/*
#include "orthant.h"

// Go cannot spell a pointer to const.
typedef const orthant_matrix const_matrix;
typedef const orthant_csr const_csr;
typedef const orthant_buffer const_buffer;
typedef const orthant_options const_options;
typedef const char const_char;

int orthantinternal_tell(orthant_progress progress, void *user, const char *phase, double done);
*/
import "C"

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/messages"
)

// shim.c calls the exported functions once it knows that the process is not a fork. Handles are
// passed as numbers, so that the garbage collector never sees an invalid pointer.

// ended turns an error into a status and its text. Every exported function returns through it.
func ended(err error, to *C.orthant_text) C.int {
	text := ""
	if err != nil {
		text = wording.Error(err, wording.Arguments)
	}
	put(text, to)
	return C.int(statusOf(err))
}

// put writes as much of a text as fits, cut between characters.
func put(text string, to *C.orthant_text) {
	if to == nil {
		return
	}
	to.needed = C.size_t(len(text) + 1)
	if to.data == nil || to.size == 0 {
		return
	}
	room := int(min(uint64(to.size), uint64(len(text)+1)))
	end := room - 1
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	buffer := unsafe.Slice((*byte)(unsafe.Pointer(to.data)), room)
	copy(buffer, text[:end])
	buffer[end] = 0
}

// answer writes a requested text.
func answer(to *C.orthant_text, text string, err error) error {
	if err == nil && to == nil {
		err = fmt.Errorf("there is no place for the text (NULL)")
	}
	if err == nil {
		put(text, to)
	}
	return err
}

func viewOf(x *C.const_matrix) view {
	return view{x.data, int64(x.rows), int64(x.cols), int64(x.stride), int32(x._type)}
}

func csrOf(a *C.const_csr) csrView {
	return csrView{a.data, a.indices, a.indptr, int64(a.rows), int64(a.cols), int64(a.entries), int32(a.index_type), int32(a._type)}
}

func csrAt(a *C.const_csr) *csrView {
	if a == nil {
		return nil
	}
	v := csrOf(a)
	return &v
}

func pointerTo(x *C.const_matrix) *view {
	if x == nil {
		return nil
	}
	v := viewOf(x)
	return &v
}

// options reads the optional inputs of a task.
func (g *given) options(o *C.const_options) error {
	if o == nil {
		return nil
	}
	if err := following(o); err != nil {
		return err
	}
	if o.struct_size >= C.sizeof_orthant_options {
		g.weights = pointerTo(o.weights)
	}
	if o.struct_size >= C.size_t(unsafe.Offsetof(o.weights)) {
		g.targets = pointerTo(o.targets)
	}
	if o.struct_size >= C.size_t(unsafe.Offsetof(o.targets)) {
		g.compressed = csrAt(o.samples)
		g.near = structure{graph: csrAt(o.graph), indices: pointerTo(o.graph_indices), distances: pointerTo(o.graph_distances), affinities: csrAt(o.affinities), all: pointerTo(o.distances)}
	}
	if o.labels == nil && o.labels_count != 0 {
		return fmt.Errorf("options: %d labels at NULL", o.labels_count)
	}
	if o.labels != nil {
		if n, _ := g.dims(); o.labels_count != C.int64_t(n) {
			return fmt.Errorf("options: %d labels of %d samples; give one for each", o.labels_count, n)
		}
		if uintptr(unsafe.Pointer(o.labels))%8 != 0 {
			return fmt.Errorf("options: the labels are not aligned to 8 bytes")
		}
		g.labels = unsafe.Slice((*int64)(unsafe.Pointer(o.labels)), int(o.labels_count))
	}
	g.start, g.startH = pointerTo(o.start), pointerTo(o.start_h)
	return nil
}

// following refuses options of another size, and patience together with progress or cancel.
func following(o *C.const_options) error {
	if o == nil {
		return nil
	}
	const first = C.size_t(unsafe.Offsetof(o.samples)) // the size in the first version
	if o.struct_size < first {
		return fmt.Errorf("options: struct_size is %d where version %d has %d at least; set it to sizeof(orthant_options)", o.struct_size, abi, first)
	}
	if o.patience != 0 && (o.progress != nil || o.cancel != nil) {
		return fmt.Errorf("options: progress and cancel are for calls that wait; a task in the background is followed by orthant_wait and ended by orthant_cancel")
	}
	return nil
}

// orthantinternal_run runs a task.
//
//export orthantinternal_run
func orthantinternal_run(task C.int, method, parameters *C.const_char, count C.int64_t, by C.uintptr_t, x *C.const_matrix,
	o *C.const_options, out *C.uintptr_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	r, err := run(int(task), method, parameters, int64(count), uintptr(by), x, o)
	if r != nil {
		*out = C.uintptr_t(keep(r))
	}
	return
}

func run(task int, method, parameters *C.const_char, count int64, by uintptr, x *C.const_matrix, o *C.const_options) (*result, error) {
	g, err := givenBy(count, parameters, x, o)
	if tasks[task].name == "transform" {
		m, lost := find[*model](by)
		if lost != nil {
			return nil, lost
		}
		g.model = m
	} else if method == nil && tasks[task].name != "neighbors" && tasks[task].name != "denoise" {
		return nil, fmt.Errorf("the method is NULL; give its name (orthant_methods lists them)")
	}
	if err != nil {
		return nil, err
	}
	if method != nil {
		g.method = C.GoString((*C.char)(method))
	}
	w, err := prepare(task, g)
	if err != nil {
		return nil, err
	}
	return start(w, o)
}

// givenBy reads the inputs that all tasks take.
func givenBy(count int64, parameters *C.const_char, x *C.const_matrix, o *C.const_options) (given, error) {
	g := given{count: count}
	if x != nil {
		if g.x = viewOf(x); g.x == (view{}) {
			return g, fmt.Errorf("x: its data are NULL")
		}
	}
	if parameters != nil {
		g.parameters = []byte(C.GoString((*C.char)(parameters)))
	}
	return g, g.options(o)
}

// start runs a task, or lets it continue in the background if the options say so.
func start(w work, o *C.const_options) (*result, error) {
	if o != nil && o.patience != 0 {
		r := begin(w)
		if !r.wait(milliseconds(o.patience)) {
			return r, stillAtWork
		}
		return ending(r)
	}
	return ending(follow(w, o))
}

// ending is the outcome of a task that has ended; it has no result if the task failed.
func ending(r *result) (*result, error) {
	if r.made == nil {
		return nil, r.err
	}
	return r, r.err
}

// follow runs a task while the caller waits.
func follow(w work, o *C.const_options) *result {
	if o == nil || o.progress == nil && o.cancel == nil {
		return carryOut(w)
	}
	var stopped func() bool
	if o.cancel != nil {
		flag := (*int32)(unsafe.Pointer(o.cancel))
		stopped = func() bool { return atomic.LoadInt32(flag) != 0 }
		if stopped() {
			return carryOut(canceled)
		}
	}
	var report func(engine.Progress) bool
	if o.progress != nil {
		progress, user := o.progress, o.user
		report = func(p engine.Progress) bool {
			phase := append([]byte(p.Phase), 0)
			return C.orthantinternal_tell(progress, user, (*C.char)(unsafe.Pointer(&phase[0])), C.double(p.Done)) == 0
		}
	}
	r := begin(w)
	r.follow(stopped, report)
	return r
}

// stillAtWork is the outcome of a task that still runs.
var stillAtWork = &failure{statusBusy, "still at work"}

// milliseconds is a time to wait; a value that would overflow means for ever.
func milliseconds(limit C.int64_t) time.Duration {
	const longest = 1 << 40
	return time.Duration(min(max(int64(limit), 0), longest)) * time.Millisecond
}

//export orthantinternal_wait
func orthantinternal_wait(handle C.uintptr_t, limit C.int64_t, share *C.double, phase, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	r, err := find[*result](uintptr(handle))
	if err != nil {
		return
	}
	over := r.wait(milliseconds(limit))
	p := r.standing()
	if share != nil {
		*share = C.double(p.Done)
	}
	put(p.Phase, phase)
	if !over {
		err = stillAtWork
		return
	}
	err = r.err
	return
}

//export orthantinternal_cancel
func orthantinternal_cancel(handle C.uintptr_t, text *C.orthant_text) C.int {
	r, err := find[*result](uintptr(handle))
	if err == nil {
		r.cancel()
	}
	return ended(err, text)
}

//export orthantinternal_shape
func orthantinternal_shape(handle C.uintptr_t, name *C.const_char, rows, cols *C.int64_t, kind *C.int32_t, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	a, err := arrayNamed(handle, name)
	if err != nil {
		return
	}
	if rows != nil {
		*rows = C.int64_t(a.rows)
	}
	if cols != nil {
		*cols = C.int64_t(a.cols)
	}
	if kind != nil {
		*kind = C.int32_t(a.kind())
	}
	return
}

func arrayNamed(handle C.uintptr_t, name *C.const_char) (array, error) {
	r, err := find[*result](uintptr(handle))
	if err != nil {
		return array{}, err
	}
	if name == nil {
		return array{}, fmt.Errorf("the name of the array is NULL")
	}
	return r.array(C.GoString((*C.char)(name)))
}

//export orthantinternal_copy
func orthantinternal_copy(handle C.uintptr_t, name *C.const_char, to *C.const_buffer, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	a, err := arrayNamed(handle, name)
	if err != nil {
		return
	}
	if to == nil {
		err = fmt.Errorf("the buffer is NULL")
		return
	}
	err = a.copyTo(view{to.data, int64(to.rows), int64(to.cols), int64(to.stride), int32(to._type)}, C.GoString((*C.char)(name)))
	return
}

//export orthantinternal_number
func orthantinternal_number(handle C.uintptr_t, name *C.const_char, value *C.double, text *C.orthant_text) (code C.int) {
	r, err := find[*result](uintptr(handle))
	if err == nil && (name == nil || value == nil) {
		err = fmt.Errorf("the name or the place of the number is NULL")
	}
	if err == nil {
		var v float64
		if v, err = r.number(C.GoString((*C.char)(name))); err == nil {
			*value = C.double(v)
		}
	}
	return ended(err, text)
}

// orthantinternal_describe writes JSON: the methods (0), info (1), a result (2) or a model (3).
//
//export orthantinternal_describe
func orthantinternal_describe(what C.int, handle C.uintptr_t, json, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	var said string
	switch what {
	case 0:
		said, err = toJSON(allMethods())
	case 1:
		var a any
		if a, err = about(); err == nil {
			said, err = toJSON(a)
		}
	case 2:
		var r *result
		if r, err = find[*result](uintptr(handle)); err == nil {
			said, err = r.describe()
		}
	default:
		var m *model
		if m, err = find[*model](uintptr(handle)); err == nil {
			said, err = m.describe()
		}
	}
	err = answer(json, said, err)
	return
}

// orthantinternal_explain writes what is known of a message, as JSON.
//
//export orthantinternal_explain
func orthantinternal_explain(message *C.const_char, json, text *C.orthant_text) (code C.int) {
	var err error
	defer func() { code = ended(err, text) }()
	defer caught(&err)
	if message == nil {
		err = fmt.Errorf("the message is NULL; give its identifier, such as E0001, or its text")
		return
	}
	e, ok := messages.Explain(C.GoString((*C.char)(message)))
	if !ok {
		err = fmt.Errorf("%q is neither an identifier nor the text of a message of the library; give one such as E0001", C.GoString((*C.char)(message)))
		return
	}
	var said string
	if said, err = toJSON(e); err == nil {
		err = answer(json, said, nil)
	}
	return
}

// orthantinternal_free frees a model, or a result after it has ended its work.
//
//export orthantinternal_free
func orthantinternal_free(isModel C.int, handle C.uintptr_t) C.int {
	if handle == 0 {
		return C.int(statusOK)
	}
	if isModel != 0 {
		_, err := take[*model](uintptr(handle))
		return ended(err, nil)
	}
	r, err := take[*result](uintptr(handle))
	if err == nil {
		r.cancel()
		<-r.done
	}
	return ended(err, nil)
}

// canceled is the work of a call whose flag was set before it began.
func canceled(context.Context, func(engine.Progress)) (*made, error) { return nil, context.Canceled }

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
