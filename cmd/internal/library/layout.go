package library

import (
	"errors"
	"unicode/utf8"
	"unsafe"

	"github.com/orthant-go/orthant/engine/wording"
)

// The structures of orthant.h, with its layout and, for the inputs of a call, the names of its fields; [view] is
// orthant_matrix and orthant_buffer, [csrView] is orthant_csr. A test compares them with the header.

// text is orthant_text: the caller's buffer for a text.
type text struct {
	data         *byte
	size, needed uintptr
}

// options is orthant_options.
type options struct {
	structSize     uintptr
	labels         unsafe.Pointer
	labelsCount    int64
	start          *view
	startH         *view
	progress, user uintptr
	cancel         *int32
	patience       int64
	samples        *csrView
	graph          *csrView
	graphIndices   *view
	graphDistances *view
	affinities     *csrView
	distances      *view
	targets        *view
	weights        *view
}

// products is orthant_operator.
type products struct {
	rows, cols     int64
	multiply, user uintptr
}

// components is orthant_components.
type components struct {
	structSize uintptr
	components *view
	labels     *view
	levels     *view
	levelsCsr  *csrView
}

// measure is orthant_evaluation.
type measure struct {
	structSize     uintptr
	x              *view
	embedding      *view
	truth          *view
	w, h           *view
	labels         unsafe.Pointer
	labelsCount    int64
	predicted      unsafe.Pointer
	predictedCount int64
}

// sized begins the inputs of a solver with their struct_size.
type sized struct{ structSize uintptr }

func (s *sized) size() uintptr { return s.structSize }

// The inputs of the solvers, orthant_eigsh_problem and so on.
type (
	eigshProblem struct {
		sized
		a           *csrView
		aDense      *view
		aProducts   *products
		m           *csrView
		mDense      *view
		nullVectors *view
		start       *view
	}
	largestProblem struct {
		sized
		a         *csrView
		aDense    *view
		aProducts *products
	}
	svdsProblem   largestProblem
	factorProblem struct {
		sized
		a      *csrView
		aDense *view
	}
	pathsProblem struct {
		sized
		graph        *csrView
		sources      unsafe.Pointer
		sourcesCount int64
	}
	graphProblem struct {
		sized
		graph *csrView
	}
	lloydProblem struct {
		sized
		samples      *csrView
		samplesDense *view
		weights      *view
		centers      *view
		draws        *view
	}
	nearestProblem struct {
		sized
		samples      *csrView
		samplesDense *view
		queries      *csrView
		queriesDense *view
	}
)

// kept returns a copy of the caller's structure, which may be gone before the task has ended; nil: none.
func kept[T view | csrView](x *T) *T {
	if x == nil {
		return nil
	}
	v := *x
	return &v
}

// worded is the text of an error, with the words of parameters.
func worded(err error) string {
	if err == nil {
		return ""
	}
	return wording.Error(err, wording.Arguments)
}

// put writes as much of a text as fits, cut between characters.
func (to *text) put(said string) {
	if to == nil {
		return
	}
	to.needed = uintptr(len(said) + 1)
	if to.data == nil || to.size == 0 {
		return
	}
	room := int(min(uint64(to.size), uint64(len(said)+1)))
	end := room - 1
	for end > 0 && end < len(said) && !utf8.RuneStart(said[end]) {
		end--
	}
	buffer := unsafe.Slice(to.data, room)
	copy(buffer, said[:end])
	buffer[end] = 0
}

// answer writes a requested text.
func (to *text) answer(said string, err error) error {
	if err == nil && to == nil {
		err = errors.New("there is no place for the text (NULL)")
	}
	if err == nil {
		to.put(said)
	}
	return err
}

// goString is a text of C up to its NUL; empty: NULL.
func goString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
