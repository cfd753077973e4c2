package nmf

import (
	"fmt"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// The samples and components of which scikit-learn 1.2.1 gave the coordinates below, with
// transform, tol=0 and max_iter=100000, alpha_W=0.03.
var (
	encodedSamples    = []float64{3, 0, 1, 4, 2, 0, 5, 2, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0.01, 0, 0.02, 0, 0.01}
	encodedComponents = []float64{1, 0, 0.5, 2, 1, 0, 2, 1, 0, 0.25, 0.5, 0.5, 0, 1, 3}
)

// slopeOf is the derivative of a sample's penalised loss in coordinate k, by the definition, and
// the scale of its tolerance: the terms that push the coordinate down.
func slopeOf(loss *Loss, p Penalties, x, w, h []float64, k int) (slope, size float64) {
	m := len(x)
	l1, l2 := p.W*float64(m)*p.L1Ratio, p.W*float64(m)*(1-p.L1Ratio)
	size = l1 + l2*w[k]
	slope = size
	for j, v := range x {
		var model float64
		for l, c := range w {
			model += c * h[l*m+j]
		}
		if loss == KL {
			slope += h[k*m+j]
			size += h[k*m+j]
			if v > 0 {
				slope -= h[k*m+j] * v / model
			}
			continue
		}
		slope += h[k*m+j] * (model - v)
		size += h[k*m+j] * model
	}
	return slope, size
}

// New samples pay for their coordinates: they come to the minimum of the penalised loss, by
// its definition and by scikit-learn's numbers, of dense and sparse samples, and by both kinds
// of encoders. (scikit-learn's own transform adds the l1 of a divergence once more in every
// iteration, so that there are no numbers of it.)
func TestEncodePenalised(t *testing.T) {
	const n, m, r = 5, 5, 3
	for _, c := range []struct {
		loss    *Loss
		l1Ratio float64
		want    []float64
	}{
		{Frobenius, 0, []float64{2.109375, 0, 0, 0, 2.3038333670952444, 0.13786775658059364, 0.5608307600719217, 0.5105918255429325, 0.0959525938877276, 0, 0, 0, 0.0035016579267401517, 0.0035101386276147704, 0.0009012336905730816}},
		{Frobenius, 0.4, []float64{2.1198738170347, 0, 0, 0, 2.3216767737861144, 0.1300345274668839, 0.5611627668249956, 0.5064078251614715, 0.09134948899244094, 0, 0, 0, 0, 0, 0}},
		{Frobenius, 1, []float64{2.1359999999999997, 0, 0, 0, 2.349344978165939, 0.11796631316281966, 0.5618363088337583, 0.4999768142824021, 0.08428008346858333, 0, 0, 0, 0, 0, 0}},
		{KL, 0, []float64{2.0782512765993304, 0, 0, 0, 2.1750508007594846, 0.044232903437405845, 0.6353935440119919, 0.5157342250574736, 0.07266893846329545, 0, 0, 0, 0.005988261505866023, 0.00389517120044378, 7.717223672919691e-05}},
		{KL, 0.4, nil},
		{KL, 1, nil},
	} {
		t.Run(fmt.Sprintf("%s, %v", c.loss, c.l1Ratio), func(t *testing.T) {
			p := Penalties{W: 0.03, L1Ratio: c.l1Ratio}
			for what, o := range map[string]Options{
				"to the end": {Tolerance: 1e-11, Iterations: 2000},
				"steps":      {Iterations: 200000},
				"sweeps":     {Iterations: 20000, Solver: HALS},
			} {
				if o.Solver == HALS && c.loss == KL {
					continue
				}
				o.Loss, o.Penalties = c.loss, p
				e := must.Get(NewEncoder(encodedComponents, m, o))(t)
				for storage, d := range map[string]Data{"dense": Dense(n, m, encodedSamples), "sparse": Sparse(compressed(t, n, m, encodedSamples))} {
					got := must.Get(e.Encode(t.Context(), d))(t)
					for at, v := range c.want {
						if !(math.Abs(got[at]-v) <= 2e-8) {
							t.Errorf("%s, %s: coordinate %d is %v, want %v", what, storage, at, got[at], v)
						}
					}
					for i := range n {
						x, w := encodedSamples[i*m:(i+1)*m], got[i*r:(i+1)*r]
						for k, v := range w {
							slope, size := slopeOf(c.loss, p, x, w, encodedComponents, k)
							if size > 0 && !(math.Abs(min(v, slope/size)) <= 1e-7) {
								t.Errorf("%s, %s, sample %d: coordinate %d is %v with slope %v of %v", what, storage, i, k, v, slope, size)
							}
						}
					}
				}
			}
		})
	}
}

// Many samples of more components come to the end too.
func TestEncodePenalisedToTheEnd(t *testing.T) {
	d := lowRankData(200, 40, 8, 3)
	h := lowRankData(12, 40, 5, 4).Dense
	for _, loss := range []*Loss{Frobenius, KL} {
		for _, p := range []Penalties{{W: 1e-3}, {W: 0.1, L1Ratio: 0.5}, {W: 3, L1Ratio: 1}, {W: 3}} {
			e := must.Get(NewEncoder(h, 40, Options{Loss: loss, Penalties: p, Tolerance: 1e-9, Iterations: 2000}))(t)
			got, worst, err := e.EncodeResidual(t.Context(), d)
			if err != nil || !(worst <= 1e-9) {
				t.Errorf("%s, %+v: residual %v, %v", loss, p, worst, err)
			}
			for i := range 200 {
				for k, v := range got[i*12 : (i+1)*12] {
					slope, size := slopeOf(loss, p, d.Dense[i*40:(i+1)*40], got[i*12:(i+1)*12], h, k)
					if size > 0 && !(math.Abs(min(v, slope/size)) <= 1e-6) {
						t.Fatalf("%s, %+v: sample %d, coordinate %d is %v with slope %v of %v", loss, p, i, k, v, slope, size)
					}
				}
			}
		}
	}
}

// Under a β-divergence too. The samples are those above and 0.25; ρ is 0.4.
func TestEncodeBeta(t *testing.T) {
	const n, m, r = 5, 5, 3
	samples := make([]float64, n*m)
	for at, v := range encodedSamples {
		samples[at] = v + 0.25
	}
	p := Penalties{W: 0.03, L1Ratio: 0.4}
	for beta, want := range map[float64][]float64{
		0:   {2.1103591108425115, 0.1072259290060811, 0.07051662045778302, 0.07431612454093303, 1.934447341271545, 0.22563472765248468, 0.8890015500422046, 0.6277786839468462, 0.05912084781488809, 0.18872360493305643, 0.13090210492182733, 0.00749894271076224, 0.1970082372670097, 0.13507889553365285, 0.006827451218506807},
		0.5: {2.198097318880608, 0.11308547965601372, 0.041663582717880905, 0.06582424099300153, 2.099204631508254, 0.2191318261910354, 0.840747331759924, 0.6331869011228599, 0.07258757360981452, 0.17568225905500978, 0.13084097188000055, 0.011288084083467528, 0.18254505152047948, 0.13507054648974726, 0.011029082607204786},
		1.5: {2.293047579393718, 0.11407912491632372, 0, 0.03569589881484327, 2.3682357540844996, 0.21737476453357227, 0.7451859060846635, 0.63753237696756, 0.10079178050148284, 0.1489099051302637, 0.12606697464663377, 0.01903088587207956, 0.15338388427222518, 0.12993083410009357, 0.019528918627340602},
	} {
		for what, o := range map[string]Options{"to the end": {Tolerance: 1e-11, Iterations: 2000}, "steps": {Iterations: 20000}} {
			o.Loss, o.Beta, o.Penalties = Beta, beta, p
			e := must.Get(NewEncoder(encodedComponents, m, o))(t)
			for storage, d := range map[string]Data{"dense": Dense(n, m, samples), "sparse": Sparse(compressed(t, n, m, samples))} {
				got, worst, err := e.EncodeResidual(t.Context(), d)
				if err != nil || !(worst <= 1e-11) {
					t.Fatalf("%v, %s: residual %v, %v", beta, what, worst, err)
				}
				for at, v := range want {
					if !(math.Abs(got[at]-v) <= 1e-7) {
						t.Errorf("β = %v, %s, %s: coordinate %d is %v, want %v", beta, what, storage, at, got[at], v)
					}
				}
			}
		}
	}
}

// Many samples come to the end, with and without penalties and zeros: there the slope of the
// penalised divergence, by differences, is zero in positive coordinates and nowhere negative.
func TestEncodeBetaToTheEnd(t *testing.T) {
	const n, m, r = 120, 30, 5
	h := betaData(r, m, 0).Dense
	for _, beta := range betaShapes {
		d := betaData(n, m, beta)
		for _, p := range betaPenalties {
			e := must.Get(NewEncoder(h, m, Options{Loss: Beta, Beta: beta, Penalties: p, Tolerance: 1e-8, Iterations: 2000}))(t)
			w, worst, err := e.EncodeResidual(t.Context(), d)
			if err != nil || !(worst <= 1e-8) {
				t.Errorf("β = %v, %v: residual %v, %v", beta, p, worst, err)
				continue
			}
			w1, w2, _, _ := plainPenalties(p, n, m)
			for i := range n {
				x, c := d.Dense[i*m:(i+1)*m], w[i*r:(i+1)*r]
				value := func() float64 {
					return plainBeta(Dense(1, m, x), beta, Penalties{}, r, c, h) + w1*total(c) + w2/2*blas.Dot(c, c)
				}
				for k, v := range c {
					step := 1e-6 * max(v, 1e-3)
					c[k] = v + step
					up := value()
					c[k] = max(0, v-step)
					slope := (up - value()) / (v + step - c[k])
					c[k] = v
					if size := value() / max(v, 1e-3); v > step && !(math.Abs(slope) <= 1e-4*size) || !(slope >= -1e-4*size) {
						t.Fatalf("β = %v, %v: sample %d, coordinate %d is %v with slope %v", beta, p, i, k, v, slope)
					}
				}
			}
		}
	}
}
