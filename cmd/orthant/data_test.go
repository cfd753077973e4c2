package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
)

// positive is a table of nonnegative numbers in two groups of rows.
func positive(rows, cols int) string {
	var b strings.Builder
	for i := range rows {
		for j := range cols {
			v := math.Abs(math.Sin(float64(7*i + 3*j*j)))
			if i%2 == j%2 {
				v += 3
			}
			fmt.Fprintf(&b, "%.6f", v)
			if j < cols-1 {
				b.WriteByte(',')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// counts is a sparse table as MatrixMarket, and the same as CSV.
func counts(t *testing.T, rows, cols int) {
	t.Helper()
	var market, table strings.Builder
	entries := 0
	for i := range rows {
		var row []string
		for j := range cols {
			v := max(0, (7*i+5*j*j+i*j)%11-7)
			row = append(row, fmt.Sprint(v))
			if v > 0 {
				fmt.Fprintf(&market, "%d %d %d\n", i+1, j+1, v)
				entries++
			}
		}
		table.WriteString(strings.Join(row, ",") + "\n")
	}
	write(t, "c.mtx", fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", rows, cols, entries, market.String()))
	write(t, "c.csv", table.String())
}

// writeLabels writes classes.csv, n labels of three classes in turn.
func writeLabels(t *testing.T, n int) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i%3)
	}
	write(t, "classes.csv", b.String())
}

// twoClouds is a data set whose graph of 12 neighbours has two components, 60
// and 40 samples.
func twoClouds(t *testing.T) {
	t.Helper()
	var b strings.Builder
	rng := blas.NewStream(3)
	for i := range 100 {
		shift := 0.0
		if i >= 60 {
			shift = 50
		}
		fmt.Fprintf(&b, "%v,%v,%v\n", shift+rng.Uniform(), rng.Uniform(), rng.Uniform())
	}
	write(t, "clouds.csv", b.String())
}

// trefoils is a folder with two knots of 100 samples in x.npy and their classes in
// truth.npy.
func trefoils(t *testing.T) {
	inFolder(t, "")
	must(t, "generate", "two-trefoils", "--samples", "200", "--out", "x.npy", "--out-labels", "truth.npy")
}

// drawUnits writes samples of which the columns are in very different units, and the same at
// mean 0 and standard deviation 1.
func drawUnits(t *testing.T, n int) {
	t.Helper()
	x, z := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	for j, size := range []float64{0.01, 2, 500} {
		var mean, variance float64
		for i := range n {
			v := size * (3 + math.Sin(float64(i*(j+2))) + 0.5*float64(i%3))
			x.Set(i, j, v)
			mean += v / float64(n)
		}
		for i := range n {
			variance += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(n)
		}
		for i := range n {
			z.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(variance))
		}
	}
	save(t, "x.npy", x)
	save(t, "z.npy", z)
}

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

// rolls draws this many swiss rolls into x-1.npy, x-2.npy, …
func rolls(t *testing.T, count, samples int) {
	t.Helper()
	for i := 1; i <= count; i++ {
		must(t, "generate", "swiss-roll", "--samples", strconv.Itoa(samples), "--seed", strconv.Itoa(i), "--out", fmt.Sprintf("x-%d.npy", i), "-q")
	}
}

// helices is a file of this many jobs, and of one that reads what another writes.
func helices(t *testing.T, count int) {
	t.Helper()
	var text strings.Builder
	for i := range count {
		fmt.Fprintf(&text, `{"command": "generate", "name": "helix", "samples": 40, "seed": %d, "out": "h%d.npy"}`+"\n", i, i)
	}
	text.WriteString(`{"command": "embed", "method": "pca", "in": "{out}/h3.npy", "out": "y3.npy"}` + "\n")
	write(t, "jobs.jsonl", text.String())
}

// manyJobs writes a file of jobs over three rolls, and returns the names of their
// outputs.
func manyJobs(t *testing.T, count int) (outputs []string) {
	t.Helper()
	rolls(t, 3, 200)
	var text strings.Builder
	for i := range count {
		name := fmt.Sprintf("y-%03d.npy", i)
		fmt.Fprintf(&text, `{"command": "embed", "method": "lle", "in": "x-%d.npy", "out": %q, "neighbors": %d}`+"\n", 1+i%3, name, 8+i/3%20)
		outputs = append(outputs, name)
	}
	write(t, "jobs.jsonl", text.String())
	return outputs
}

// programmes writes counts of this many programmes to counts.npz.
func programmes(t *testing.T, samples, count int) {
	t.Helper()
	must(t, "generate", "programmes", "--samples", fmt.Sprint(samples), "--set", fmt.Sprintf("programmes=%d", count),
		"--set", "dims=40", "--set", "depth=120", "--out", "counts.npz", "-q")
}

// holed writes a table of rank 3 with noise of a share of each entry (x.csv), the same without a fifth of its entries as text with
// empty fields (holes.csv) and as NaN (holes.npy), which entries there are (known.csv,
// known.mtx), and these alone in coordinates (x.mtx).
func holed(t *testing.T, n, m int, noise float64) *mat.Dense {
	t.Helper()
	random := blas.NewStream(5)
	w, h := mat.NewDense(n, 3, nil), mat.NewDense(3, m, nil)
	random.Uniforms(w.RawMatrix().Data)
	random.Uniforms(h.RawMatrix().Data)
	x := mat.NewDense(n, m, nil)
	x.Mul(w, h)
	x.Apply(func(_, _ int, v float64) float64 { return v * (1 + noise*(2*random.Uniform()-1)) }, x)
	var whole, holes, known, stored, places strings.Builder
	values, count := make([]float64, 0, n*m), 0
	for i := range n {
		for j := range m {
			end := ","
			if j == m-1 {
				end = "\n"
			}
			v := x.At(i, j)
			fmt.Fprintf(&whole, "%v%s", v, end)
			if random.Below(5) == 0 && i%m != j && j%n != i {
				holes.WriteString(end)
				known.WriteString("0" + end)
				values = append(values, math.NaN())
				continue
			}
			count++
			values = append(values, v)
			fmt.Fprintf(&holes, "%v%s", v, end)
			known.WriteString("1" + end)
			fmt.Fprintf(&stored, "%d %d %v\n", i+1, j+1, v)
			fmt.Fprintf(&places, "%d %d 1\n", i+1, j+1)
		}
	}
	head := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", n, m, count)
	write(t, "x.csv", whole.String())
	write(t, "holes.csv", holes.String())
	write(t, "known.csv", known.String())
	write(t, "holes.npy", npy(fmt.Sprintf("(%d, %d)", n, m), values...))
	write(t, "x.mtx", head+stored.String())
	write(t, "known.mtx", head+places.String())
	return x
}

// chain writes the distances of n samples in a row, d.npy, and the affinities of those next to each other, w.mtx.
func chain(t *testing.T, n int) {
	t.Helper()
	d, w := mat.NewDense(n, n, nil), &sparse.CSR{Rows: n, Cols: n, Ptr: []int{0}}
	for i := range n {
		for j := range n {
			d.Set(i, j, math.Abs(float64(i-j)))
			if i-j == 1 || j-i == 1 {
				w.Col, w.Val = append(w.Col, int32(j)), append(w.Val, 1)
			}
		}
		w.Ptr = append(w.Ptr, len(w.Col))
	}
	save(t, "d.npy", d)
	save(t, "w.mtx", w)
}

// divergentData is nonnegative data of several groups in eight columns.
func divergentData() string {
	var b strings.Builder
	for i := range 120 {
		for j := range 8 {
			v := math.Abs(math.Sin(float64(i*(j+3)))) * 4
			if i%4 == j%4 {
				v += 6
			}
			fmt.Fprintf(&b, "%.6f", v)
			if j < 7 {
				b.WriteByte(',')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// countsOf is a table of small whole numbers, of three kinds of rows.
func countsOf(rows, cols int) *mat.Dense {
	x := mat.NewDense(rows, cols, nil)
	for i := range rows {
		for j := range cols {
			if v := math.Sin(float64(3*i*j+i+7*j)) + 0.2; v > 0 || j%3 == i%3 {
				x.Set(i, j, math.Round(4*math.Abs(v)+float64(3-(i+j)%3)))
			}
		}
	}
	return x
}

// npy returns an .npy file of float64 numbers.
func npy(shape string, values ...float64) string {
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }"
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	b = append(b, header...)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}

func count(text string) int { n, _ := strconv.Atoi(text); return n }

// hdf5Folder has files of anndata, 10x and MATLAB 7.3, compressed.
var hdf5Folder, _ = filepath.Abs("../../engine/files/testdata/hdf5")

// unpackHDF5 puts the files of hdf5Folder into the current folder.
func unpackHDF5(t *testing.T) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(hdf5Folder, "*.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files (%v)", err)
	}
	for _, path := range paths {
		packed, err := gzip.NewReader(bytes.NewReader(read(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		write(t, strings.TrimSuffix(filepath.Base(path), ".gz"), string(content))
	}
}

// madeData are the data that scripts can have.
var madeData = map[string]func(t *testing.T, args []string){
	"hdf5":      func(t *testing.T, a []string) { unpackHDF5(t) },                                      // new.h5ad, old.h5ad, tenx2.h5, tenx3.h5, level73.mat, plain.h5
	"positive":  func(t *testing.T, a []string) { write(t, a[2], positive(count(a[0]), count(a[1]))) }, // ROWS COLUMNS FILE
	"divergent": func(t *testing.T, a []string) { write(t, a[0], divergentData()) },                    // FILE
	"counts":    func(t *testing.T, a []string) { counts(t, count(a[0]), count(a[1])) },                // ROWS COLUMNS: c.mtx, c.csv
	"flowers":   func(t *testing.T, a []string) { writeFlowers(t, a[0], a[1]) },                        // FILE GAP
	"classes":   func(t *testing.T, a []string) { leftClasses(t, a[0], a[1]) },                         // NAMED PLAIN
	"clouds":    func(t *testing.T, a []string) { twoClouds(t) },                                       // clouds.csv
	"units":     func(t *testing.T, a []string) { drawUnits(t, count(a[0])) },                          // SAMPLES: x.npy, z.npy
	"images": func(t *testing.T, a []string) {
		save(t, a[0]+".npy", drawImages(t, a[0], count(a[1]), count(a[2]), count(a[3])), files.Options{})
	}, // FOLDER COUNT HEIGHT WIDTH
	"rolls":   func(t *testing.T, a []string) { rolls(t, count(a[0]), count(a[1])) },          // COUNT SAMPLES: x-1.npy, …
	"helices": func(t *testing.T, a []string) { helices(t, count(a[0])) },                     // COUNT: jobs.jsonl
	"holed":   func(t *testing.T, a []string) { holed(t, count(a[0]), count(a[1]), 0) },       // ROWS COLUMNS
	"chain":   func(t *testing.T, a []string) { chain(t, count(a[0])) },                       // SAMPLES: d.npy, w.mtx
	"numbers": func(t *testing.T, a []string) { write(t, a[0], npy(a[1], floats(a[2:])...)) }, // FILE SHAPE NUMBER…
	"table": func(t *testing.T, a []string) { // FILE ROWS COLUMNS [ROW COLUMN NUMBER]
		x := countsOf(count(a[1]), count(a[2]))
		if len(a) > 3 {
			x.Set(count(a[3]), count(a[4]), floats(a[5:])[0])
		}
		save(t, a[0], x, files.Options{AllowNonFinite: true})
	},
	"jobs":   func(t *testing.T, a []string) { manyJobs(t, count(a[0])) },                             // COUNT
	"edited": func(t *testing.T, a []string) { write(t, a[0], edited(t, read(t, a[1]), a[2], a[3])) }, // FILE MODEL OLD NEW
	"bytes": func(t *testing.T, a []string) { // FILE SHAPE NUMBER…
		var raw []byte
		for _, v := range floats(a[2:]) {
			raw = append(raw, byte(v))
		}
		write(t, a[0], strings.Replace(npy(a[1]), "<f8", "|u1", 1)+string(raw))
	},
	"typed": func(t *testing.T, a []string) { // FILE TYPE ROWS COLUMNS, the numbers of table
		rows, cols := count(a[2]), count(a[3])
		shape := fmt.Sprintf("(%d, %d)", rows, cols)
		write(t, a[0], strings.Replace(npy(shape), "<f8", a[1], 1)+encodedAs(a[1], countsOf(rows, cols).RawMatrix().Data))
	},
	"rows": func(t *testing.T, a []string) {
		write(t, a[0], npy("(100000000, 3)", make([]float64, 3*count(a[1]))...))
	}, // FILE COUNT: the first of many
	"folder": func(t *testing.T, a []string) { // NAME
		if err := os.MkdirAll(a[0], 0o777); err != nil {
			t.Fatal(err)
		}
	},
}

// encodedAs are whole numbers as a type of NumPy has them, such as >f4.
func encodedAs(descr string, values []float64) string {
	var b []byte
	for _, v := range values {
		bits, size := uint64(v), int(descr[2]-'0')
		switch descr[1:] {
		case "f2":
			bits = math.Float64bits(v*0x1p-1008) >> 42
		case "f4":
			bits = uint64(math.Float32bits(float32(v)))
		}
		if descr[0] == '>' {
			b = append(b, binary.BigEndian.AppendUint64(nil, bits)[8-size:]...)
		} else {
			b = append(b, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
		}
	}
	return string(b)
}

func floats(texts []string) (list []float64) {
	for _, text := range texts {
		v, _ := strconv.ParseFloat(text, 64)
		list = append(list, v)
	}
	return list
}

// edited is the file of a model with another text in its header, signed again.
func edited(t *testing.T, model []byte, old, now string) string {
	t.Helper()
	const preamble = 32
	end := preamble + int(binary.LittleEndian.Uint32(model[12:]))
	header := string(bytes.TrimRight(model[preamble:end], " \n"))
	if strings.Count(header, old) != 1 {
		t.Fatalf("%q is not once in %s", old, header)
	}
	header = strings.Replace(header, old, now, 1)
	if len(header) > end-preamble {
		t.Fatalf("there is no room for %q", now)
	}
	header += strings.Repeat(" ", end-preamble-len(header))
	file := append(append(bytes.Clone(model[:preamble]), header...), model[end:len(model)-sha256.Size]...)
	sum := sha256.Sum256(file)
	return string(append(file, sum[:]...))
}
