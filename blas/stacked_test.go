package blas

import (
	"fmt"
	"math"
	"testing"
)

// stackedRows are sparse rows with counts, some of them empty, in all three storages.
func stackedRows(rows, cols int, seed uint64) map[string]Entries {
	s := NewStream(seed)
	ptr := []int{0}
	var wide []int32
	var near []uint16
	var val []float64
	var short []float32
	for i := range rows {
		for j := range cols {
			if i%7 != 3 && s.Uniform() < 0.3 {
				v := float64(1 + s.Below(9))
				wide, near, val, short = append(wide, int32(j)), append(near, uint16(j)), append(val, v), append(short, float32(v))
			}
		}
		ptr = append(ptr, len(val))
	}
	return map[string]Entries{
		"wide": WideEntries(ptr, wide, val, cols), "near": NearEntries(ptr, near, val, nil, cols), "short": NearEntries(ptr, near, nil, short, cols),
	}
}

func TestProductsOfEntriesAreChains(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		const rows, cols, ldx, ldy = 23, 31, 40, 37
		x := random(cols*ldx, 2)
		for name, e := range stackedRows(rows, cols, 1) {
			for columns := 8; columns <= StackWidth; columns += 8 {
				for _, add := range []bool{false, true} {
					got := random((rows-4)*ldy, 3)
					want := append([]float64(nil), got...)
					e.Products(2, rows-2, columns, x, ldx, got, ldy, add)
					for i := 2; i < rows-2; i++ {
						to := want[(i-2)*ldy : (i-2)*ldy+columns]
						if !add {
							clear(to)
						}
						for p := e.ptr[i]; p < e.ptr[i+1]; p++ {
							j, v := e.entry(p)
							Axpy(v, x[j*ldx:j*ldx+columns], to)
						}
					}
					for q, v := range want {
						if got[q] != v {
							t.Fatalf("%s, %d columns, add %v: number %d is %v, want %v", name, columns, add, q, got[q], v)
						}
					}
				}
			}
		}
	})
}

// Parts of a row, added one after the other, have the bits of the whole row.
func TestPartsOfEntriesAreTheWhole(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		const rows, cols, ldx = 23, 31, 40
		x := random(cols*ldx, 2)
		for name, e := range stackedRows(rows, cols, 1) {
			for columns := 8; columns <= StackWidth; columns += 8 {
				for i := range rows {
					got := random(columns+1, 3)
					want := append([]float64(nil), got...)
					e.Products(i, i+1, columns, x, ldx, want, columns, true)
					cut := (e.ptr[i] + e.ptr[i+1]) / 2
					e.AddPart(e.ptr[i], cut, columns, x, ldx, got)
					e.AddPart(cut, e.ptr[i+1], columns, x, ldx, got)
					for q, v := range want {
						if got[q] != v {
							t.Fatalf("%s, %d columns, row %d: number %d is %v, want %v", name, columns, i, q, got[q], v)
						}
					}
				}
			}
		}
	})
}

func TestQuotientsOfEntries(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		needFMA(t)
		const rows, cols = 19, 26
		for name, e := range stackedRows(rows, cols, 4) {
			for rank := 1; rank <= 9; rank++ {
				ld := rank * StackLanes
				a, b, got := random((rows-3)*ld, 5), random(cols*ld, 6), random((rows-3)*ld, 7)
				for i := range ld { // of one row all products vanish, so that the floor is met
					b[3*ld+i] = 0
				}
				before := append([]float64(nil), got...)
				e.AddQuotients(1, rows-2, rank, a, b, got)
				for i := 1; i < rows-2; i++ {
					for l := range StackLanes {
						sums := make([]float64, rank)
						for p := e.ptr[i]; p < e.ptr[i+1]; p++ {
							j, v := e.entry(p)
							var model float64
							for k := range rank {
								model += a[(i-1)*ld+k*StackLanes+l] * b[j*ld+k*StackLanes+l]
							}
							for k := range rank {
								sums[k] += v / math.Max(model, 1e-16) * b[j*ld+k*StackLanes+l]
							}
						}
						for k, v := range sums {
							at := (i-1)*ld + k*StackLanes + l
							if want := before[at] + v; math.Abs(got[at]-want) > 1e-9*(1+math.Abs(want)) {
								t.Fatalf("%s, rank %d, row %d, lane %d: number %d is %v, want %v", name, rank, i, l, k, got[at], want)
							}
						}
					}
				}
			}
		}
	})
}

// Every instruction level gives the same bits.
func TestQuotientsOfEntriesByLevel(t *testing.T) {
	needFMA(t)
	const rows, cols, rank = 40, 30, 7
	ld := rank * StackLanes
	var first []float64
	everyLevel(t, func(t *testing.T) {
		e := stackedRows(rows, cols, 8)["short"]
		a, b, got := random(rows*ld, 9), random(cols*ld, 10), make([]float64, rows*ld)
		for i, v := range a {
			a[i] = math.Abs(v)
		}
		for i, v := range b {
			b[i] = math.Abs(v)
		}
		e.AddQuotients(0, rows, rank, a, b, got)
		if first == nil {
			first = got
		}
		for i, v := range first {
			if got[i] != v {
				t.Fatalf("number %d is %v, want %v", i, got[i], v)
			}
		}
	})
}

func TestEntriesRefuseWhatLiesOutside(t *testing.T) {
	for name, make := range map[string]func(){
		"column":      func() { WideEntries([]int{0, 1}, []int32{3}, []float64{1}, 3) },
		"near column": func() { NearEntries([]int{0, 1}, []uint16{3}, []float64{1}, nil, 3) },
		"pointer":     func() { NearEntries([]int{0, 2}, []uint16{1}, []float64{1}, nil, 3) },
		"descending":  func() { NearEntries([]int{1, 0}, []uint16{1}, []float64{1}, nil, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			make()
		}()
	}
}

func BenchmarkProductsOfEntries(b *testing.B) {
	const rows, cols = 1024, 2000
	for name, e := range stackedRows(rows, cols, 1) {
		x, y := random(cols*StackWidth, 2), make([]float64, rows*StackWidth)
		b.Run(fmt.Sprintf("%s/%d", name, StackWidth), func(b *testing.B) {
			for b.Loop() {
				e.Products(0, rows, StackWidth, x, StackWidth, y, StackWidth, false)
			}
			b.ReportMetric(float64(b.N)*2*StackWidth*float64(len(e.val)+len(e.short))/b.Elapsed().Seconds()/1e9, "Gflop/s")
		})
		x, y = random(cols*40, 2), make([]float64, rows*40)
		b.Run(name+"/quotients", func(b *testing.B) {
			a := random(rows*40, 3)
			for b.Loop() {
				e.AddQuotients(0, rows, 10, a, x, y)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/4/float64(max(len(e.val), len(e.short))), "ns/entry")
		})
	}
}
