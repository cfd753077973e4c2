package solvers_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/sparse"
)

// beads is a string of n beads between walls: 2 on the diagonal and −1 next to it.
func beads(n int) *sparse.CSR {
	var entries []sparse.Triplet
	for i := range n {
		entries = append(entries, sparse.Triplet{Row: i, Col: i, Val: 2})
		if i > 0 {
			entries = append(entries, sparse.Triplet{Row: i, Col: i - 1, Val: -1}, sparse.Triplet{Row: i - 1, Col: i, Val: -1})
		}
	}
	a, err := sparse.FromTriplets(n, n, entries)
	if err != nil {
		panic(err)
	}
	return a
}

// The slowest vibrations of a string of 999 beads of mass 2: λ = (1 − cos(jπ/1000)). A
// second problem with heavier beads starts with the vectors of the first.
func ExamplePencil() {
	a, mass := beads(999), mat.NewVecDense(999, nil)
	for i := range 999 {
		mass.SetVec(i, 2)
	}
	ctx := context.Background()
	e, err := solvers.Pencil{A: a, M: mass}.Smallest(ctx, 3, solvers.Options{})
	if err != nil {
		panic(err)
	}
	for j, v := range e.Values {
		fmt.Printf("%.6g (%.6g), found: %v\n", v, 1-math.Cos(float64(j+1)*math.Pi/1000), e.Residuals[j] < 1e-9)
	}
	fmt.Printf("next %.4g\n", e.Next)
	mass.SetVec(500, 4)
	e, err = solvers.Pencil{A: a, M: mass, Start: e.Vectors}.Smallest(ctx, 3, solvers.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("slower: %v\n", e.Values[0] < 4.934e-6)
	_, err = solvers.Pencil{A: a, Sigma: 1}.Smallest(ctx, 3, solvers.Options{})
	fmt.Println("inside the spectrum:", err != nil)
	// Output:
	// 4.9348e-06 (4.9348e-06), found: true
	// 1.97391e-05 (1.97391e-05), found: true
	// 4.44129e-05 (4.44129e-05), found: true
	// next 7.896e-05
	// slower: true
	// inside the spectrum: true
}

// An operator in place of a matrix: only its products are known.
func ExamplePencil_operator() {
	a := beads(99)
	operator := solvers.Operator{Order: 99, Multiply: func(width int, x, y []float64) { a.MulBlock(1, width, x, y) }}
	e, err := solvers.Pencil{Operator: &operator}.Smallest(context.Background(), 2, solvers.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.6f\n", e.Values)
	// Output:
	// [0.000987 0.003947]
}

// Three topics of five words each give a matrix of rank three.
func ExampleSVD() {
	var entries []sparse.Triplet
	for i := range 30 {
		for w := range 5 {
			entries = append(entries, sparse.Triplet{Row: i, Col: i%3*5 + w, Val: float64(1 + i%3)})
		}
	}
	a, err := sparse.FromTriplets(30, 15, entries)
	if err != nil {
		panic(err)
	}
	s, err := solvers.SVD(context.Background(), a, 3, solvers.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f, next %.4f, found: %v\n", s.Values, math.Abs(s.Next), s.Converged)
	// Output:
	// [21.2132 14.1421 7.0711], next 0.0000, found: true
}

// The two largest eigenvalues of a string of beads, 2 + 2cos(jπ/100).
func ExampleLargestOf() {
	e, err := solvers.LargestOf(context.Background(), beads(99), 2, solvers.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.6f, next %.6f\n", e.Values, e.Next)
	// Output:
	// [3.999013 3.996053], next 3.991124
}
