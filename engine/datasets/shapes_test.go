package datasets

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

func generate(t *testing.T, name string, n int, set map[string]string) *Set {
	t.Helper()
	s := must.Get(Generate(name, n, 7, set))(t)
	return s
}

// TestRollIsIsometric compares, along the spiral, the lengths of small steps in
// space with those of the isometric coordinates.
func TestRollIsIsometric(t *testing.T) {
	arc := coordinate(values{words: map[string]string{"params": "isometric"}})
	at := func(t float64) (x, z float64) { return t * math.Cos(t), t * math.Sin(t) }
	const h = 1e-4
	for angle := 1.5 * math.Pi; angle < 4.5*math.Pi; angle += 0.1 {
		x0, z0 := at(angle)
		x1, z1 := at(angle + h)
		chord := math.Hypot(x1-x0, z1-z0)
		// A chord is short of its arc by a relative h²·(speed·curvature)²/24, 1e-9 here.
		if got := arc(angle+h) - arc(angle); math.Abs(got-chord) > 1e-8*chord {
			t.Errorf("t = %v: arc %v, chord %v", angle, got, chord)
		}
	}
}

func TestRollParams(t *testing.T) {
	for _, name := range []string{"swiss-roll", "swiss-roll-hole", "swiss-roll-3d"} {
		t.Run(name, func(t *testing.T) {
			roll := generate(t, name, 200, nil)
			flat := generate(t, name, 200, map[string]string{"params": "isometric"})
			if !mat.Equal(roll.X, flat.X) {
				t.Errorf("%s: params changed the points", name)
			}
			for i := range 200 {
				p, x, f := roll.Params.RawRowView(i), roll.X.RawRowView(i), flat.Params.RawRowView(i)
				if p[0] != x[1] || math.Abs(math.Hypot(x[0], x[2])-p[1]) > 1e-13*p[1] {
					t.Fatalf("%s: point %v has coordinates %v", name, x, p)
				}
				if want := 0.5 * (p[1]*math.Sqrt(1+p[1]*p[1]) + math.Asinh(p[1])); f[0] != p[0] || f[1] != want {
					t.Fatalf("%s: isometric %v of %v", name, f, p)
				}
				if name == "swiss-roll-3d" && (p[2] != x[3] || f[2] != x[3]) {
					t.Fatalf("%s: third coordinate of %v is %v", name, x, p)
				}
				if inside := 8 < p[0] && p[0] < 13 && 2.5*math.Pi < p[1] && p[1] < 3.5*math.Pi; inside && name == "swiss-roll-hole" {
					t.Fatalf("%v lies in the hole", p)
				}
			}
		})
	}
}

func TestRollNoiseStaysWithin(t *testing.T) {
	clean := generate(t, "swiss-roll-hole", 300, nil)
	noisy := generate(t, "swiss-roll-hole", 300, map[string]string{"noise": "0.25"})
	var diff mat.Dense
	diff.Sub(noisy.X, clean.X)
	low, high := mat.Min(&diff), mat.Max(&diff)
	// 900 uniform numbers all miss the outer fifth of a side with probability below 1e-40.
	if low < -0.25-1e-12 || high > 0.25+1e-12 {
		t.Errorf("noise 0.25 lies in [%v, %v]", low, high)
	}
	if low > -0.2 || high < 0.2 {
		t.Errorf("noise 0.25 fills only [%v, %v]", low, high)
	}
}

func TestFrameIsOrthonormal(t *testing.T) {
	for _, m := range []int{3, 4, 100} {
		t.Run(fmt.Sprintf("m=%d", m), func(t *testing.T) {
			q := drawFrame(m, &source{seed: uint64(m)})
			normal := (&source{seed: uint64(m)}).scaledNormals(1, 3*m)
			for a := range q {
				for b := range q {
					want := 0.0
					if a == b {
						want = 1
					}
					if got := floats.Dot(q[a], q[b]); math.Abs(got-want) > 1e-14 {
						t.Errorf("m = %d: q%d·q%d = %v", m, a, b, got)
					}
				}
				// R = QᵀN has to be upper triangular with a positive diagonal.
				for b := range a + 1 {
					r := 0.0
					for c := range m {
						r += q[a][c] * normal[3*c+b]
					}
					if (a == b && r <= 0) || (a != b && math.Abs(r) > 1e-13*math.Sqrt(float64(m))) {
						t.Errorf("m = %d: R[%d,%d] = %v", m, a, b, r)
					}
				}
			}
		})
	}
}

// TestKnotsWithoutNoise checks distances, which no rotation changes: within a
// knot they are those of the curve, and the knots are shifted copies.
func TestKnotsWithoutNoise(t *testing.T) {
	const n = 24
	one := generate(t, "trefoil", n, map[string]string{"noise": "0", "dims": "7"})
	two := generate(t, "two-trefoils", 2*n, map[string]string{"noise": "0", "dims": "7", "shift": "-2.5"})
	curve := func(t float64) []float64 {
		r := 2 + math.Cos(3*t)
		return []float64{r * math.Cos(2*t), r * math.Sin(2*t), math.Sin(3 * t)}
	}
	for i := range n {
		if shift := floats.Distance(two.X.RawRowView(i), two.X.RawRowView(i+n), 2); math.Abs(shift-2.5) > 1e-13 {
			t.Errorf("point %d is shifted by %v", i, shift)
		}
		for j := range i {
			want := floats.Distance(curve(one.Params.At(i, 0)), curve(one.Params.At(j, 0)), 2)
			if got := floats.Distance(one.X.RawRowView(i), one.X.RawRowView(j), 2); math.Abs(got-want) > 1e-13*8 {
				t.Errorf("points %d and %d are %v apart, want %v", i, j, got, want)
			}
		}
	}
}

func TestPeaks(t *testing.T) {
	s := generate(t, "triple-peak", 31*31, nil)
	for i := range 31 * 31 {
		x, p := s.X.RawRowView(i), s.Params.RawRowView(i)
		if x[0] != p[0] || x[1] != p[1] {
			t.Fatalf("point %v has coordinates %v", x, p)
		}
	}
	// Grid points 0.1 apart: the peaks at (.5, .5), (0, −1) and (−1, 0) are among them.
	for _, c := range []struct{ t, s, sign float64 }{{.5, .5, 1}, {0, -1, -1}, {-1, 0, -1}} {
		i := int(math.Round((c.t+1.5)/0.1))*31 + int(math.Round((c.s+1.5)/0.1))
		// The other peaks reach here with at most 2·e^{−20}.
		if got := s.X.At(i, 2); math.Abs(got-c.sign) > 5e-9 {
			t.Errorf("height %v at (%v, %v)", got, c.t, c.s)
		}
	}
}

// The sets below are drawn again with one plain stream, in the order of their
// definitions: entering the stream in many places must change nothing.

func TestWaveformInSequence(t *testing.T) {
	const n = 1001
	got := generate(t, "waveform", n, nil)
	rng, row := blas.NewStream(7), make([]float64, 21)
	counts := [3]int{}
	for j := range n {
		u := rng.Uniform()
		rng.Normals(row)
		class := int(math.Floor(3 * float64(j) / n))
		counts[class]++
		h := func(c, i int) float64 { return max(6-math.Abs(float64(i-c)), 0) }
		for i := range row {
			a := [3]float64{h(11, i+1), h(11, i+1), h(15, i+1)}[class]
			b := [3]float64{h(15, i+1), h(7, i+1), h(7, i+1)}[class]
			row[i] += u*a + (1-u)*b
		}
		if !floats.EqualApprox(got.X.RawRowView(j), row, 1e-14) || got.Labels[j] != int64(class) {
			t.Fatalf("row %d: %v, want %v", j, got.X.RawRowView(j), row)
		}
	}
	if counts != [3]int{334, 334, 333} {
		t.Errorf("class sizes %v", counts)
	}
}

func TestManifoldsInSequence(t *testing.T) {
	// m is odd: each row throws a normal number away. A cluster takes two blocks.
	const n, q, m, clusters = 2051, 3, 5, 2
	const separation, noise = 0.7, 0.1
	got := generate(t, "clustered-manifolds", n, map[string]string{
		"clusters": "2", "dims": "5", "intrinsic": "3", "separation": "0.7", "noise": "0.1"})
	rng := blas.NewStream(7)
	normals := func(n int, a float64) []float64 {
		x := make([]float64, n)
		rng.Normals(x)
		floats.Scale(a, x)
		return x
	}
	a1, b, a2 := normals(64*q, 0.6), normals(64, 0.5), normals(64*m, 0.125)
	for c := range clusters {
		d, e, centre := normals(64*q, 0.6*separation), normals(64*m, separation/8), normals(m, 0.2*separation)
		for i := c; i < n; i += clusters {
			var z [q]float64
			for k := range z {
				z[k] = math.Pow(2*rng.Uniform()-1, 3)
			}
			want := normals(m, noise)
			floats.Add(want, centre)
			for h := range 64 {
				s := b[h]
				for k := range z {
					s += (a1[h*q+k] + d[h*q+k]) * z[k]
				}
				for k := range want {
					want[k] += (a2[k*64+h] + e[k*64+h]) * math.Tanh(s)
				}
			}
			if !floats.EqualApprox(got.X.RawRowView(i), want, 1e-13) || got.Labels[i] != int64(c) {
				t.Fatalf("row %d: %v, want %v", i, got.X.RawRowView(i), want)
			}
		}
	}
}

func TestLargeBatchInSequence(t *testing.T) {
	for _, n := range []int{0, 1, 2, 4095, 4096, 4097, 20001} {
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			got, want := make([]float64, n), make([]float64, n)
			src, rng := &source{seed: 3}, blas.NewStream(3)
			first := make([]float64, 5)
			src.uniforms(first)
			rng.Uniforms(first)
			src.normals(got)
			rng.Normals(want)
			if !floats.Equal(got, want) {
				t.Errorf("n = %d: drawn in parallel the batch differs", n)
			}
			if src.at(0).Uint64() != rng.Uint64() {
				t.Errorf("n = %d: the source stands elsewhere than the stream", n)
			}
		})
	}
}

func TestMoonsDefinition(t *testing.T) {
	const n = 7 // 3 and 4
	s := generate(t, "two-moons", n, map[string]string{"noise": "0", "extra": "3", "extra_sd": "2"})
	rng := blas.NewStream(7)
	angles, noise, extra := make([]float64, n), make([]float64, 2*n), make([]float64, 3*n)
	rng.Uniforms(angles)
	rng.Normals(noise) // drawn although its deviation is 0
	rng.Normals(extra)
	for i, u := range angles {
		x, y, label := math.Cos(math.Pi*u), math.Sin(math.Pi*u), int64(0)
		if i >= 3 {
			x, y, label = 1-x, 0.5-y, 1
		}
		want := []float64{x, y, 2 * extra[3*i], 2 * extra[3*i+1], 2 * extra[3*i+2]}
		if !floats.EqualApprox(s.X.RawRowView(i), want, 1e-14) || s.Labels[i] != label {
			t.Errorf("row %d: %v with label %d, want %v with %d", i, s.X.RawRowView(i), s.Labels[i], want, label)
		}
	}
}

func TestOneCloud(t *testing.T) {
	// Without separation and noise, clusters share one network: the rows lie in
	// the span of 64 columns whatever the number of features.
	s := generate(t, "clustered-manifolds", 90, map[string]string{"clusters": "3", "separation": "0", "noise": "0", "dims": "80"})
	var svd mat.SVD
	if !svd.Factorize(s.X, mat.SVDNone) {
		t.Fatal("no SVD")
	}
	if v := svd.Values(nil); v[64] > 1e-13*v[0] {
		t.Errorf("rank above 64: σ₆₅ = %v of σ₁ = %v", v[64], v[0])
	}
}

// The images of a person change with the pose alone, and a head that looks straight ahead
// is its own mirror image but for the light.
func TestFaces(t *testing.T) {
	set := must.Get(Generate("faces", 40, 3, map[string]string{"persons": "4", "size": "16", "noise": "0", "turn": "0"}))(t)
	for i := range 40 {
		for k := range 40 {
			if same := slices.Equal(set.X.RawRowView(i), set.X.RawRowView(k)); same != (set.Labels[i] == set.Labels[k]) {
				t.Fatalf("images %d and %d: the same %t, persons %d and %d", i, k, same, set.Labels[i], set.Labels[k])
			}
		}
		row := set.X.RawRowView(i)
		for j, v := range row {
			mirrored := row[j/16*16+15-j%16]
			if v != math.Trunc(v) || v < 0 || v > 255 || (v == 0) != (mirrored == 0) {
				t.Fatalf("image %d: pixel %d is %v, opposite to %v", i, j, v, mirrored)
			}
		}
	}
	if set.Height != 16 || set.Width != 16 {
		t.Errorf("%d × %d pixels", set.Height, set.Width)
	}
}
