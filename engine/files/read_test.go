package files

import (
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// A file of float32 is read as it is, others are left alone.
func TestReadSingle(t *testing.T) {
	x := randomMatrix(70, 9)
	for name, o := range map[string]Options{"x.npy": {}, "x.csv": {}, "x.npy.gz": {Float32: true}} {
		if _, _, _, is, err := ReadSingle(written(t, x, name, o), Options{}); is || err != nil {
			t.Errorf("%s: %v, %v", name, is, err)
		}
	}
	path := written(t, x, "x.npy", Options{Float32: true})
	rows, cols, data, is, err := ReadSingle(path, Options{})
	if !is || err != nil || rows != 70 || cols != 9 {
		t.Fatalf("%d × %d, %v, %v", rows, cols, is, err)
	}
	for p, v := range x.RawMatrix().Data {
		if float64(data[p]) != v {
			t.Fatalf("entry %d is %v, not %v", p, data[p], v)
		}
	}
	if _, _, _, _, err := ReadSingle(path, Options{MaxBytes: 1000}); !IsTooLarge(err) {
		t.Errorf("beyond the limit: %v", err)
	}
	raw := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, raw[:len(raw)-4], 0o600))
	if _, _, _, is, err := ReadSingle(path, Options{}); is || err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("truncated: %v, %v", is, err)
	}
	bad := mat.DenseCopyOf(x)
	bad.Set(4, 2, math.NaN())
	must.Refuse(t, "row 5, column 3")(ReadSingle(written(t, bad, "b.npy", Options{Float32: true, AllowNonFinite: true}), Options{}))
}
