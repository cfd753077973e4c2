package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// writeFlowers writes a table as people have them: names, classes and a gap between numbers.
func writeFlowers(t *testing.T, path, gap string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("name,length,width,petal,species\n")
	for i := range 30 {
		width := fmt.Sprint(3 + 0.07*float64(i%7))
		if i == 4 {
			width = gap
		}
		fmt.Fprintf(&b, "f%02d,%g,%s,%g,%s\n", i, 5+0.1*float64(i*i%11)+float64(i%3), width, 1.4+2*float64(i%3)+0.03*float64(i%5), []string{"setosa", "versicolor", "virginica"}[i%3])
	}
	write(t, path, b.String())
}

// leftClasses writes a table with a number of each row and its class among the data, with names and without.
func leftClasses(t *testing.T, namedPath, plainPath string) {
	t.Helper()
	var named, plain strings.Builder
	named.WriteString("id,a,b,target\n")
	for i := range 40 {
		row := fmt.Sprintf("%d,%g,%g,%d\n", i+1, 0.5+float64(i*i%17), 0.25*float64(i%9), i%4)
		named.WriteString(row)
		plain.WriteString(row)
	}
	write(t, namedPath, named.String())
	write(t, plainPath, plain.String())
}

// drawImages makes a folder of n grey images, and the matrix of their pixels.
func drawImages(t *testing.T, folder string, n, height, width int) *mat.Dense {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(n, height*width, nil)
	for i := range n {
		pixels := make([]byte, height*width)
		for j := range pixels {
			pixels[j] = byte(37*i*j + 11*j + 90*(i%3))
			x.Set(i, j, float64(pixels[j]))
		}
		write(t, fmt.Sprintf("%s/f%02d.pgm", folder, i), fmt.Sprintf("P5 %d %d 255\n%s", width, height, pixels))
	}
	return x
}
