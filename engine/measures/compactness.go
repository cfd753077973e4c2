package measures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// clustered are samples in the order of their clusters, without noise.
type clustered struct {
	blas.Rows
	rows   []int   // of the caller's matrix
	of     []int   // the cluster of each
	starts []int   // cluster c has starts[c] ≤ i < starts[c+1]
	labels []int64 // of the clusters, ascending
	noise  int
}

func (c *clustered) size(k int) int { return c.starts[k+1] - c.starts[k] }

// clusteredOf reads samples and sorts them by clusters. Noise is left out (see [IsNoise]).
func clusteredOf(measure string, x mat.Matrix, labels []int64) (*clustered, error) {
	p, err := readPoints(measure, "data", x)
	if err != nil {
		return nil, err
	}
	if len(labels) != p.N {
		return nil, fmt.Errorf("%s: %d labels of %d samples; give one for each", measure, len(labels), p.N)
	}
	p = tame(p)[0]
	c := &clustered{labels: distinct(labels)}
	if IsNoise(labels) {
		c.labels = slices.DeleteFunc(c.labels, func(l int64) bool { return l == Noise })
	}
	if len(c.labels) < 2 {
		return nil, fmt.Errorf("%s: there is only one cluster (%d); it compares two or more", measure, c.labels[0])
	}
	members := make([][]int, len(c.labels))
	for i, l := range labels {
		k, found := slices.BinarySearch(c.labels, l)
		if !found {
			c.noise++
			continue
		}
		members[k] = append(members[k], i)
	}
	c.Rows = blas.Rows{N: p.N - c.noise, M: p.M, Data: make([]float64, 0, (p.N-c.noise)*p.M)}
	c.starts = []int{0}
	for k, list := range members {
		for _, i := range list {
			c.rows, c.of = append(c.rows, i), append(c.of, k)
			c.Data = append(c.Data, p.Row(i)...)
		}
		c.starts = append(c.starts, len(c.rows))
	}
	if c.N == len(c.labels) {
		return nil, fmt.Errorf("%s: each of the %d samples is a cluster of its own; give fewer clusters", measure, c.N)
	}
	return c, nil
}

// centers returns the means of the clusters.
func (c *clustered) centers() blas.Rows {
	means := blas.Rows{N: len(c.labels), M: c.M, Data: make([]float64, len(c.labels)*c.M)}
	for k := range c.labels {
		mean := means.Row(k)
		for i := c.starts[k]; i < c.starts[k+1]; i++ {
			blas.Axpy(1/float64(c.size(k)), c.Row(i), mean)
		}
	}
	return means
}

// SilhouetteScores are the result of [Silhouette].
type SilhouetteScores struct {
	Mean      float64   // over the samples in clusters
	Of        []float64 // of each sample, from −1 to 1; NaN for noise
	Labels    []int64   // of the clusters, ascending
	OfCluster []float64 // the mean of each cluster
	Noise     int       // samples that are left out
}

// Silhouette measures how much closer samples are to their own cluster than to the nearest other one (Rousseeuw 1987):
// s = (b − a) / max(a, b) with a the mean Euclidean distance to the other samples of its cluster and b the least mean distance to
// the samples of another cluster. A cluster of one sample has s = 0. With simplified, a and b are the distances
// to the means of the clusters (Hruschka, de Castro and Campello 2004).
//
// Noise is left out (see [IsNoise]). It returns an error if the number of labels differs, or with fewer than two clusters, or if
// each sample is a cluster. O(n²m), simplified O(nkm) for k clusters.
func Silhouette(ctx context.Context, x mat.Matrix, labels []int64, simplified bool, o Options) (*SilhouetteScores, error) {
	c, err := clusteredOf("silhouette", x, labels)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults("silhouette"); err != nil {
		return nil, err
	}
	s := &SilhouetteScores{Of: make([]float64, len(labels)), Labels: c.labels, OfCluster: make([]float64, len(c.labels)), Noise: c.noise}
	for i := range s.Of {
		s.Of[i] = math.NaN()
	}
	size := 4
	var centers blas.Rows
	if simplified {
		centers, size = c.centers(), 256
	}
	sums := make([][]float64, blas.Threads(o.Threads))
	err = blas.For(ctx, o.Threads, c.N, size, func(w, lo, hi int) {
		if sums[w] == nil {
			sums[w] = make([]float64, len(c.labels))
		}
		for i := lo; i < hi; i++ {
			if simplified {
				distancesTo(centers, c.Row(i), sums[w])
			} else {
				c.meanDistances(c.Row(i), sums[w])
			}
			s.Of[c.rows[i]] = c.silhouetteOf(i, sums[w], simplified)
		}
	})
	if err != nil {
		return nil, err
	}
	for i, at := range c.rows {
		s.Mean += s.Of[at] / float64(c.N)
		s.OfCluster[c.of[i]] += s.Of[at] / float64(c.size(c.of[i]))
	}
	return s, nil
}

// meanDistances writes the mean distances of a point to the samples of each cluster.
func (c *clustered) meanDistances(point, means []float64) {
	for k := range means {
		sum := 0.0
		for j := c.starts[k]; j < c.starts[k+1]; j++ {
			sum += math.Sqrt(blas.SquaredDistance(point, c.Row(j)))
		}
		means[k] = sum / float64(c.size(k))
	}
}

// distancesTo writes the distances of a point to others.
func distancesTo(others blas.Rows, point, into []float64) {
	for k := range into {
		into[k] = math.Sqrt(blas.SquaredDistance(point, others.Row(k)))
	}
}

// silhouetteOf returns the silhouette of a sample from its distances to the clusters.
func (c *clustered) silhouetteOf(i int, distances []float64, simplified bool) float64 {
	own := c.of[i]
	size := float64(c.size(own))
	if size == 1 {
		return 0
	}
	a, b := distances[own], math.Inf(1)
	if !simplified {
		a *= size / (size - 1) // it is not its own neighbour
	}
	for k, d := range distances {
		if k != own {
			b = min(b, d)
		}
	}
	if top := max(a, b); top > 0 {
		return (b - a) / top
	}
	return 0
}

// DaviesBouldin returns the mean over the clusters of the largest (sᵢ + sⱼ) / dᵢⱼ, with s the mean Euclidean distance of a cluster's
// samples to their mean and d the distance of two means (Davies and Bouldin 1979): 0 is best. It is an error if two means
// are equal.
//
// Noise is left out; errors are those of [Silhouette]. O(nm + k²m) for k clusters.
func DaviesBouldin(x mat.Matrix, labels []int64) (float64, error) {
	c, err := clusteredOf("davies-bouldin", x, labels)
	if err != nil {
		return 0, err
	}
	centers, count := c.centers(), len(c.labels)
	spread := make([]float64, count)
	for i, k := range c.of {
		spread[k] += math.Sqrt(blas.SquaredDistance(c.Row(i), centers.Row(k))) / float64(c.size(k))
	}
	sum := 0.0
	for k := range count {
		worst := 0.0
		for j := range count {
			if j == k {
				continue
			}
			d := math.Sqrt(blas.SquaredDistance(centers.Row(k), centers.Row(j)))
			if d == 0 {
				return 0, fmt.Errorf("davies-bouldin: the clusters %d and %d have the same mean; merge them, or take silhouette or dbcv", c.labels[min(k, j)], c.labels[max(k, j)])
			}
			worst = max(worst, (spread[k]+spread[j])/d)
		}
		sum += worst
	}
	return sum / float64(count), nil
}

// CalinskiHarabasz returns the variance ratio of clusters (Caliński and Harabasz 1974), B/(k − 1) / (W/(n − k)), with B the
// sum of squares between the means of k clusters and W that within them: larger is better. It is an error if W is 0.
//
// Noise is left out; errors are those of [Silhouette]. O(nm).
func CalinskiHarabasz(x mat.Matrix, labels []int64) (float64, error) {
	c, err := clusteredOf("calinski-harabasz", x, labels)
	if err != nil {
		return 0, err
	}
	centers, count := c.centers(), len(c.labels)
	mean := make([]float64, c.M)
	for k := range count {
		blas.Axpy(float64(c.size(k))/float64(c.N), centers.Row(k), mean)
	}
	between, within := 0.0, 0.0
	for k := range count {
		between += float64(float64(c.size(k)) * blas.SquaredDistance(centers.Row(k), mean))
	}
	for i, k := range c.of {
		within += blas.SquaredDistance(c.Row(i), centers.Row(k))
	}
	if within == 0 {
		return 0, fmt.Errorf("calinski-harabasz: all samples of every cluster are equal, and the ratio is infinite; take silhouette or dbcv")
	}
	return between / float64(count-1) / (within / float64(c.N-count)), nil
}
