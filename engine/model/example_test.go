package model_test

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/model"
)

// file is the file of a model that was fitted elsewhere: of PCA, to points near the line y = x/2.
func file() io.Reader {
	x := mat.NewDense(20, 2, nil)
	for i := range 20 {
		x.SetRow(i, []float64{float64(i), float64(i) / 2})
	}
	r, err := engine.Embed(context.Background(), x, engine.PCA{Dim: 1}, engine.Options{Model: true})
	if err != nil {
		panic(err)
	}
	m, err := r.Model()
	if err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		panic(err)
	}
	return &b
}

// A model is read from a file, and gives new samples coordinates.
func Example() {
	m, err := model.Load(file())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s of %d samples in %d columns, %s\n", m.Method, m.Samples, m.Features, m.Kind())
	y, err := m.Transform(context.Background(), mat.NewDense(2, 2, []float64{0, 0, 4, 2}), method.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("they are %.3f apart\n", max(y.At(0, 0)-y.At(1, 0), y.At(1, 0)-y.At(0, 0)))
	// Output:
	// pca of 20 samples in 2 columns, linear
	// they are 4.472 apart
}

// counting gives the points (0, 0), (1, ½), (2, 1) and so on, and takes coordinates.
type counting struct{ given, of, taken int }

func (c *counting) Cols() int { return 2 }
func (c *counting) Rows() int { return c.of }

func (c *counting) Next(dst []float64) (int, error) {
	n := 0
	for ; n < len(dst)/2 && c.given < c.of; n++ {
		dst[2*n], dst[2*n+1] = float64(c.given), float64(c.given)/2
		c.given++
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (c *counting) Write(rows *mat.Dense) error {
	n, _ := rows.Dims()
	c.taken += n
	return nil
}

// Any number of samples go through a model in constant memory.
func ExampleTransformer_Stream() {
	m, err := model.LoadWithin(file(), 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	ready, err := m.Prepare(method.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rows := &counting{of: 100_000}
	done, err := ready.Stream(context.Background(), rows, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.Rows, rows.taken)
	// Output: 100000 100000
}
