package library

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Lists and graphs by every metric hold the distances of the metric, of dense and of sparse
// samples.
func TestNeighborsByMetricAndRadius(t *testing.T) {
	const n, m = 40, 5
	x := make([]float64, n*m)
	ptr, cols, vals := []int32{0}, []int32{}, []float64{}
	for i := range n {
		for j := range m {
			if v := 1.5 + math.Round(2*math.Sin(float64(2*i+5*j)))/2; (i+j)%4 != 1 {
				x[i*m+j], cols, vals = v, append(cols, int32(j)), append(vals, v)
			}
		}
		ptr = append(ptr, int32(len(cols)))
	}
	sum := func(i, j int, f func(u, v float64) float64) (s float64) {
		for c := range m {
			s += f(x[i*m+c], x[j*m+c])
		}
		return s
	}
	for metric, c := range map[string]struct {
		radius float64
		sparse bool
		of     func(i, j int) float64
	}{
		"manhattan": {2.7, false, func(i, j int) float64 { return sum(i, j, func(u, v float64) float64 { return math.Abs(u - v) }) }},
		"hamming": {0.5, true, func(i, j int) float64 {
			return sum(i, j, func(u, v float64) float64 {
				if u != v {
					return 1. / m
				}
				return 0
			})
		}},
		"cosine": {0.21, true, func(i, j int) float64 {
			dot := func(i, j int) float64 { return sum(i, j, func(u, v float64) float64 { return u * v }) }
			return 1 - dot(i, j)/math.Sqrt(dot(i, i)*dot(j, j))
		}},
		"euclidean": {2.1, true, func(i, j int) float64 {
			return math.Sqrt(sum(i, j, func(u, v float64) float64 { return (u - v) * (u - v) }))
		}},
	} {
		forms := []given{{x: viewing(x, n, m, m, typeFloat64)}}
		if c.sparse {
			forms = append(forms, given{compressed: csrNarrow(n, m, ptr, cols, vals)})
		}
		for _, g := range forms {
			g.count, g.parameters = 4, []byte(`{"metric": "`+metric+`"}`)
			k := do(t, "neighbors", g)
			if r := k.report(); r["metric"] != metric || r["most_neighbors"] != 4 || r["sparse"] != (g.compressed != nil) {
				t.Errorf("%s: reported %v", metric, r)
			}
			for p, j := range k.arrays["indices"].integers {
				if got, want := k.arrays["distances"].numbers[p], c.of(p/4, int(j)); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%s: row %d has %v at %v, want %v", metric, p/4, j, got, want)
				}
			}
			g.count, g.parameters = 0, fmt.Appendf(nil, `{"metric": %q, "radius": %v}`, metric, c.radius)
			r := do(t, "neighbors", g)
			indptr, indices, far := r.arrays["graph_indptr"].integers, r.arrays["graph_indices"].integers, r.arrays["graph_data"].numbers
			if r.arrays["indices"].rows != 0 || len(indptr) != n+1 || float64(len(far)) != r.numbers["edges"] {
				t.Fatalf("%s: the arrays are %v", metric, r.arrays)
			}
			for i := range n {
				row := indices[indptr[i]:indptr[i+1]]
				if !slices.IsSorted(row) {
					t.Fatalf("%s: row %d lists %v", metric, i, row)
				}
				for j := range n {
					at, listed := slices.BinarySearch(row, int64(j))
					want := c.of(i, j)
					if listed != (i != j && want <= c.radius) || listed && math.Abs(far[int(indptr[i])+at]-want) > 1e-12 {
						t.Fatalf("%s: row %d, column %d is %v away, listed %v", metric, i, j, want, listed)
					}
				}
			}
		}
	}
	v, a := viewing(x, n, m, m, typeFloat64), csrNarrow(n, m, ptr, cols, vals)
	for _, c := range []struct {
		g    given
		says string
	}{
		{given{x: v, count: 3, parameters: []byte(`{"radius": 1}`)}, "k is 3 together with a radius"},
		{given{x: v, parameters: []byte(`{"radius": -1}`)}, "radius is -1; give a finite number"},
		{given{x: v, parameters: []byte(`{"radius": "inf"}`)}, "radius is inf; give a finite number"},
		{given{x: v, parameters: []byte(`{"radius": 1, "method": "approximate"}`)}, "found exactly"},
		{given{x: v, count: 3, parameters: []byte(`{"metric": "cosin"}`)}, `did you mean "cosine"?`},
		{given{compressed: a, count: 3, parameters: []byte(`{"metric": "haversine"}`)}, "needs dense samples"},
	} {
		w, err := prepare(taskNumber("neighbors"), c.g)
		if err == nil {
			err = carryOut(w).err
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || statusOf(err) != statusInvalid {
			t.Errorf("%s: %v", c.g.parameters, err)
		}
	}
	// A limit that the lists do not fit in is a status of its own.
	many := waves(3000, 2)
	g := given{x: viewing(many, 3000, 2, 2, typeFloat64), parameters: []byte(`{"radius": 1e9}`)}
	w, err := prepare(taskNumber("neighbors"), given{x: g.x, parameters: fmt.Appendf(nil, `{"radius": 1e9, "memory": %d}`, memory.Process(0)+(8<<20))})
	if err == nil {
		err = carryOut(w).err
	}
	if statusOf(err) != statusNoMemory || !strings.Contains(err.Error(), "there are about 8997000 pairs") {
		t.Error(err)
	}
}

// Samples and queries in narrow types have the lists of their copy in float64, and are not
// copied where their rows have no gaps: a limit of memory below what a copy takes is accepted.
func TestNeighborsInTheTypeOfTheSamples(t *testing.T) {
	const n, m, k = 700, 40, 6
	wide, single, bytes := make([]float64, n*m), make([]float32, n*m), make([]uint8, n*m)
	half16, signed := make([]neighbors.Float16, n*m), make([]int8, n*m)
	for p := range wide {
		wide[p] = math.Round(64 + 60*math.Sin(float64(p*p%1009)))
		single[p], bytes[p], signed[p] = float32(wide[p]), uint8(wide[p]), int8(wide[p])
		half16[p] = neighbors.Float16(math.Float64bits(wide[p]*0x1p-1008) >> 42)
	}
	const half = n / 2
	for _, metric := range []string{"euclidean", "cosine", "manhattan"} {
		parameters := []byte(`{"metric": "` + metric + `"}`)
		want := do(t, "neighbors", given{x: viewing(wide, n, m, m, typeFloat64), count: k, parameters: parameters})
		gaps := do(t, "neighbors", given{x: viewing(wide, half, m, 2*m, typeFloat64), count: k, parameters: parameters})
		if got := want.report()["type"]; got != "float64" {
			t.Errorf("%s: reported type %v", metric, got)
		}
		for name, x := range map[string][2]view{
			"float32": {viewing(single, n, m, m, typeFloat32), viewing(single, half, m, 2*m, typeFloat32)},
			"uint8":   {viewing(bytes, n, m, m, typeUint8), viewing(bytes, half, m, 2*m, typeUint8)},
			"float16": {viewing(half16, n, m, m, typeFloat16), viewing(half16, half, m, 2*m, typeFloat16)},
			"int8":    {viewing(signed, n, m, m, typeInt8), viewing(signed, half, m, 2*m, typeInt8)},
		} {
			for at, want := range []*made{want, gaps} {
				got := do(t, "neighbors", given{x: x[at], count: k, parameters: parameters})
				if !slices.Equal(got.arrays["indices"].integers, want.arrays["indices"].integers) || !slices.Equal(got.arrays["distances"].numbers, want.arrays["distances"].numbers) {
					t.Errorf("%s, %s, gaps %d: differs from float64", metric, name, at)
				}
				if got.report()["type"] != name {
					t.Errorf("%s, %s: reported type %v", metric, name, got.report()["type"])
				}
			}
			full := viewing(wide, n, m, m, typeFloat64)
			queried, err := solved("nearest", problem{dense: &x[0], queriesDense: &x[1], count: k, parameters: parameters})
			other, otherErr := solved("nearest", problem{dense: &full, queriesDense: new(viewing(wide, half, m, 2*m, typeFloat64)), count: k, parameters: parameters})
			if err != nil || otherErr != nil || !slices.Equal(queried.made.arrays["distances"].numbers, other.made.arrays["distances"].numbers) {
				t.Errorf("%s, %s: queries differ from float64, %v, %v", metric, name, err, otherErr)
			}
		}
	}
	if _, err := prepare(taskNumber("embed"), given{method: "pca", count: 2, x: viewing(signed, n, m, m, typeInt8)}); err == nil || !strings.Contains(err.Error(), "its type is int8; give float64 or float32 or uint8") {
		t.Errorf("int8 for an embedding: %v", err)
	}
	x := viewing(bytes, n, m, m, typeUint8)
	limit := memory.Process(n*m + neighbors.MetricStoredBytes(x.stored(), k, neighbors.Euclidean, neighbors.Options{Threads: 1}))
	parameters := fmt.Appendf(nil, `{"threads": 1, "memory": %d}`, limit)
	do(t, "neighbors", given{x: x, count: k, parameters: parameters})
	if _, err := prepare(taskNumber("neighbors"), given{x: viewing(wide, n, m, m, typeFloat64), count: k, parameters: parameters}); statusOf(err) != statusNoMemory {
		t.Errorf("float64 within the limit of bytes: %v", err)
	}
}
