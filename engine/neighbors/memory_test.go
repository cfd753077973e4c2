package neighbors

import (
	"context"
	"runtime"
	"runtime/debug"
	gauges "runtime/metrics"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// liveIn runs a search and returns the most bytes that were live in its course in addition to those before: the
// collector runs all the time.
func liveIn(t *testing.T, search func() error) int64 {
	t.Helper()
	live := func() int64 {
		runtime.GC()
		s := []gauges.Sample{{Name: "/gc/heap/live:bytes"}}
		gauges.Read(s)
		return int64(s[0].Value.Uint64())
	}
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	live()
	before := live()
	var most int64
	ended, seen := make(chan bool), make(chan bool)
	go func() {
		defer close(seen)
		for {
			most = max(most, live())
			select {
			case <-ended:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	}()
	err := search()
	close(ended)
	<-seen
	if err != nil {
		t.Fatal(err)
	}
	return most - before
}

// No search holds more than its estimate, in any type and by any method, and no copy in
// float64 is made of narrow samples where products find the neighbours.
func TestStoredMemoryIsAPromise(t *testing.T) {
	if testing.Short() {
		t.Skip("collects all the time")
	}
	const n, k, threads = 6000, 10, 2
	const slack = 1 << 20 // of small things, and of what is rounded up
	single := func(v float64) float32 { return float32(v) }
	bytes := func(v float64) uint8 { return uint8(128 + 30*v) }
	for name, c := range map[string]struct {
		m     int
		how   method
		in    func(Points) *Stored
		lists bool
	}{
		"float64 by numbers":         {300, blocked, Points.Stored, false},
		"float32 by numbers":         {300, blocked, func(x Points) *Stored { return into(x, single) }, false},
		"float32 by codes":           {300, coded, func(x Points) *Stored { return into(x, single) }, false},
		"bytes by codes":             {300, coded, func(x Points) *Stored { return into(x, bytes) }, false},
		"float32 by a tree":          {5, tree, func(x Points) *Stored { return into(x, single) }, false},
		"lists of float32 by a tree": {5, tree, func(x Points) *Stored { return into(x, single) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			x, o := c.in(sources["normal"](n, c.m)), Options{Threads: threads, method: c.how, ListsOnly: c.lists}
			promised := ExactStoredBytes(x, k, o) + slack
			live := liveIn(t, func() error {
				_, err := ExactStored(context.Background(), x, k, o)
				return err
			})
			if live > promised || promised > 3*live+slack {
				t.Errorf("%d KiB live, %d promised", live>>10, promised>>10)
			}
			if copied := int64(8 * n * c.m); x.narrow != nil && c.how != tree && live > copied+(4*n+blockRows*blockRows)*8*threads {
				t.Errorf("%d KiB live, where a copy would take %d", live>>10, copied>>10)
			}
			runtime.KeepAlive(x)
		})
	}
}

func TestMemoryOfQueriesIsAPromise(t *testing.T) {
	if testing.Short() {
		t.Skip("collects all the time")
	}
	const n, count, k, threads, slack = 2500, 400, 10, 2, 1 << 20
	for _, m := range []int{5, 160} {
		x := into(sources["normal"](n, m), func(v float64) float32 { return float32(v) })
		full := mat.NewDense(n, m, x.Points().Data)
		y := into(sources["two scales"](count, m), func(v float64) float32 { return float32(v) })
		a, err := compressedRows(into(sources["grid"](n, m), bytesOf))
		if err != nil {
			t.Fatal(err)
		}
		for _, reference := range []mat.Matrix{x, full, a} {
			for _, metric := range []Metric{Euclidean, Cosine, Manhattan} {
				nearest := liveIn(t, func() error {
					_, err := NearestOf(context.Background(), reference, y, k, metric, Options{Threads: threads})
					return err
				})
				if promised := OfQueriesBytes(reference, y, k, threads, metric) + slack; nearest > promised || promised > 4*nearest+8*slack {
					t.Errorf("%T, %d columns, %s: %d KiB live, %d promised", reference, m, metric, nearest>>10, promised>>10)
				}
				within := liveIn(t, func() error {
					_, err := WithinOf(context.Background(), reference, y, 1e-6, metric, WithinOptions{Options: Options{Threads: threads}})
					return err
				})
				if promised := OfQueriesBytes(reference, y, 0, threads, metric) + slack; within > promised || promised > 4*within+8*slack {
					t.Errorf("%T, %d columns, %s: %d KiB live within a radius, %d promised", reference, m, metric, within>>10, promised>>10)
				}
			}
		}
		runtime.KeepAlive(full)
	}
}

func bytesOf(v float64) uint8 { return uint8(v) }
