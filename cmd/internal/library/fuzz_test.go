package library

import (
	"testing"
	"time"
)

// Whatever the parameters are, they are taken or refused: nothing panics.
func FuzzParameters(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"neighbors": 5, "dim": 1}`, `{"lambda": -1e308, "model": "try"}`, `{"seed": 18446744073709551615, "threads": 1}`,
		`{"components": "each", "landmarks": 3, "duplicates": "merge"}`, `{"recall": 1e-9, "neighbors_method": "approximate"}`, `{"dim": 9223372036854775807}`, `{"gamma": 1e-320}`, `[{"`} {
		for task := range tasks[:4] {
			f.Add(task, "lle", seed)
			f.Add(task, "nmf", seed)
			f.Add(task, "kmeans", seed)
		}
	}
	x := waves(24, 3)
	for i := range x {
		x[i] += 2
	}
	f.Fuzz(func(t *testing.T, task int, method, parameters string) {
		if task < 0 || task > 3 || len(parameters) > 200 {
			t.Skip()
		}
		w, err := prepare(task, given{method: method, parameters: []byte(parameters), count: 2, x: viewing(x, 24, 3, 3, typeFloat64)})
		if err != nil {
			if statusOf(err) == statusInternal {
				t.Fatal(err)
			}
			return
		}
		r := begin(w)
		if !r.wait(time.Second) { // many iterations are no mistake
			r.cancel()
			if !r.wait(20 * time.Second) {
				t.Fatal("cancelled, and still at work")
			}
		}
		if statusOf(r.err) == statusInternal {
			t.Fatal(r.err)
		}
	})
}
