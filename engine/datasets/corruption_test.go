package datasets_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

// The checksums that define the protocol, over the bytes of the arrays as they are
// stored, with seed 1.
func TestCorruptionProtocol(t *testing.T) {
	levels, sides := []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5}, []int{6, 8, 10, 12, 14, 16}
	for _, c := range []struct {
		name           string
		maximum        float64
		first          []int
		count          int
		bytes          func(v float64) []byte
		salted, blocks []string
	}{
		{"orl32", 255, []int{1, 3, 5, 13, 18}, 80, func(v float64) []byte { return []byte{byte(v)} },
			[]string{"55bbc03b5ac3c991", "66d27e544bea1b0b", "8a66592d24f3e5cc", "97f0b2215ae5e582", "6839328d9484165f", "a6365b116834a07b"},
			[]string{"07e8f6c4cbaf00dd", "858b04873bb12e8c", "506eb0a9d39668fb", "af713ab58d60501d", "6cf3202cfc9a0fa6", "a00a16bd1c611ee1"}},
		{"coil20", 1, []int{3, 11, 16, 20, 25}, 288, func(v float64) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))) },
			[]string{"1adc19319a24c078", "6ad864373a269514", "dad19a3cacc877e8", "aa28b3c5c9566ff0", "25eecd1b0b444dc4", "2bfe06c9fdbe5b2e"},
			[]string{"a92d1270d6d295e3", "f7648efd6630e62c", "e37801e376bf13c8", "0de0bfbb23ae2672", "cebb0759223452c3", "8dcadb3ce58a7d8c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := must.Get(files.ReadMatrix(filepath.Join(golden.Data(t), c.name+".X.npy"), files.Options{}))(t)
			check := func(want string, how datasets.Corruption) {
				t.Helper()
				how.Maximum, how.Seed = c.maximum, 1
				got, chosen := must.Two(datasets.Corrupt(x, how))(t)
				if len(chosen) != c.count || !slices.Equal(chosen[:5], c.first) {
					t.Errorf("%d images, beginning %v; want %d, %v", len(chosen), chosen[:5], c.count, c.first)
				}
				hash := sha256.New()
				for _, v := range got.RawMatrix().Data {
					hash.Write(c.bytes(v))
				}
				if sum := fmt.Sprintf("%x", hash.Sum(nil))[:16]; sum != want {
					t.Errorf("%+v: checksum %s, want %s", how, sum, want)
				}
			}
			for q := range levels {
				check(c.salted[q], datasets.Corruption{Level: levels[q]})
				check(c.blocks[q], datasets.Corruption{Side: sides[q]})
			}
		})
	}
}

// Only the chosen rows change, only to 0 or the maximum, and the original does not.
func TestCorruptLeavesTheRest(t *testing.T) {
	images := mat.NewDense(23, 1024, nil)
	for i := range 23 {
		for j := range 1024 {
			images.Set(i, j, 0.5)
		}
	}
	for _, how := range []datasets.Corruption{{Level: 0.3, Maximum: 2, Seed: 7}, {Side: 9, Maximum: 2, Seed: 7}} {
		t.Run(fmt.Sprintf("%+v", how), func(t *testing.T) {
			got, chosen := must.Two(datasets.Corrupt(images, how))(t)
			if len(chosen) != 4 || !slices.Equal(chosen, datasets.Corrupted(23, 7)) {
				t.Errorf("chose %v", chosen)
			}
			for i := range 23 {
				changed := 0
				for j, v := range got.RawRowView(i) {
					if v != 0.5 {
						changed++
					}
					if v != 0.5 && v != 2 && (v != 0 || how.Side > 0) {
						t.Fatalf("entry (%d, %d) became %v", i, j, v)
					}
				}
				switch hit := slices.Contains(chosen, i); {
				case !hit && changed > 0:
					t.Errorf("row %d was not chosen and %d entries changed", i, changed)
				case hit && how.Side > 0 && changed != 81:
					t.Errorf("%d entries in a block of 81", changed)
				// 1024 draws of probability 0.3: mean 307, standard deviation 15.
				case hit && how.Side == 0 && (changed < 230 || changed > 385):
					t.Errorf("%d of 1024 entries changed at level 0.3", changed)
				}
			}
		})
	}
	if mat.Max(images) != 0.5 || mat.Min(images) != 0.5 {
		t.Error("the images given were changed")
	}
}

func TestCorruptErrors(t *testing.T) {
	images := mat.NewDense(10, 100, nil)
	for _, c := range []struct {
		how  datasets.Corruption
		want string
	}{
		{datasets.Corruption{Maximum: 1}, "one of the two"},
		{datasets.Corruption{Level: 0.1, Side: 3, Maximum: 1}, "one of the two"},
		{datasets.Corruption{Level: 1.1, Maximum: 1}, "level 1.1"},
		{datasets.Corruption{Level: math.NaN(), Maximum: 1}, "level NaN"},
		{datasets.Corruption{Level: -0.1, Maximum: 1}, "level -0.1"},
		{datasets.Corruption{Level: 0.1}, "maximum 0"},
		{datasets.Corruption{Level: 0.1, Maximum: math.Inf(1)}, "maximum +Inf"},
		{datasets.Corruption{Side: 33, Maximum: 1}, "side 33"},
		{datasets.Corruption{Side: 10, Maximum: 1}, "100 pixels"},
	} {
		t.Run(fmt.Sprintf("%+v", c.how), func(t *testing.T) {
			must.Refuse(t, c.want)(datasets.Corrupt(images, c.how))
		})
	}
}

func ExampleCorrupt() {
	images := mat.NewDense(10, 1024, nil)
	noisy, chosen, err := datasets.Corrupt(images, datasets.Corruption{Side: 4, Maximum: 1, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range chosen {
		fmt.Println(i, mat.Sum(noisy.RowView(i)))
	}
	// Output:
	// 5 16
	// 7 16
}
