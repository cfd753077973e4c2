package blas

import (
	"math"
	"testing"
)

func TestFixed40s(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		const n, unit = 131, 0.25
		f, s := NewFixed40s(n), NewStream(4)
		values := make([]float64, n)
		for q := range values {
			values[q] = float64(s.Below(1<<20)) * float64(s.Below(1<<19)) * unit
		}
		copy(values, []float64{0, (MaxFixed40 - 1) * unit, -3, 1e300, 0.3, math.Copysign(0, -1)})
		f.Set(0, 1/unit, values[:50])
		f.Set(50, 1/unit, values[50:])
		want := append([]float64(nil), values...)
		want[2], want[3], want[4] = 0, (MaxFixed40-1)*unit, 0.25
		for from := range 9 {
			got := make([]float64, n-from)
			f.Read(from, got)
			for q, v := range got {
				if v*unit != want[from+q] {
					t.Fatalf("from %d: number %d is %v, want %v", from, q, v*unit, want[from+q])
				}
			}
		}
	})
}
