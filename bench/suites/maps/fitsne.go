package maps

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
)

// fitsneVersion is the version in the files, which the program compares with its own.
const fitsneVersion = "1.2.1"

// fitsne computes a map with the program fast_tsne, with the defaults of its Python function.
func fitsne(ctx context.Context, _ *bench.Env, j job) (*made, error) {
	path, err := bench.FItSNE()
	if err != nil {
		return nil, err
	}
	in, result := filepath.Join(j.dir, "fitsne.in"), filepath.Join(j.dir, "fitsne.out")
	start, err := referenceOf(j.data).components(ctx)
	if err != nil {
		return nil, err
	}
	if err := writeFile(in, func(w io.Writer) error { return writeFItSNE(w, j.data.X, start, j.seed) }); err != nil {
		return nil, err
	}
	spent, err := bench.External{Args: []string{path, fitsneVersion, in, result, strconv.Itoa(j.threads)}}.Run(ctx)
	if err != nil {
		return nil, err
	}
	y, err := readFile(result, readFItSNE)
	if err != nil {
		return nil, err
	}
	return &made{Cost: spent.Cost, peak: spent.Peak, version: "FIt-SNE " + fitsneVersion, y: y}, nil
}

// fitsneIterations is the number of all iterations, fitsneEarly of the early ones.
const fitsneIterations, fitsneEarly = 750, 250

// writeFItSNE writes the input of the program: all settings, the samples, and a start.
func writeFItSNE(w io.Writer, x, start *mat.Dense, seed int) error {
	n, m := x.Dims()
	const (
		fourier, annoy = 2, 1 // methods of repulsion and of the neighbour search
		trees          = 50
		exaggeration   = 12
	)
	write := func(list ...any) (err error) {
		for _, one := range list {
			if i, ok := one.(int); ok {
				one = int32(i)
			}
			if err == nil {
				err = binary.Write(w, binary.LittleEndian, one)
			}
		}
		return err
	}
	if err := write(
		n, m,
		0.5, float64(perplexity), 2, // θ, and columns of the map
		fitsneIterations, fitsneEarly, fitsneEarly, 0.5, 0.8, // iteration at which the momentum changes, and its two values
		max(200, float64(n)/exaggeration), 5.0, // the rate, and the maximal step
		-1, -1.0, // neighbours and width follow from the perplexity
		fourier, annoy,
		float64(exaggeration), 0, // with momentum from the start
		trees, 3*perplexity*trees,
		-1, -1.0, // no late exaggeration
		3, 1.0, 50, // nodes of an interval, its length, and the minimal number of intervals
	); err != nil {
		return err
	}
	if err := writeRows(w, x); err != nil {
		return err
	}
	if err := write(seed, 1.0, 0); err != nil { // degrees of freedom, and no affinities from a file
		return err
	}
	return writeRows(w, start)
}

// readFItSNE reads its result.
func readFItSNE(r io.Reader) (*mat.Dense, error) {
	var size [2]int32
	if err := binary.Read(r, binary.LittleEndian, &size); err != nil {
		return nil, err
	}
	if size[0] < 1 || size[1] != 2 {
		return nil, fmt.Errorf("FIt-SNE wrote a map of %d × %d", size[0], size[1])
	}
	return readRows(r, int(size[0]), int(size[1]))
}
