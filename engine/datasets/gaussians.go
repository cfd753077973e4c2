package datasets

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// gaussians is round clusters about random centres: the centres are
// 10·uniforms(clusters × dims); then one batch of n × dims normal numbers, of
// which row i, times sd, is added to the centre of cluster i mod clusters.
// Labels tell the clusters.
var gaussians = &recipe{
	name: "gaussians",
	parameters: []Parameter{
		count("clusters", "5", 1, "number of clusters"),
		count("dims", "10", 1, "number of features"),
		nonNegative("sd", "1", "standard deviation within a cluster"),
	},
	features: dims,
	check:    checkClusters,
	draw: func(n int, v values, src *source) *Set {
		clusters, m := v.count("clusters"), dims(v)
		labels, centres := make([]int64, n), make([]float64, clusters*m)
		src.uniforms(centres)
		data := src.scaledNormals(v.number("sd"), n*m)
		for i := range labels {
			c := i % clusters
			labels[i] = int64(c)
			blas.Axpy(10, centres[c*m:(c+1)*m], data[i*m:(i+1)*m])
		}
		return &Set{X: mat.NewDense(n, m, data), Labels: labels}
	},
}

func checkClusters(n int, v values) error {
	if c := v.count("clusters"); c > n {
		return fmt.Errorf("%d clusters asked of %d samples; lower clusters or raise samples", c, n)
	}
	return nil
}
