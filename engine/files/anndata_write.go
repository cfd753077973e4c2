package files

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/hdf5"
)

// Addition is what [CreateCopy] adds to a copy of an .h5ad file.
type Addition struct {
	Source    string // the matrix of the samples that was read, such as "a.h5ad:layers/counts"
	Transpose bool   // it was read with Options.Transpose
	Entry     string // coordinates as "obsm/X_umap", or a column of classes as "obs/kmeans"
}

// IsCopied reports whether an output of this path is written as a copy of its input with more in it, by [CreateCopy].
func IsCopied(path string) bool {
	loc, _ := locate(path)
	return loc.format != nil && loc.format.Name == hdf5Format.Name
}

// addition is an Addition that was checked.
type addition struct {
	source      location
	table, name string
	rows        int // of obs
	stat        fs.FileInfo
}

// CreateCopy begins a copy of the .h5ad file that was read, to which coordinates (by [Output.WriteMatrix]) or classes (by
// [Output.WriteLabels]) are added, as AnnData 0.8 and later write them. All else in it stays as it is.
// "b.h5ad:NAME" gives the entry another name. An entry that the file has
// already is an error, and so are samples that are not the rows of obs. Otherwise it is like [Create].
func CreateCopy(path string, a Addition) (*Output, error) {
	loc, err := locateOutput(path)
	if err == nil {
		loc.added, err = a.check(loc)
	}
	if err != nil {
		return nil, failure(path, OpCreate, err)
	}
	return begin(loc, nil)
}

// check opens the source, so that what cannot be added to is refused before the work.
func (a Addition) check(loc location) (*addition, error) {
	const instead = "write .npy or .csv"
	if ext, _ := extension(loc.file); ext != ".h5ad" {
		return nil, fmt.Errorf("of HDF5 files only .h5ad is written, as a copy of the input: %s", instead)
	}
	if a.Source == "" {
		return nil, fmt.Errorf("an .h5ad is written as a copy of the input, and there is none: %s", instead)
	}
	source, err := locate(a.Source)
	if err != nil || source.format.Name != hdf5Format.Name {
		return nil, fmt.Errorf("an .h5ad is written as a copy of the input, and %s is not one: %s", a.Source, instead)
	}
	f, err := openHDF5(source)
	if err != nil {
		return nil, failure(a.Source, OpRead, err)
	}
	defer f.Close()
	if !f.isAnnData() {
		return nil, fmt.Errorf("an .h5ad is written as a copy of the input, and %s lacks the tables obs and var of one: %s", source.file, instead)
	}
	stored, err := f.find(source)
	if err != nil {
		return nil, failure(a.Source, OpRead, err)
	}
	samples, columns := f.tablesOf(stored.path)
	if a.Transpose {
		samples = columns
	}
	if samples != "obs" {
		return nil, fmt.Errorf("a copy of %s takes results for the rows of obs, which are not the samples here: %s", source.file, instead)
	}
	add := &addition{source: source}
	add.table, add.name, _ = strings.Cut(a.Entry, "/")
	if loc.array != "" {
		add.name = strings.TrimPrefix(loc.array, add.table+"/")
	}
	if strings.Trim(add.name, ".") == "" || strings.ContainsAny(add.name, "/\x00") {
		return nil, fmt.Errorf("%s is not a name in %s: leave out slashes", excerpt([]byte(add.name)), add.table)
	}
	if err := add.checkTable(f); err != nil {
		return nil, err
	}
	if _, err := f.Copy(); err != nil {
		return nil, fmt.Errorf("%s cannot be added to: %w", source.file, err)
	}
	add.stat, err = disk.Files().Stat(source.file)
	return add, err
}

// rewritten is the remedy for files of old versions.
const rewritten = `write it again: python3 -c "import anndata; anndata.read_h5ad('%s').write_h5ad('new.h5ad')"`

// checkTable refuses tables that cannot get the entry.
func (a *addition) checkTable(f *hdf5File) error {
	for _, name := range []string{"obs", a.table} {
		group, err := f.root.Lookup(name)
		switch {
		case hdf5.IsMissing(err) && name == "obsm":
			return nil
		case err != nil:
			return failure(a.source.path, OpRead, err)
		case !group.IsGroup():
			return fmt.Errorf("%s has %s in the layout of AnnData before 0.7: "+rewritten, a.source.file, name, a.source.file)
		case name == "obs":
			if a.rows, err = rowsOf(group); err != nil {
				return failure(a.source.path, OpRead, err)
			}
		}
		if name != a.table {
			continue
		}
		for n := 2; group.Has(a.name); n++ {
			if free := a.name + "_" + strconv.Itoa(n); !group.Has(free) {
				return fmt.Errorf("%s has %s/%s already: give the new one another name, as in b.h5ad:%s", a.source.file, a.table, a.name, free)
			}
		}
		version, err := group.Attribute("encoding-version")
		if err != nil {
			return failure(a.source.path, OpRead, err)
		}
		if name == "obs" && (version.Text() == "" || version.Text() == "0.1.0") {
			return fmt.Errorf("%s has obs in the layout of AnnData before 0.8: "+rewritten, a.source.file, a.source.file)
		}
	}
	return nil
}

// rowsOf is the number of rows of a table, by its index.
func rowsOf(table *hdf5.Object) (int, error) {
	at, err := table.Attribute("_index")
	if err != nil {
		return 0, err
	}
	index, err := table.Lookup(cmp.Or(at.Text(), "_index"))
	if err != nil {
		return 0, err
	}
	_, shape, err := index.Info()
	if err != nil || len(shape) != 1 {
		return 0, errors.Join(err, fmt.Errorf("%s has no index", table.Path))
	}
	return int(shape[0]), nil
}

// copyWith writes a copy of the source in which make has put an object, the new member of the table.
func (a *addition) copyWith(w io.Writer, rows int, make func(c *hdf5.Copy) (uint64, error)) error {
	if rows != a.rows {
		return fmt.Errorf("%s in place of the %s of obs: write .npy or .csv", plural(rows, "row"), plural(a.rows, "row"))
	}
	if now, err := disk.Files().Stat(a.source.file); err != nil || now.Size() != a.stat.Size() || !now.ModTime().Equal(a.stat.ModTime()) {
		return errors.Join(cause(err), fmt.Errorf("%s has changed since it was read: repeat the run", a.source.file))
	}
	f, err := openHDF5(a.source)
	if err != nil {
		return err
	}
	defer f.Close()
	c, err := f.Copy()
	if err != nil {
		return err
	}
	address, err := make(c)
	if err != nil {
		return err
	}
	member := hdf5.Member{Name: a.name, Address: address}
	group, err := f.root.Lookup(a.table)
	switch {
	case hdf5.IsMissing(err):
		if member.Address, err = c.Group([]hdf5.Member{member}, encoding("dict", "0.1.0")...); err != nil {
			return err
		}
		group, member.Name = f.root, a.table
	case err != nil:
		return err
	}
	var changed []hdf5.Value
	if a.table == "obs" {
		const order = "column-order"
		old, err := group.Attribute(order)
		if err != nil {
			return err
		}
		names, err := old.Texts()
		if err != nil {
			return err
		}
		changed = []hdf5.Value{{Name: order, Value: append(names, a.name)}}
	}
	if err := c.Insert(group, member, changed...); err != nil {
		return err
	}
	_, err = c.WriteTo(w)
	return err
}

// encoding are the attributes by which AnnData reads an object.
func encoding(kind, version string) []hdf5.Value {
	return []hdf5.Value{{Name: "encoding-type", Value: kind}, {Name: "encoding-version", Value: version}}
}

// writeCoordinates writes a copy of an .h5ad file with an array more in obsm.
func writeCoordinates(w *bufio.Writer, loc location, m mat.Matrix, single bool) error {
	rows, cols := m.Dims()
	kind := hdf5.NumberType{Float: true, Size: 8}
	if single {
		kind.Size = 4
	}
	if loc.added.table != "obsm" {
		return fmt.Errorf("%s takes a class for each sample, not coordinates", loc.added.table)
	}
	return loc.added.copyWith(w, rows, func(c *hdf5.Copy) (uint64, error) {
		write := func(w io.Writer) error { return writeElements(w, m, single) }
		return c.Numbers(kind, []uint64{uint64(rows), uint64(cols)}, write, encoding("array", "0.2.0")...)
	})
}

// writeClasses writes a copy of an .h5ad file with a column of classes more in obs: a category for each number, as a text. Negative numbers are
// samples without a class.
func writeClasses(w *bufio.Writer, loc location, v integers) error {
	if loc.added.table != "obs" || v.cols != 1 {
		return fmt.Errorf("%s takes coordinates, not classes", loc.added.table)
	}
	var classes []int64
	for i := range v.rows {
		if class := v.row(i)[0]; class >= 0 {
			classes = append(classes, class)
		}
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	names := make([]string, len(classes))
	for i, class := range classes {
		names[i] = strconv.FormatInt(class, 10)
	}
	size := 1
	for size < 4 && len(classes) > 1<<(8*size-1)-1 { // as pandas has codes
		size *= 2
	}
	write := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		var code [8]byte
		for i := range v.rows {
			at, found := slices.BinarySearch(classes, v.row(i)[0])
			if !found {
				at = -1
			}
			binary.LittleEndian.PutUint64(code[:], uint64(at))
			if _, err := b.Write(code[:size]); err != nil {
				return err
			}
		}
		return b.Flush()
	}
	return loc.added.copyWith(w, v.rows, func(c *hdf5.Copy) (uint64, error) {
		codes, err := c.Numbers(hdf5.NumberType{Size: size}, []uint64{uint64(v.rows)}, write, encoding("array", "0.2.0")...)
		if err != nil {
			return 0, err
		}
		categories, err := c.Texts(names, encoding("string-array", "0.2.0")...)
		if err != nil {
			return 0, err
		}
		attributes := append(encoding("categorical", "0.2.0"), hdf5.Value{Name: "ordered", Value: false})
		return c.Group([]hdf5.Member{{Name: "categories", Address: categories}, {Name: "codes", Address: codes}}, attributes...)
	})
}
