package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// Programmes are counts whose programmes are known: sample i has Poisson counts with the
// means depthᵢ·Usages·Spectra, few of which are not zero.
type Programmes struct {
	Counts  *sparse.CSR // n × m
	Usages  *mat.Dense  // n × K, rows of sum 1
	Spectra *mat.Dense  // K × m, rows of sum 1
	Labels  []int64     // the main programme of each sample
}

// programmes is Poisson counts of K programmes, as of genes in cells or words in texts. One
// batch of K × dims normal numbers z gives the spectra exp(spread·z), each scaled to the
// sum 1. Then every sample gets the seed of a stream of its own, which are n outputs. The
// stream of sample i gives K uniforms u, of which −log(1 − u), times mixing but for
// programme i mod K, where 1 is added instead, are its usages, scaled to the sum 1; a
// batch of one normal number z, whose depth·exp(0.3·z) are its counts together on average;
// and the counts, feature by feature. A count of mean λ is the least k for which the product of the
// uniforms 0, …, k is at most exp(−λ); above 500 the mean is cut into pieces of 500 and a rest,
// whose counts are added. Labels are the programmes, i mod K.
var programmes = &recipe{
	name: "programmes",
	parameters: []Parameter{
		count("programmes", "10", 1, "number of programmes"),
		count("dims", "2000", 1, "number of features"),
		nonNegative("depth", "80", "counts of a sample together, on average").upTo(1e6),
		nonNegative("spread", "1.5", "standard deviation of the logarithms of a programme's features").upTo(10),
		nonNegative("mixing", "0.2", "share of the other programmes in a sample, against its main one").upTo(1e6),
	},
	features: dims,
	check:    checkProgrammes,
	draw: func(n int, v values, src *source) *Set {
		p := drawProgrammes(n, v, src)
		x := mat.NewDense(n, p.Counts.Cols, nil)
		for i := range n {
			cols, vals := p.Counts.Row(i)
			row := x.RawRowView(i)
			for q, j := range cols {
				row[j] = vals[q]
			}
		}
		return &Set{X: x, Labels: p.Labels}
	},
}

func checkProgrammes(n int, v values) error {
	return fits("samples × programmes", n, v.count("programmes"))
}

// GenerateProgrammes draws the set "programmes" as it is, sparse, with all that it was made
// from; see [Generate]. 12 bytes for each count that is not zero.
func GenerateProgrammes(samples int, seed uint64, set map[string]string) (*Programmes, error) {
	n, v, err := programmes.prepare(samples, set)
	if err != nil {
		return nil, err
	}
	return drawProgrammes(n, v, &source{seed: seed}), nil
}

// drawnRows is the number of samples that are drawn together.
const drawnRows = 256

func drawProgrammes(n int, v values, src *source) *Programmes {
	k, m := v.count("programmes"), dims(v)
	spectra := src.scaledNormals(v.number("spread"), k*m)
	for at := 0; at < len(spectra); at += m {
		row := spectra[at : at+m]
		blas.Exp(row, row)
		unitSum(row)
	}
	p := &Programmes{Usages: mat.NewDense(n, k, nil), Spectra: mat.NewDense(k, m, spectra), Labels: make([]int64, n)}
	seeds := src.at(0)
	own := make([]uint64, n)
	for i := range own {
		own[i] = seeds.Uint64()
	}
	src.skip(n)
	blocks := make([]sparse.CSR, (n+drawnRows-1)/drawnRows)
	parallel(n, drawnRows, func(lo, hi int) {
		b := &blocks[lo/drawnRows]
		means := make([]float64, m)
		for i := lo; i < hi; i++ {
			p.Labels[i] = int64(i % k)
			drawCounts(blas.NewStream(own[i]), i%k, v, p.Usages.RawRowView(i), spectra, means)
			for j, c := range means {
				if c > 0 {
					b.Col, b.Val = append(b.Col, int32(j)), append(b.Val, c)
				}
			}
			b.Ptr = append(b.Ptr, len(b.Val))
		}
	})
	p.Counts = joined(n, m, blocks)
	return p
}

// drawCounts draws the usages and the counts of one sample.
func drawCounts(s *blas.Stream, main int, v values, usages, spectra, counts []float64) {
	for k := range usages {
		usages[k] = -math.Log(1-s.Uniform()) * v.number("mixing")
		if k == main {
			usages[k] = 1
		}
	}
	unitSum(usages)
	var z [1]float64
	s.Normals(z[:])
	depth := v.number("depth") * math.Exp(0.3*z[0])
	m := len(counts)
	clear(counts)
	for k, u := range usages {
		blas.Axpy(u*depth, spectra[k*m:(k+1)*m], counts)
	}
	for j, mean := range counts {
		counts[j] = poisson(s, mean)
	}
}

// poisson is a count of that mean.
func poisson(s *blas.Stream, mean float64) float64 {
	const most = 500 // exp(−most) is a number
	var sum float64
	for ; mean > most; mean -= most {
		sum += poisson(s, most)
	}
	bound := math.Exp(-mean)
	for product := s.Uniform(); product > bound; product *= s.Uniform() {
		sum++
	}
	return sum
}

// unitSum scales numbers ≥ 0 to the sum 1.
func unitSum(x []float64) {
	var sum float64
	for _, v := range x {
		sum += v
	}
	blas.Scale(1/sum, x)
}

// joined puts blocks of rows one below the other.
func joined(n, m int, blocks []sparse.CSR) *sparse.CSR {
	entries := 0
	for _, b := range blocks {
		entries += len(b.Val)
	}
	x := &sparse.CSR{Rows: n, Cols: m, Ptr: make([]int, 1, n+1), Col: make([]int32, 0, entries), Val: make([]float64, 0, entries)}
	for i := range blocks {
		before := len(x.Val)
		for _, p := range blocks[i].Ptr {
			x.Ptr = append(x.Ptr, before+p)
		}
		x.Col, x.Val = append(x.Col, blocks[i].Col...), append(x.Val, blocks[i].Val...)
		blocks[i] = sparse.CSR{}
	}
	return x
}
