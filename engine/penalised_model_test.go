package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A model of a penalised fit makes new samples pay for their coordinates, after it was saved
// too, in a file of version 5; and without a penalty the file is what it was.
func TestPenalisedModels(t *testing.T) {
	x, _ := groups(60, 20)
	news := mat.DenseCopyOf(x.Slice(0, 25, 0, 20))
	for name, make := range map[string]func(Penalties) Method{
		"nmf":    func(p Penalties) Method { return NMF{Penalties: p} },
		"nmf-kl": func(p Penalties) Method { return NMFKL{Penalties: p} },
	} {
		for _, ratio := range []float64{0, 0.3, 1} {
			for _, scale := range []float64{1, 1e-30, 1e40} {
				if ratio == 0.3 && scale != 1 {
					continue // penalties of two units are refused
				}
				t.Run(fmt.Sprintf("%s, %v, %v", name, ratio, scale), func(t *testing.T) {
					// α stands beside the loss times W, or W², and W has half of the unit of the data.
					unit := 0.5 * ratio
					if name == "nmf" {
						unit++
					}
					p := Penalties{AlphaW: 0.02 * math.Pow(scale, unit), L1Ratio: ratio}
					y := mat.DenseCopyOf(x)
					y.Scale(scale, y)
					own := mat.DenseCopyOf(news)
					own.Scale(scale, own)
					r := factorized(t, y, make(p), FactorizeOptions{Options: Options{Seed: 4, Model: true}})
					m := must(r.Model())(t)
					var file bytes.Buffer
					if err := m.Save(&file); err != nil {
						t.Fatal(err)
					}
					if v := binary.LittleEndian.Uint32(file.Bytes()[8:]); v != 5 {
						t.Errorf("the file has version %d", v)
					}
					loaded := must(LoadModel(&file))(t)
					w := transformed(t, loaded, own, Options{})
					for i := range 25 {
						for k := range 3 {
							slope, size := penalisedSlope(name == "nmf-kl", p, own.RawRowView(i), w.RawRowView(i), r.H, k)
							if v := w.At(i, k) * math.Pow(scale, -0.5); !(math.Abs(math.Min(v, slope/size)) <= 1e-5) {
								t.Fatalf("sample %d, coordinate %d is %v with slope %v of %v", i, k, v, slope, size)
							}
						}
					}
				})
			}
		}
		r := factorized(t, x, make(Penalties{}), FactorizeOptions{Options: Options{Seed: 4, Model: true}})
		m := must(r.Model())(t)
		var file bytes.Buffer
		if err := m.Save(&file); err != nil || binary.LittleEndian.Uint32(file.Bytes()[8:]) != 1 {
			t.Errorf("%s: without a penalty the file has version %d, %v", name, binary.LittleEndian.Uint32(file.Bytes()[8:]), err)
		}
	}
}

// penalisedSlope is the derivative of the penalised loss of a sample, and what pushes down.
func penalisedSlope(divergence bool, p Penalties, x, w []float64, h *mat.Dense, k int) (slope, size float64) {
	m := float64(len(x))
	size = p.AlphaW * m * (p.L1Ratio + (1-p.L1Ratio)*w[k])
	slope = size
	for j, v := range x {
		var model float64
		for l, c := range w {
			model += c * h.At(l, j)
		}
		if divergence {
			size += h.At(k, j)
			slope += h.At(k, j) * (1 - v/model)
			continue
		}
		size += h.At(k, j) * model
		slope += h.At(k, j) * (model - v)
	}
	return slope, size
}
