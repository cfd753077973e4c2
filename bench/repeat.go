package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
)

// measured is what one repeat measured, as it is written and sent.
type measured struct {
	Seconds    engine.Seconds       `json:"seconds"`
	CPUSeconds engine.Seconds       `json:"cpu_seconds"`
	PeakBytes  int64                `json:"peak_rss_bytes,omitempty"`
	Samples    int                  `json:"samples,omitempty"`
	Features   int                  `json:"features,omitempty"`
	DataHash   string               `json:"data_hash,omitempty"`
	Backend    string               `json:"backend,omitempty"`
	ISA        string               `json:"isa,omitempty"`
	Quality    map[string]float64   `json:"quality,omitempty"`
	Series     map[string][]float64 `json:"series,omitempty"`
	Note       string               `json:"note,omitempty"`
}

// repeat is one line of the journal.
type repeat struct {
	Key     string `json:"key"`
	Suite   string `json:"suite"`
	Case    string `json:"case"`
	Number  int    `json:"repeat"` // from 1
	Started string `json:"started"`
	measured
	Pictures map[string]string `json:"pictures,omitempty"` // files next to the journal
	Signs    signs             `json:"signs"`
}

// Cost is wall and processor time in seconds.
type Cost struct {
	Wall float64 `json:"wall"`
	CPU  float64 `json:"cpu"`
}

// started is when the program was: wall times are counted from here.
var started = time.Now()

// CostSoFar is the cost of this process and of the children it has waited for.
func CostSoFar() Cost {
	own, children := ProcessorSeconds()
	return Cost{time.Since(started).Seconds(), own + children}
}

// Sub returns what c is beyond d.
func (c Cost) Sub(d Cost) Cost { return Cost{c.Wall - d.Wall, c.CPU - d.CPU} }

// ThreadCount is the number of threads that a case is to use.
func (c *Case) ThreadCount() int { return max(1, c.Threads) }

// FirstRepeat says whether this is the first repeat of a case: what comes out
// the same every time, such as the quality of a result, need be measured only
// then.
func (c *Case) FirstRepeat() bool { return c.number <= 1 }

// runHere runs one repeat of a case in this process, and fills in the times
// where the case left them empty. A panic is an error of the case.
func runHere(ctx context.Context, e *Env, c *Case) (out *Outcome, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(c.ThreadCount(), runtime.NumCPU())))
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("panic: %v at %s", p, whereOf(debug.Stack()))
		}
	}()
	collect()
	before := CostSoFar()
	out, err = c.Run(ctx, e, c)
	took := CostSoFar().Sub(before)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, fmt.Errorf("the case gave no outcome")
	}
	if out.Seconds == nil {
		out.Seconds = engine.Seconds{}
	}
	if out.CPUSeconds == nil {
		out.CPUSeconds = engine.Seconds{}
	}
	_, timed := out.Seconds["total"]
	if !timed {
		out.Seconds["total"] = took.Wall - out.aside.Wall
	}
	if _, counted := out.CPUSeconds["total"]; !counted && !timed {
		out.CPUSeconds["total"] = took.CPU - out.aside.CPU
	}
	if c.Fresh && out.PeakBytes == 0 {
		out.PeakBytes = memory.Peak()
	}
	return out, nil
}

// littleGarbage is what a repeat may find: collecting it costs half a millisecond
// and would change nothing.
const littleGarbage = 1 << 20

// collect frees what others left behind, which is not the next repeat's to do.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Kind() != metrics.KindUint64 || heap[1].Value.Kind() != metrics.KindUint64 ||
		heap[0].Value.Uint64() > heap[1].Value.Uint64()+littleGarbage {
		runtime.GC()
	}
}

// whereOf finds the function that panicked.
func whereOf(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "panic(") })
	if at < 0 || at+3 >= len(lines) {
		return "an unknown place"
	}
	file, _, _ := strings.Cut(strings.TrimSpace(lines[at+3]), " ")
	return file[strings.LastIndexByte(file, '/')+1:]
}

// plain returns what JSON can hold of an outcome; numbers that are not finite
// are left out, and the note says so.
func (out *Outcome) plain() measured {
	m := measured{
		Seconds: out.Seconds, CPUSeconds: out.CPUSeconds, PeakBytes: out.PeakBytes,
		Samples: out.Samples, Features: out.Features, DataHash: out.DataHash, Backend: out.Backend, ISA: out.ISA, Note: out.Note,
	}
	leftOut := func(what string) {
		m.Note = strings.TrimSpace(m.Note + " " + what + " was not finite and is left out.")
	}
	for name, v := range out.Quality {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			leftOut(name)
			continue
		}
		if m.Quality == nil {
			m.Quality = map[string]float64{}
		}
		m.Quality[name] = v
	}
	for name, values := range out.Series {
		if slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			leftOut("the series " + name)
			continue
		}
		if m.Series == nil {
			m.Series = map[string][]float64{}
		}
		m.Series[name] = values
	}
	return m
}

// maxDrawn bounds the points of a picture that are kept: more cannot be
// distinguished on a page.
const maxDrawn = 20000

// matrix lays a picture out as it is kept: two columns, or the one there is, and
// one more for the colour or the class. Of more than maxDrawn points every so
// manieth is kept; points that are not finite are left out.
func (p *Picture) matrix() (*mat.Dense, error) {
	if p.Images != nil {
		return p.imageMatrix()
	}
	if p.Points == nil {
		return nil, fmt.Errorf("a picture without points")
	}
	n, cols := p.Points.Dims()
	cols = min(cols, 2)
	if p.Color != nil && len(p.Color) != n || p.Labels != nil && len(p.Labels) != n {
		return nil, fmt.Errorf("a picture of %d points with %d colours and %d labels", n, len(p.Color), len(p.Labels))
	}
	width := cols
	if p.Color != nil || p.Labels != nil {
		width++
	}
	var data []float64
	for i := 0; i < n; i += 1 + (n-1)/maxDrawn {
		row := slices.Clone(p.Points.RawRowView(i)[:cols])
		if p.Color != nil {
			row = append(row, p.Color[i])
		} else if p.Labels != nil {
			row = append(row, float64(p.Labels[i]))
		}
		if !slices.ContainsFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			data = append(data, row...)
		}
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("a picture without finite points")
	}
	return mat.NewDense(len(data)/width, width, data), nil
}

// LongCaseThreads is how many threads cases use that take minutes.
const LongCaseThreads = 2
