package engine

import "testing"

// The estimate grows as the method's memory does.
func TestEstimateMemory(t *testing.T) {
	for _, c := range []struct {
		name       string
		method     string
		n, m, k    int
		o          Options
		least, top int64
	}{
		{"the data alone", "no such method", 1000, 10, 0, Options{}, 24e4, 24e4},
		{"a graph method is linear in n", "lle", 1e5, 3, 10, Options{}, 2e8, 1e9},
		{"isomap is quadratic in n", "isomap", 1e4, 3, 10, Options{Threads: 1}, 4e8, 1.2e9},
		{"landmarks spare isomap that", "isomap", 1e4, 3, 10, Options{Threads: 1, Landmarks: 100}, 8e6, 1e8},
		{"landmarks are all that lle embeds", "lle", 1e5, 3, 10, Options{Landmarks: 1000}, 7.2e6, 2e7},
		{"codes of all against all", "ndla", 1e4, 3, 0, Options{}, 36e8, 38e8},
		{"the Gram matrix of the shorter side", "pca", 1e5, 50, 0, Options{}, 12e7, 13e7},
		{"nothing", "lle", 0, 0, 0, Options{}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := EstimateMemory(c.method, c.n, c.m, c.k, c.o); got < c.least || got > c.top {
				t.Errorf("%s: %d bytes, want %d to %d", c.name, got, c.least, c.top)
			}
		})
	}
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			small, large := EstimateMemory(e.Name, 100, 10, 5, Options{}), EstimateMemory(e.Name, 1000, 10, 5, Options{})
			if small < 24*1000 || large <= small {
				t.Errorf("%s: %d bytes for 100 samples, %d for 1000", e.Name, small, large)
			}
		})
	}
}
