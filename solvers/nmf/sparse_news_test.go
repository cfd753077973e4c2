package nmf

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// 20news-w100, 16242 documents by 100 words with 65451 entries, stays sparse and
// gives what its dense form gives.
func TestNewsStaysSparse(t *testing.T) {
	file := must.Get(os.Open(filepath.Join(golden.Data(t), "20news-w100.X.mtx")))(t)
	defer file.Close()
	market := must.Get(sparse.ReadMatrixMarket(file))(t)
	x := market.Sparse
	dense := x.Dense()
	for _, o := range []Options{{}, {Loss: KL}, {Solver: HALS, Sweeps: 2}, {Solver: HALS, Init: NNDSVD, Sweeps: 2},
		{Loss: L21}, {Loss: Correntropy, Sigma: Sigma{Fixed: 1}}, {Loss: Correntropy, Sigma: Sigma{Fixed: 1}, Schedule: Refresh}} {
		o.Rank, o.Iterations = 8, 4
		got, want := factorize(t, Sparse(x), o), factorize(t, Dense(x.Rows, x.Cols, dense.RawMatrix().Data), o)
		closeTo(t, "coordinates", got.W, want.W, 1e-8)
		closeTo(t, "components", got.H, want.H, 1e-8)
		if first, last := got.Trace[0], got.Trace[len(got.Trace)-1]; !(last.Objective < first.Objective) {
			t.Errorf("%s %s: objective from %v to %v", o.Loss, o.Solver, first.Objective, last.Objective)
		}
	}
}
