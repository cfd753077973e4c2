package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/sparse"
)

// chain is the matrix of affinities of a chain of n samples, of that size.
func chain(n int, size float64) *sparse.CSR {
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: []int{0}}
	for i := range n {
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < n {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, size)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

// Affinities of any size give what ordinary ones do, or the error names the remedy.
func TestAffinitiesOfAnySize(t *testing.T) {
	x, labels := ordinaryData()
	n, _ := x.Dims()
	type found struct {
		y      []float64
		values []float64
	}
	for _, entry := range Methods() {
		for _, task := range entry.Tasks {
			r := method.AtDefaults(named(t, entry.Name))
			if task == "select" || !r.Affine(task) {
				continue
			}
			run := func(size float64) (f found, err error) {
				m, o := named(t, entry.Name), Options{Affinities: chain(n, size), Labels: labels, Threads: 1}
				switch task {
				case "embed":
					_ = Set(m, "dim", "2")
					got, err := Embed(context.Background(), x, m, o)
					if err != nil {
						return f, err
					}
					return found{got.Y.RawMatrix().Data, got.Values}, nil
				case "cluster":
					got, err := Cluster(context.Background(), x, m, ClusterOptions{Clusters: 2, Options: o})
					if err != nil {
						return f, err
					}
					for _, l := range got.Labels {
						f.y = append(f.y, float64(l))
					}
					return f, nil
				}
				got, err := Factorize(context.Background(), x, m, FactorizeOptions{Rank: 2, Options: o})
				if err != nil {
					return f, err
				}
				return found{got.W.RawMatrix().Data, nil}, nil
			}
			want, err := run(1)
			if err != nil {
				t.Errorf("%s %s: %v", task, entry.Name, err)
				continue
			}
			if _, err := run(0x1p-40); err != nil {
				t.Errorf("%s %s by affinities of 2⁻⁴⁰: %v", task, entry.Name, err)
			}
			for _, size := range []float64{0x1p1022, 0x1p1000, 0x1p600, 0x1p-600, 0x1p-1000, 5e-324} {
				what := fmt.Sprintf("%s %s by affinities of %g", task, entry.Name, size)
				began := time.Now()
				got, err := run(size)
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("%s took %v", what, took)
				}
				if err != nil {
					if !strings.Contains(err.Error(), "the affinities by 1e") {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				unit := math.Sqrt(size) // of 1/y by YᵀDY = I
				if task == "cluster" {
					unit = 1
				}
				for i, v := range want.y {
					if math.Abs(got.y[i]*unit-v) > 1e-9 {
						t.Errorf("%s: %v, want %v", what, got.y[:4], want.y[:4])
						break
					}
				}
			}
		}
	}
}
