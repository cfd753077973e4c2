package library

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/messages"
)

// slots are the arguments of a call in the order of the header, in 8 bytes each: whole numbers, handles and the addresses of
// everything else. Handles are numbers, so that the garbage collector never sees an invalid pointer.
type slots struct{ at unsafe.Pointer }

func (s slots) number(i int) int64   { return *(*int64)(unsafe.Add(s.at, 8*i)) }
func (s slots) handle(i int) uintptr { return uintptr(s.number(i)) }

// given returns a text, and whether it is not NULL.
func (s slots) given(i int) (said string, given bool) {
	p := at[byte](s, i)
	return goString(p), p != nil
}

// at is the address that an argument holds; nil: NULL.
func at[T any](s slots, i int) *T { return *(**T)(unsafe.Add(s.at, 8*i)) }

// function is one of the header.
type function struct {
	arguments int
	call      func(s slots) error
	freeing   bool // its last argument is no place for the text of an error
}

// Names lists the functions that [Call] knows, in no order.
func Names() []string {
	list := make([]string, 0, len(functions))
	for name := range functions {
		list = append(list, name)
	}
	return list
}

// Arguments is how many arguments a function takes; 0: there is no such function.
func Arguments(name string) int { return functions[name].arguments }

// Call calls a function of orthant.h by its name, and returns its orthant_status. at holds its arguments, 8 bytes each.
func Call(name string, at unsafe.Pointer) (code int32) {
	f, s := functions[name], slots{at}
	var err error
	defer func() {
		code = int32(statusOf(err))
		if f.arguments > 0 && !f.freeing {
			s.said(f.arguments - 1).put(worded(err))
		}
	}()
	defer caught(&err)
	if f.call == nil {
		err = fmt.Errorf("there is no function %q", name)
		return
	}
	err = f.call(s)
	return
}

func (s slots) said(i int) *text { return at[text](s, i) }

// Caller calls functions that are the caller's: progress and products.
var Caller struct {
	// Tell calls an orthant_progress. A result other than 0 ends the task.
	Tell func(progress, user uintptr, phase string, done float64) int
	// Multiply calls an orthant_product.
	Multiply func(multiply, user uintptr, transposed bool, width int, x, y []float64) int
}

// functions are those of orthant.h. To add one, add a row, its declaration there, its definition in shim.c or problems.c, its name
// in liborthant.map, and for Python a row in _library.py.
var functions map[string]function

func init() {
	functions = map[string]function{
		"orthant_info": {arguments: 2, call: func(s slots) error {
			a, err := about()
			if err != nil {
				return err
			}
			return s.said(0).answer(toJSON(a))
		}},
		"orthant_methods": {arguments: 2, call: func(s slots) error { return s.said(0).answer(toJSON(allMethods())) }},
		"orthant_explain": {arguments: 3, call: func(s slots) error {
			message, given := s.given(0)
			if !given {
				return errors.New("the message is NULL; give its identifier, such as E0001, or its text")
			}
			e, known := messages.Explain(message)
			if !known {
				return fmt.Errorf("%q is neither an identifier nor the text of a message of the library; give one such as E0001", message)
			}
			return s.said(1).answer(toJSON(e))
		}},
		"orthant_set_num_threads": {arguments: 2, call: func(s slots) error { return setNumThreads(s.number(0)) }},
		"orthant_get_num_threads": {arguments: 2, call: func(s slots) error {
			to := at[int64](s, 0)
			if to == nil {
				return errors.New("the place of the number of threads is NULL")
			}
			*to = int64(numThreads())
			return nil
		}},

		"orthant_embed":          {arguments: 6, call: task{name: "embed", method: 1, parameters: 2, x: 3}.call},
		"orthant_factorize":      {arguments: 7, call: task{name: "factorize", method: 1, count: 2, parameters: 3, x: 4}.call},
		"orthant_learn":          {arguments: 7, call: task{name: "learn", method: 1, count: 2, parameters: 3, x: 4}.call},
		"orthant_cluster":        {arguments: 7, call: task{name: "cluster", method: 1, count: 2, parameters: 3, x: 4}.call},
		"orthant_select":         {arguments: 7, call: task{name: "select", method: 1, count: 2, parameters: 3, x: 4}.call},
		"orthant_neighbors":      {arguments: 6, call: task{name: "neighbors", count: 1, parameters: 2, x: 3}.call},
		"orthant_denoise":        {arguments: 6, call: task{name: "denoise", count: 1, parameters: 2, x: 3}.call},
		"orthant_transform":      {arguments: 6, call: task{name: "transform", model: 1, parameters: 2, x: 3}.call},
		"orthant_factorize_runs": {arguments: 9, call: callRuns},
		"orthant_consensus":      {arguments: 7, call: callConsensus},
		"orthant_evaluate":       {arguments: 6, call: callEvaluate},

		"orthant_wait": {arguments: 5, call: callWait},
		"orthant_cancel": {arguments: 2, call: func(s slots) error {
			r, err := find[*result](s.handle(0))
			if err == nil {
				r.cancel()
			}
			return err
		}},
		"orthant_shape":  {arguments: 6, call: callShape},
		"orthant_copy":   {arguments: 4, call: callCopy},
		"orthant_number": {arguments: 4, call: callNumber},
		"orthant_report": {arguments: 3, call: func(s slots) error {
			r, err := find[*result](s.handle(0))
			if err != nil {
				return err
			}
			return s.said(1).answer(r.describe())
		}},
		"orthant_result_free": {arguments: 1, freeing: true, call: func(s slots) error {
			if s.handle(0) == 0 {
				return nil
			}
			r, err := take[*result](s.handle(0))
			if err == nil {
				r.cancel()
				<-r.done
			}
			return err
		}},

		"orthant_model_of": {arguments: 3, call: func(s slots) error {
			r, err := find[*result](s.handle(0))
			if err != nil {
				return err
			}
			m, err := r.modelOf()
			return s.keeping(1, "model", m, err)
		}},
		"orthant_model_info": {arguments: 3, call: func(s slots) error {
			m, err := find[*model](s.handle(0))
			if err != nil {
				return err
			}
			return s.said(1).answer(m.describe())
		}},
		"orthant_save":       {arguments: 3, call: callSave},
		"orthant_load":       {arguments: 3, call: callLoad},
		"orthant_save_bytes": {arguments: 5, call: callSaveBytes},
		"orthant_load_bytes": {arguments: 4, call: callLoadBytes},
		"orthant_model_free": {arguments: 1, freeing: true, call: func(s slots) error {
			if s.handle(0) == 0 {
				return nil
			}
			_, err := take[*model](s.handle(0))
			return err
		}},

		"orthant_solve":          {arguments: 3, call: func(s slots) error { _, err := s.ask(askSolve, "", at[view](s, 1)); return err }},
		"orthant_solve_measured": {arguments: 5, call: callSolveMeasured},
		"orthant_apply":          {arguments: 4, call: callApply},
		"orthant_slogdet":        {arguments: 4, call: callLogDet},
	}
	addSolvers(functions)
}

// keeping gives what a call made a handle, and writes that to the argument to. made may be nil, of its type.
func (s slots) keeping(to int, what string, made any, err error) error {
	place := at[uintptr](s, to)
	if place == nil {
		return fmt.Errorf("the place of the %s is NULL", what)
	}
	*place = 0
	switch m := made.(type) {
	case *result:
		if m != nil {
			*place = keep(m)
		}
	case *model:
		if m != nil {
			*place = keep(m)
		}
	}
	return err
}

// begun runs the work that a call prepares, and gives its result a handle. The arguments from with on are the options, the
// place of the result and that of the error.
func (s slots) begun(with int, prepare func(o *options) (work, error)) error {
	o := at[options](s, with)
	w, err := prepare(o)
	var r *result
	if err == nil && at[uintptr](s, with+1) != nil {
		r, err = start(w, o)
	}
	return s.keeping(with+1, "result", r, err)
}

// task has the places of the arguments of a task, from 1; 0: it does not take that. Options follow x.
type task struct {
	name                                string
	method, count, parameters, x, model int
}

func (t task) call(s slots) error {
	return s.begun(t.x, func(o *options) (work, error) {
		count := int64(0)
		if t.count > 0 {
			count = s.number(t.count - 1)
		}
		g, err := givenBy(count, s, t.parameters-1, at[view](s, t.x-1), o)
		if t.model > 0 {
			m, lost := find[*model](s.handle(t.model - 1))
			if lost != nil {
				return nil, lost
			}
			g.model = m
		}
		if t.method > 0 {
			method, given := s.given(t.method - 1)
			if !given {
				return nil, errNoMethod
			}
			g.method = method
		}
		if err != nil {
			return nil, err
		}
		return prepare(taskNumber(t.name), g)
	})
}

var errNoMethod = errors.New("the method is NULL; give its name (orthant_methods lists them)")

// givenBy reads the inputs that all tasks take.
func givenBy(count int64, s slots, parameters int, x *view, o *options) (given, error) {
	g := given{count: count}
	if x != nil {
		if g.x = *x; g.x == (view{}) {
			return g, errors.New("x: its data are NULL")
		}
	}
	if said, there := s.given(parameters); there {
		g.parameters = []byte(said)
	}
	return g, g.options(o)
}

// options reads the optional inputs of a task.
func (g *given) options(o *options) error {
	if o == nil {
		return nil
	}
	if err := following(o); err != nil {
		return err
	}
	if o.structSize >= unsafe.Sizeof(*o) {
		g.weights = kept(o.weights)
	}
	if o.structSize >= unsafe.Offsetof(o.weights) {
		g.targets = kept(o.targets)
	}
	if o.structSize >= unsafe.Offsetof(o.targets) {
		g.compressed = kept(o.samples)
		g.near = structure{graph: kept(o.graph), indices: kept(o.graphIndices), distances: kept(o.graphDistances), affinities: kept(o.affinities), all: kept(o.distances)}
	}
	if o.labels == nil && o.labelsCount != 0 {
		return fmt.Errorf("options: %d labels at NULL", o.labelsCount)
	}
	if o.labels != nil {
		if n, _ := g.dims(); o.labelsCount != n {
			return fmt.Errorf("options: %d labels of %d samples; give one for each", o.labelsCount, n)
		}
		if uintptr(o.labels)%8 != 0 {
			return errors.New("options: the labels are not aligned to 8 bytes")
		}
		g.labels = unsafe.Slice((*int64)(o.labels), int(o.labelsCount))
	}
	g.start, g.startH = kept(o.start), kept(o.startH)
	return nil
}

// following refuses options of another size, and patience together with progress or cancel.
func following(o *options) error {
	if o == nil {
		return nil
	}
	first := unsafe.Offsetof(o.samples) // the size in the first version
	if o.structSize < first {
		return fmt.Errorf("options: struct_size is %d where version %d has %d at least; set it to sizeof(orthant_options)", o.structSize, ABI, first)
	}
	if o.patience != 0 && (o.progress != 0 || o.cancel != nil) {
		return errors.New("options: progress and cancel are for calls that wait; a task in the background is followed by orthant_wait and ended by orthant_cancel")
	}
	return nil
}

// start runs a task, or lets it continue in the background if the options say so.
func start(w work, o *options) (*result, error) {
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
func follow(w work, o *options) *result {
	if o == nil || o.progress == 0 && o.cancel == nil {
		return carryOut(w)
	}
	var stopped func() bool
	if o.cancel != nil {
		flag := o.cancel
		stopped = func() bool { return atomic.LoadInt32(flag) != 0 }
		if stopped() {
			return carryOut(canceled)
		}
	}
	var report func(engine.Progress) bool
	if o.progress != 0 {
		progress, user := o.progress, o.user
		report = func(p engine.Progress) bool { return Caller.Tell(progress, user, p.Phase, p.Done) == 0 }
	}
	r := begin(w)
	r.follow(stopped, report)
	return r
}

// stillAtWork is the outcome of a task that still runs.
var stillAtWork = &failure{statusBusy, "still at work"}

// canceled is the work of a call whose flag was set before it began.
func canceled(context.Context, func(engine.Progress)) (*made, error) { return nil, context.Canceled }

// milliseconds is a time to wait; a value that would overflow means for ever.
func milliseconds(limit int64) time.Duration {
	const longest = 1 << 40
	return time.Duration(min(max(limit, 0), longest)) * time.Millisecond
}

func callWait(s slots) error {
	r, err := find[*result](s.handle(0))
	if err != nil {
		return err
	}
	over := r.wait(milliseconds(s.number(1)))
	p := r.standing()
	if share := at[float64](s, 2); share != nil {
		*share = p.Done
	}
	s.said(3).put(p.Phase)
	if !over {
		return stillAtWork
	}
	return r.err
}

// arrayNamed is the array that the first two arguments name.
func (s slots) arrayNamed() (a array, name string, err error) {
	r, err := find[*result](s.handle(0))
	if err != nil {
		return a, "", err
	}
	name, given := s.given(1)
	if !given {
		return a, "", errors.New("the name of the array is NULL")
	}
	a, err = r.array(name)
	return a, name, err
}

func callShape(s slots) error {
	a, _, err := s.arrayNamed()
	if err != nil {
		return err
	}
	if rows := at[int64](s, 2); rows != nil {
		*rows = int64(a.rows)
	}
	if cols := at[int64](s, 3); cols != nil {
		*cols = int64(a.cols)
	}
	if kind := at[int32](s, 4); kind != nil {
		*kind = a.kind()
	}
	return nil
}

func callCopy(s slots) error {
	a, name, err := s.arrayNamed()
	if err != nil {
		return err
	}
	to := at[view](s, 2)
	if to == nil {
		return errors.New("the buffer is NULL")
	}
	return a.copyTo(*to, name)
}

func callNumber(s slots) error {
	r, err := find[*result](s.handle(0))
	if err != nil {
		return err
	}
	name, given := s.given(1)
	to := at[float64](s, 2)
	if !given || to == nil {
		return errors.New("the name or the place of the number is NULL")
	}
	v, err := r.number(name)
	if err == nil {
		*to = v
	}
	return err
}

func callSave(s slots) error {
	m, err := find[*model](s.handle(0))
	if err != nil {
		return err
	}
	path, given := s.given(1)
	if !given {
		return errNoPath
	}
	return m.save(path)
}

var errNoPath = errors.New("the path is NULL")

func callLoad(s slots) error {
	path, given := s.given(0)
	if !given {
		return s.keeping(1, "model", (*model)(nil), errNoPath)
	}
	m, err := load(path)
	return s.keeping(1, "model", m, err)
}

func callSaveBytes(s slots) error {
	m, err := find[*model](s.handle(0))
	if err != nil {
		return err
	}
	b, err := m.bytes()
	if err != nil {
		return err
	}
	buffer, size, needed := at[byte](s, 1), uint64(s.number(2)), at[uintptr](s, 3)
	if needed != nil {
		*needed = uintptr(len(b))
	}
	switch {
	case buffer != nil && size >= uint64(len(b)):
		copy(unsafe.Slice(buffer, len(b)), b)
	case size != 0 || buffer != nil:
		return fmt.Errorf("the buffer has %d bytes where the model takes %d", size, len(b))
	case needed == nil:
		return errors.New("both the buffer and needed are NULL")
	}
	return nil
}

func callLoadBytes(s slots) error {
	bytes, size := at[byte](s, 0), s.number(1)
	if bytes == nil || size == 0 {
		return s.keeping(2, "model", (*model)(nil), errors.New("there are no bytes to read a model from"))
	}
	m, err := loadBytes(unsafe.Slice(bytes, int(size)))
	return s.keeping(2, "model", m, err)
}

// callRuns factorises one matrix many times.
func callRuns(s slots) error {
	return s.begun(6, func(o *options) (work, error) {
		method, given := s.given(0)
		if !given {
			return nil, errNoMethod
		}
		const most = 1 << 20
		list, count := at[int64](s, 1), s.number(2)
		if list == nil || count < 1 || count > most || uintptr(unsafe.Pointer(list))%8 != 0 {
			return nil, fmt.Errorf("%d ranks at %p; give at least one, aligned to 8 bytes", count, list)
		}
		g, err := givenBy(s.number(3), s, 4, at[view](s, 5), o)
		if err != nil {
			return nil, err
		}
		g.method = method
		return g.factorizeRuns(unsafe.Slice(list, int(count)))
	})
}

// callConsensus combines the runs of one rank.
func callConsensus(s slots) error {
	return s.begun(4, func(o *options) (work, error) {
		of := at[components](s, 2)
		if of == nil {
			return nil, errors.New("the components are NULL; give the components of all runs of the rank")
		}
		if size := unsafe.Sizeof(*of); of.structSize < size {
			return nil, fmt.Errorf("the components: struct_size is %d where version %d has %d; set it to sizeof(orthant_components)", of.structSize, ABI, size)
		}
		g, err := givenBy(s.number(0), s, 1, at[view](s, 3), o)
		if err != nil {
			return nil, err
		}
		return g.consensus(componentsGiven{components: kept(of.components), labelsOfRuns: kept(of.labels), levelsInFull: kept(of.levels), levelsCSR: kept(of.levelsCsr)})
	})
}

// callEvaluate computes a measure.
func callEvaluate(s slots) error {
	return s.begun(3, func(o *options) (work, error) {
		metric, given := s.given(0)
		if !given {
			return nil, errors.New("the metric is NULL; give its name")
		}
		q, err := evaluationOf(at[measure](s, 2))
		if err != nil {
			return nil, err
		}
		if err := following(o); err != nil {
			return nil, err
		}
		var object []byte
		if said, there := s.given(1); there {
			object = []byte(said)
		}
		return q.evaluate(metric, object)
	})
}

// evaluationOf reads an orthant_evaluation.
func evaluationOf(of *measure) (q evaluation, err error) {
	if of == nil {
		return q, errors.New("the evaluation is NULL; give what is to be measured")
	}
	if size := unsafe.Sizeof(*of); of.structSize < size {
		return q, fmt.Errorf("the evaluation: struct_size is %d where version %d has %d; set it to sizeof(orthant_evaluation)", of.structSize, ABI, size)
	}
	q = evaluation{matrices: map[string]*view{}, classes: map[string][]int64{}}
	for name, x := range map[string]*view{"in": of.x, "embedding": of.embedding, "truth": of.truth, "w": of.w, "h": of.h} {
		if x != nil {
			q.matrices[name] = kept(x)
		}
	}
	if err := q.classesOf("labels", of.labels, of.labelsCount); err != nil {
		return q, err
	}
	return q, q.classesOf("predicted", of.predicted, of.predictedCount)
}

func (q evaluation) classesOf(name string, list unsafe.Pointer, count int64) error {
	if list == nil && count == 0 {
		return nil
	}
	if list == nil || count < 1 || count > math.MaxInt32 || uintptr(list)%8 != 0 {
		return fmt.Errorf("the evaluation: %d %s at %p; give one for each sample, aligned to 8 bytes, or neither", count, name, list)
	}
	q.classes[name] = unsafe.Slice((*int64)(list), int(count))
	return nil
}
