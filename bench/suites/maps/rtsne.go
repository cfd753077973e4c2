package maps

import (
	"bufio"
	"context"
	_ "embed" // of rtsne.R
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
)

//go:embed rtsne.R
var rtsneScript []byte

// rtsne computes a map with R's package Rtsne.
func rtsne(ctx context.Context, _ *bench.Env, j job) (*made, error) {
	script, in, result := filepath.Join(j.dir, "rtsne.R"), filepath.Join(j.dir, "x.bin"), filepath.Join(j.dir, "y.bin")
	if err := os.WriteFile(script, rtsneScript, 0o666); err != nil {
		return nil, err
	}
	if err := writeFile(in, func(w io.Writer) error { return writeRaw(w, j.data.X) }); err != nil {
		return nil, err
	}
	spent, err := bench.External{
		Args: []string{"Rscript", "--vanilla", script, in, result, strconv.Itoa(perplexity), strconv.Itoa(j.seed), strconv.Itoa(j.threads)},
		Env:  bench.ThreadLimits(j.threads),
	}.Run(ctx)
	if err != nil {
		return nil, err
	}
	one, err := saidByR(spent)
	if err != nil {
		return nil, err
	}
	n, _ := j.data.X.Dims()
	one.y, err = readFile(result, func(r io.Reader) (*mat.Dense, error) { return readRows(r, n, 2) })
	return one, err
}

// saidByR reads the output of the script.
func saidByR(spent bench.Spent) (*made, error) {
	var said struct {
		Wall, CPU float64
		Peak      int64
		Version   string
	}
	if err := json.Unmarshal(spent.Out, &said); err != nil {
		return nil, fmt.Errorf("the script of R printed %q: %w", spent.Out, err)
	}
	if said.Peak == 0 {
		said.Peak = spent.Peak
	}
	return &made{Cost: bench.Cost{Wall: said.Wall, CPU: said.CPU}, process: spent.Cost, peak: said.Peak, version: said.Version}, nil
}

// writeRaw writes the numbers of rows and columns as integers, and the entries row by row.
func writeRaw(w io.Writer, x *mat.Dense) error {
	n, m := x.Dims()
	if err := binary.Write(w, binary.LittleEndian, []int32{int32(n), int32(m)}); err != nil {
		return err
	}
	return writeRows(w, x)
}

// writeRows writes the entries row by row.
func writeRows(w io.Writer, x *mat.Dense) error {
	n, _ := x.Dims()
	for i := range n {
		if err := binary.Write(w, binary.LittleEndian, x.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}

// readRows reads the given number of entries, which must be finite.
func readRows(r io.Reader, rows, cols int) (*mat.Dense, error) {
	data := make([]float64, rows*cols)
	if err := binary.Read(r, binary.LittleEndian, data); err != nil {
		return nil, fmt.Errorf("reading a map of %d samples: %w", rows, err)
	}
	for i, v := range data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the map has %g for sample %d", v, i/cols)
		}
	}
	return mat.NewDense(rows, cols, data), nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func readFile(path string, read func(io.Reader) (*mat.Dense, error)) (*mat.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(bufio.NewReader(f))
}
