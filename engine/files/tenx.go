package files

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/disk"
)

// tenxFormat is the folder that Cell Ranger of 10x Genomics writes: counts of genes × cells in MatrixMarket,
// and tables with the names of both. Its cells are the samples. It has no extension: locate recognises
// the folder.
var tenxFormat *Format

func init() {
	tenxFormat = derived(Format{
		Name:       "10x",
		compressed: true,
		whole:      "a folder of 10x is stored by genes, and its cells are the samples",
		extent: func(loc location, o Options) (Extent, error) {
			of, err := tenxFile(loc.file, tenxMatrix)
			if err != nil {
				return Extent{}, err
			}
			e, err := fromContent(of, o, marketExtent)
			e.Rows, e.Cols = e.Cols, e.Rows
			e.Peak = max(e.Peak, int64(2*sparseBytes(e.Entries, e.Rows+e.Cols)))
			return e, err
		},
		read:  readTenx,
		names: tenxNames,
	})
}

// The names of the files of such a folder, without .gz; versions before 3 call the features genes.
const (
	tenxMatrix   = "matrix.mtx"
	tenxBarcodes = "barcodes.tsv"
	tenxFeatures = "features.tsv"
	tenxGenes    = "genes.tsv"
)

// isTenx reports whether a path is a folder of 10x.
func isTenx(path string) bool {
	info, err := disk.Files().Stat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = tenxFile(path, tenxMatrix)
	return err == nil
}

// MeansTenx reports whether a file is one that is read of a path that is a folder of 10x.
func MeansTenx(path, file string) bool {
	there, err := disk.Files().Stat(file)
	if err != nil || !isTenx(path) {
		return false
	}
	for _, names := range [][]string{{tenxMatrix}, {tenxBarcodes}, {tenxFeatures, tenxGenes}} {
		of, err := tenxFile(path, names...)
		if err != nil {
			continue
		}
		if info, err := disk.Files().Stat(of.file); err == nil && os.SameFile(info, there) {
			return true
		}
	}
	return false
}

// tenxFile finds the first of the names that a folder holds, compressed or not.
func tenxFile(folder string, names ...string) (location, error) {
	for _, name := range names {
		for _, packed := range []string{"", ".gz", ".zst"} {
			path := filepath.Join(folder, name+packed)
			if info, err := disk.Files().Stat(path); err == nil && !info.IsDir() {
				return locate(path)
			}
		}
	}
	return location{}, wording.Errorf("the folder has %s, but no %s: copy it there, or give %s alone, whose columns are the samples (‹transpose›)",
		tenxMatrix, strings.Join(names, " or "), filepath.Join(folder, tenxMatrix))
}

// readTenx reads the counts, and turns them round.
func readTenx(loc location, o Options) (matrix, error) {
	of, err := tenxFile(loc.file, tenxMatrix)
	if err != nil {
		return matrix{}, err
	}
	m, err := of.format.read(of, o)
	if err != nil {
		return matrix{}, failure(of.path, OpRead, err)
	}
	return m.transposed(o.budget())
}

// cellsAsSamples is noted of a file that holds genes × cells.
const cellsAsSamples = "genes × cells are transposed: cells are samples, genes are columns"

// tenxNames reads the barcodes of the cells and the names of the genes.
func tenxNames(loc location, o Options) (Names, error) {
	barcodes, err := tenxColumn(loc.file, o, 1, tenxBarcodes)
	if err != nil {
		return Names{}, err
	}
	n := Names{Rows: barcodes, Of: "barcode"}
	o.note(loc, cellsAsSamples)
	if n.Columns, err = tenxColumn(loc.file, o, symbolColumn, tenxFeatures, tenxGenes); err != nil {
		return Names{}, err
	}
	n.Columns = distinct(n.Columns)
	return n, nil
}

// tenxColumn reads a column of one of the tables, or the only one that it has.
func tenxColumn(folder string, o Options, column int, names ...string) ([]string, error) {
	of, err := tenxFile(folder, names...)
	if err != nil {
		return nil, err
	}
	texts, err := fromContent(of, Options{MaxBytes: o.MaxBytes, Taken: o.Taken}, func(s source, b budget) ([]string, error) {
		return bareColumn(s, b, column)
	})
	return texts, failure(of.path, OpRead, err)
}

// longestName bounds a line of such a table.
const longestName = 1 << 20

// bareColumn reads a column, or the only one, of lines without a header, which tabs divide.
func bareColumn(s source, b budget, column int) ([]string, error) {
	lines := bufio.NewScanner(s)
	lines.Buffer(nil, longestName)
	var texts []string
	var taken float64
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		text := fields[min(column, len(fields))-1]
		if taken += float64(len(text) + textBytes); !b.fits(taken, 0) {
			return nil, b.exceeded("the column of names", taken)
		}
		texts = append(texts, strings.Clone(text))
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d has more than %d bytes: it is no table of names", len(texts)+1, longestName)
	case err != nil:
		return nil, err
	case len(texts) == 0:
		return nil, errors.New("the file is empty")
	}
	return texts, nil
}

// distinct appends -1, -2 … to names that occurred before, as scanpy does.
func distinct(names []string) []string {
	seen := make(map[string]int, len(names))
	for _, name := range names {
		seen[name] = 0
	}
	if len(seen) == len(names) {
		return names
	}
	names, met := slices.Clone(names), make(map[string]bool, len(names))
	for i, name := range names {
		for met[name] {
			seen[names[i]]++
			next := fmt.Sprintf("%s-%d", names[i], seen[names[i]])
			if _, taken := seen[next]; !taken {
				name = next
			}
		}
		met[name] = true
		names[i] = name
	}
	return names
}
