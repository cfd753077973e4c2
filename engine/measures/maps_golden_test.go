package measures

import (
	"encoding/json"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

// The measures of maps give what NumPy, SciPy and scikit-learn give.
func TestGoldenMaps(t *testing.T) {
	golden.Cases(t, "local-metrics", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			Data, Embedding, Other, Wide [][]float64
			Labels                       []int64
			Perplexity, Tol              float64

			Expect struct {
				RandomTriplet       *float64 `json:"random_triplet"`
				CentroidTriplet     *float64 `json:"centroid_triplet"`
				DistanceCorrelation *float64 `json:"distance_correlation"`
				KL                  *float64
				Procrustes          *float64
				ProcrustesWide      *float64 `json:"procrustes_wide"`
			}
		}
		decode(t, raw, &c)
		x, y, ctx := matrix(c.Data), matrix(c.Embedding), t.Context()
		of := func(v float64, err error) float64 {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		same(t, "random triplet", of(RandomTriplet(ctx, x, y, 1, Options{})), c.Expect.RandomTriplet, c.Tol)
		same(t, "centroid triplet", of(CentroidTriplet(ctx, x, y, c.Labels, 1, Options{})), c.Expect.CentroidTriplet, c.Tol)
		same(t, "distance correlation", of(DistanceCorrelation(ctx, x, y, 1, Options{})), c.Expect.DistanceCorrelation, c.Tol)
		same(t, "kl", of(KLDivergence(ctx, x, y, c.Perplexity, Options{})), c.Expect.KL, c.Tol)
		for _, p := range []struct {
			what  string
			other [][]float64
			want  *float64
		}{{"procrustes", c.Other, c.Expect.Procrustes}, {"procrustes, wide", c.Wide, c.Expect.ProcrustesWide}} {
			same(t, p.what, of(Procrustes(y, matrix(p.other))), p.want, c.Tol)
			same(t, p.what+", exchanged", of(Procrustes(matrix(p.other), y)), p.want, c.Tol)
		}
	})
}
