package engine

import (
	"slices"
	"testing"
)

// reckonedSparse are factorisations of sparse samples, by every method that keeps them so,
// and with every schedule of correntropy: tall ones, where the graph of the method is
// sparse, and few ones.
func reckonedSparse(t *testing.T, labels func(n int) []int64) []reckonedCase {
	var cases []reckonedCase
	for _, e := range Methods() {
		if !slices.Contains(e.Tasks, "factorize") || !e.KeepsSparse {
			continue
		}
		n, m := 4000, 2500
		if e.Supervised || e.Name == "gs-gnmf" || e.Name == "lp-rna" {
			n = 900
		}
		a, _ := topics(n, m, 100)
		for _, schedule := range []string{"paper", "refresh"} {
			method := must(NewFor("factorize", e.Name))(t)
			if err := Set(method, "iterations", "3"); err != nil {
				t.Fatal(err)
			}
			if schedule == "refresh" && Set(method, "schedule", schedule) != nil {
				continue
			}
			o := Options{Threads: 2, Seed: 1}
			if e.Supervised {
				o.Labels = labels(n)
			}
			cases = append(cases, reckonedCase{e.Name + "/sparse/" + schedule, "factorize", n, m, func(limit int64) (int64, error) {
				o.Memory = limit
				return reckonedBy(t.Context(), "factorize", a, method, o)
			}, a.Bytes()})
		}
	}
	return cases
}
