package files

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"
)

const benchRows, benchCols = 20000, 50

func benchMatrix() *mat.Dense {
	rng := rand.New(rand.NewPCG(7, 8))
	m := mat.NewDense(benchRows, benchCols, nil)
	for p := range m.RawMatrix().Data {
		m.RawMatrix().Data[p] = rng.NormFloat64()
	}
	return m
}

// benchRead reads a file of 20000 × 50 numbers; the rate is in its bytes.
func benchRead(b *testing.B, path string) {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ReadMatrix(path, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadNPY(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.npy")
	save(b, path, benchMatrix(), Options{})
	benchRead(b, path)
}

func BenchmarkReadNPYFloat32(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.npy")
	save(b, path, benchMatrix(), Options{Float32: true})
	benchRead(b, path)
}

func BenchmarkReadNPYBytes(b *testing.B) {
	benchRead(b, write(b, "x.npy", npyArray("|u1", "False", "(20000, 50)", make([]byte, benchRows*benchCols))))
}

func BenchmarkReadNPYFortran(b *testing.B) {
	data := encoded(nativeOrder, benchMatrix().RawMatrix().Data)
	benchRead(b, write(b, "x.npy", npyArray("=f8", "True", "(20000, 50)", data)))
}

func BenchmarkReadCSV(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.csv")
	save(b, path, benchMatrix(), Options{})
	benchRead(b, path)
}

func BenchmarkReadCSVIntegers(b *testing.B) {
	m := benchMatrix()
	for p, v := range m.RawMatrix().Data {
		m.RawMatrix().Data[p] = float64(int(v * 100))
	}
	path := filepath.Join(b.TempDir(), "x.csv")
	save(b, path, m, Options{})
	benchRead(b, path)
}

// Columns between blanks, as numpy.savetxt writes them.
func BenchmarkReadBlanks(b *testing.B) {
	var text bytes.Buffer
	for i, v := range benchMatrix().RawMatrix().Data {
		fmt.Fprintf(&text, "%.6f", v)
		if (i+1)%benchCols == 0 {
			text.WriteByte('\n')
		} else {
			text.WriteByte(' ')
		}
	}
	benchRead(b, write(b, "x.txt", text.Bytes()))
}

func BenchmarkReadMatrixMarket(b *testing.B) {
	path := filepath.Join(b.TempDir(), "x.mtx")
	save(b, path, benchMatrix(), Options{})
	benchRead(b, path)
}

// The writing benchmarks leave out the disk and its syncing.
func benchWrite(b *testing.B, extension string) {
	m := benchMatrix()
	b.SetBytes(8 * benchRows * benchCols)
	b.ReportAllocs()
	for b.Loop() {
		o, err := begin(location{path: standard, file: standard, format: registered(extension), array: "x"}, io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		if err := o.WriteMatrix(m, Options{}); err != nil {
			b.Fatal(err)
		}
		if err := o.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteNPY(b *testing.B) { benchWrite(b, ".npy") }
func BenchmarkWriteCSV(b *testing.B) { benchWrite(b, ".csv") }
