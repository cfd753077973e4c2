package files

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

func TestReadLabels(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		name string
		file []byte
		want []int64
	}{
		{"y.npy", npyArray("<i4", "False", "(3,)", encoded(le, []int32{3, -1, 2})), []int64{3, -1, 2}},
		{"y.npy", npyArray(">i8", "False", "(3, 1)", encoded(binary.BigEndian, []int64{math.MinInt64, math.MaxInt64, 2})), []int64{math.MinInt64, math.MaxInt64, 2}},
		{"y.npy", npyArray("<i8", "True", "(1, 3)", encoded(le, []int64{1<<53 + 1, 0, 2})), []int64{1<<53 + 1, 0, 2}},
		{"y.npy", npyArray("|u1", "False", "(3,)", []byte{0, 255, 2}), []int64{0, 255, 2}},
		{"y.npy", npyArray("<u8", "False", "(2,)", encoded(le, []uint64{0, math.MaxInt64})), []int64{0, math.MaxInt64}},
		{"y.npy", npyArray("|b1", "False", "(3,)", []byte{0, 1, 1}), []int64{0, 1, 1}},
		{"y.npy", npyArray("<f4", "False", "(3,)", encoded(le, []float32{0, -1, 16777216})), []int64{0, -1, 1 << 24}},
		{"y.npy", npyArray("<f8", "False", "()", encoded(le, []float64{1 << 53})), []int64{1 << 53}},
		{"y.csv", []byte("label\n3\n1.0\n-2e2\n"), []int64{3, 1, -200}},
		{"y.csv", []byte("3,1,2\n"), []int64{3, 1, 2}},
		{"y.mtx", []byte("%%MatrixMarket matrix array integer general\n2 1\n5\n6\n"), []int64{5, 6}},
		{"y.mtx", []byte("%%MatrixMarket matrix coordinate integer general\n3 1 1\n2 1 6\n"), []int64{0, 6, 0}},
	} {
		got, err := ReadLabels(write(t, c.name, c.file), Options{})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, error %v, want %v", c.name, got, err, c.want)
		}
	}
	got, err := ReadLabels("-", Options{Stdin: bytes.NewReader(npyArray("<i2", "False", "(2,)", encoded(le, []int16{7, 8})))})
	if err != nil || !slices.Equal(got, []int64{7, 8}) {
		t.Errorf("standard input: %v, error %v", got, err)
	}
}

func TestReadLabelsFaults(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"y.npy", npyArray("<i4", "False", "(2, 2)", make([]byte, 16)), "labels are one number for each sample, not a 2 × 2 matrix"},
		{"y.csv", []byte("1,2\n3,4\n"), "not a 2 × 2 matrix"},
		{"y.npy", npyArray("<f8", "False", "(2,)", encoded(le, []float64{1, 2.5})), "entry 2 (counting from 1) is 2.5, and labels are whole numbers"},
		{"y.npy", npyArray("<f8", "False", "(2,)", encoded(le, []float64{math.NaN(), 2})), "entry 1 (counting from 1) is NaN"},
		{"y.npy", npyArray("<f8", "False", "(1,)", encoded(le, []float64{math.Inf(-1)})), "entry 1 (counting from 1) is -Inf"},
		{"y.npy", npyArray("<f8", "False", "(1,)", encoded(le, []float64{1e300})), "beyond ±2⁵³"},
		{"y.npy", npyArray("<u8", "False", "(1,)", encoded(le, []uint64{1 << 63})), "beyond the largest int64"},
		{"y.npy", npyArray("<i4", "False", "(3,)", make([]byte, 11)), "ends after 11 of 12 data bytes"},
		{"y.npy", npyArray("<i4", "False", "(0,)", nil), "the array is empty"},
		{"y.csv", []byte("species\nsetosa\n"), `line 2, column 1 (species): "setosa" is not a number`},
		{"y.csv", []byte("3\n1_0\n"), `line 2, column 1: "1_0" is not a number`},
		{"y.tsv", []byte("3\n0x1p3\n"), `line 2, column 1: "0x1p3" is not a number`},
		{"y.mtx", []byte("%%MatrixMarket matrix array integer general\n2 1\n5\n1_0\n"), `line 4: "1_0" is not a number`},
		{"y.csv", nil, "the file is empty"},
	} {
		path := write(t, c.name, c.file)
		_, err := ReadLabels(path, Options{})
		wantError(t, err, OpRead, path, c.want)
	}
}
