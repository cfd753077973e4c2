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

// Ids and names that a spreadsheet would compute are written as they are, and with --safe-csv as texts, by every command
// that writes them; coordinates below zero are numbers.
func TestSafeCSV(t *testing.T) {
	inFolder(t, "")
	var table strings.Builder
	table.WriteString("id,=a,b,c\n")
	for i := range 20 {
		fmt.Fprintf(&table, "=x%d,%d,%d,%d\n", i, i%7, i*i%11, i%3)
	}
	write(t, "t.csv", table.String())
	must(t, strings.Fields("embed -m pca -d 1 -i t.csv --id id -o y.npy --model p.model -q")...)
	for _, c := range []struct{ args, text string }{
		{"embed -m pca -d 1 -i t.csv --id id -o y.csv -q", "=x1,"},
		{"transform -M p.model -i t.csv --id id -o y.csv -q", "=x1,"},
		{"cluster -m kmeans -c 2 -i t.csv --id id -o y.csv -q", "=x1,"},
		{"select -m dpp --count 20 -i t.csv --id id -o y.csv -q", "=x1,"},
		{"factorize -m nmf -r 2 -i t.csv --id id --out-w y.csv -q", "=x1,"},
		{"factorize -m nmf -r 2 -i t.csv --id id --out-h y.csv -q", "=a,"},
		{"denoise -k 5 --dim 1 -i t.csv --id id -o y.csv -q", "=x1,"},
	} {
		for _, safe := range []bool{false, true} {
			args := strings.Fields(c.args)
			if safe {
				args = append(args, "--safe-csv")
			}
			must(t, args...)
			text := string(read(t, "y.csv"))
			if has := strings.Contains("\n"+text, "\n"+c.text); has == safe || safe && !strings.Contains("\n"+text, "\n'"+c.text) {
				t.Errorf("%s, safe %v: %.200q", c.args, safe, text)
			}
			if strings.Contains(text, ",'-") {
				t.Errorf("%s: a number became a text: %.200q", c.args, text)
			}
		}
	}
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
