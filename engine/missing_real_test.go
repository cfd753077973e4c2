package engine

import (
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// hidden are data with NaN in a share of their entries, and these.
func hidden(t *testing.T, x *mat.Dense, share float64, seed uint64) (*mat.Dense, *nmf.HeldOut) {
	t.Helper()
	n, m := x.Dims()
	held := must(nmf.HoldOut(nmf.Dense(n, m, x.RawMatrix().Data), share, seed))(t)
	holes := mat.DenseCopyOf(x)
	for i := range n {
		cols, _ := held.Values.Row(i)
		for _, j := range cols {
			holes.Set(i, int(j), math.NaN())
		}
	}
	return holes, held
}

// imputationError is ‖X − X̂‖/‖X‖ over the hidden entries.
func imputationError(held *nmf.HeldOut, imputed *mat.Dense) float64 {
	var off, size float64
	for i := range held.Values.Rows {
		cols, vals := held.Values.Row(i)
		for p, j := range cols {
			e := vals[p] - imputed.At(i, int(j))
			off, size = off+e*e, size+vals[p]*vals[p]
		}
	}
	return math.Sqrt(off / size)
}

// byMeans fills holes with the means of the columns.
func byMeans(holes *mat.Dense) *mat.Dense {
	n, m := holes.Dims()
	filled := mat.DenseCopyOf(holes)
	for j := range m {
		var sum, count float64
		for i := range n {
			if v := holes.At(i, j); !math.IsNaN(v) {
				sum, count = sum+v, count+1
			}
		}
		for i := range n {
			if math.IsNaN(holes.At(i, j)) {
				filled.Set(i, j, sum/count)
			}
		}
	}
	return filled
}

// bySVD fills holes by the product of the leading singular vectors, again and again, from the
// means of the columns (the iteration of softImpute, Mazumder et al. 2010, without its
// shrinkage).
func bySVD(holes *mat.Dense, rank, rounds int) *mat.Dense {
	n, m := holes.Dims()
	filled := byMeans(holes)
	model := mat.NewDense(n, m, nil)
	for range rounds {
		var gram mat.SymDense
		gram.SymOuterK(1, filled.T())
		var e mat.EigenSym
		e.Factorize(&gram, true)
		var all mat.Dense
		e.VectorsTo(&all)
		leading := all.Slice(0, m, m-rank, m)
		var scores mat.Dense
		scores.Mul(filled, leading)
		model.Mul(&scores, leading.T())
		for i := range n {
			for j := range m {
				if math.IsNaN(holes.At(i, j)) {
					filled.Set(i, j, model.At(i, j))
				}
			}
		}
	}
	return filled
}

// Hidden entries of real data are imputed with less than half the error of column means, and
// with ORTHANT_LONG set the errors of other ranks and shares are printed, too.
func TestImputationOfRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	for _, set := range []struct {
		file  string
		every int
		ranks []int
	}{{"mfeat-fac.X.npy", 1, []int{10, 20, 40}}, {"usps.X.npy", 5, []int{10, 20, 40}}} {
		all := dataset(t, set.file)
		rows, m := all.Dims()
		x := mat.NewDense(rows/set.every, m, nil)
		for i := range rows / set.every {
			x.SetRow(i, all.RawRowView(i*set.every))
		}
		for _, share := range []float64{0.1, 0.3, 0.5} {
			holes, held := hidden(t, x, share, 1)
			means := imputationError(held, byMeans(holes))
			for _, rank := range set.ranks {
				if os.Getenv("ORTHANT_LONG") == "" && (rank != 20 || share != 0.3) {
					continue // these are printed, and nothing is held to them
				}
				errors := map[string]float64{}
				seconds := map[string]float64{}
				for _, method := range []Method{
					NMF{LeastSquares: LeastSquares{Solver: "hals"}, MissingEntries: MissingEntries{Missing: "weight"}},
					NMFKL{Updates: Updates{Iterations: 200}, MissingEntries: MissingEntries{Missing: "weight"}},
				} {
					found := factorized(t, holes, method, FactorizeOptions{Rank: rank, Impute: true})
					errors[method.Name()], seconds[method.Name()] = imputationError(held, found.Imputed), found.CPUSeconds["total"]
				}
				svd := imputationError(held, bySVD(holes, rank, 40))
				t.Logf("%s, %g %% hidden, rank %d: nmf %.4f (%.1f processor seconds), nmf-kl %.4f (%.1f), singular vectors %.4f, column means %.4f",
					set.file, 100*share, rank, errors["nmf"], seconds["nmf"], errors["nmf-kl"], seconds["nmf-kl"], svd, means)
				if rank == 20 && share == 0.3 && !(errors["nmf"] < 0.8*means) {
					t.Errorf("%s, %g %% hidden: error %.4f by nmf, %.4f by column means", set.file, 100*share, errors["nmf"], means)
				}
			}
		}
	}
}
