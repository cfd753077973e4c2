package files

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/internal/hdf5"
)

// The layout of .h5ad files is in "On-disk format" of AnnData's documentation, for versions since 0.7: X and layers are n × m, obs
// and var are tables of the rows and the columns, obsm, varm and obsp belong to them, and raw has X and var of its own.
// 10x keeps the barcodes and features next to the counts.

// hdf5Names reads the names of the rows and the columns of the matrix that is read.
func hdf5Names(loc location, o Options) (Names, error) {
	f, err := openHDF5(loc)
	if err != nil {
		return Names{}, err
	}
	defer f.Close()
	a, err := f.find(loc)
	if err != nil {
		return Names{}, err
	}
	var n Names
	if a.tenx {
		n.Of = "barcode"
		o.note(loc, cellsAsSamples)
		if n.Rows, err = f.textsAt(a.path + "/barcodes"); err != nil {
			return n, err
		}
		for _, path := range []string{"features/name", "gene_names", "features/id", "genes"} {
			if n.Columns, err = f.textsAt(a.path + "/" + path); err != nil || n.Columns != nil {
				break
			}
		}
		n.Columns = distinct(n.Columns)
		return n, err
	}
	rows, columns := f.tablesOf(a.path)
	if rows == "" && columns == "" {
		return n, nil
	}
	if n.Rows, n.Of, err = f.index(rows); err != nil {
		return n, err
	}
	n.Columns, _, err = f.index(columns)
	n.Columns = distinct(n.Columns)
	return n, err
}

// tablesOf are the paths of the tables of AnnData that describe the rows and the columns of a matrix; "": none does.
func (f *hdf5File) tablesOf(path string) (rows, columns string) {
	if !f.isAnnData() {
		return "", ""
	}
	first, rest, _ := strings.Cut(path, "/")
	switch first {
	case "X", "layers":
		return "obs", "var"
	case "raw":
		if rest == "X" {
			return "obs", "raw/var"
		}
	case "obsm":
		return "obs", ""
	case "varm":
		return "var", ""
	case "obsp":
		return "obs", "obs"
	}
	return "", ""
}

// index reads the names of the rows of a table, and what they are; nil: it has none that are text.
func (f *hdf5File) index(table string) (names []string, of string, err error) {
	if table == "" {
		return nil, "", nil
	}
	o, err := f.root.Lookup(table)
	if hdf5.IsMissing(err) || err == nil && !o.IsGroup() {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	at, err := o.Attribute("_index")
	if err != nil {
		return nil, "", err
	}
	name := at.Text()
	if name == "" {
		name = "_index"
	}
	names, err = f.textsAt(table + "/" + name)
	if of = name; of == "_index" || of == "index" {
		of = "id"
	}
	return names, of, err
}

// textsAt reads an array of text; nil: there is none.
func (f *hdf5File) textsAt(path string) ([]string, error) {
	o, err := f.root.Lookup(path)
	if hdf5.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !o.IsDataset() {
		return nil, nil
	}
	d, err := o.Dataset()
	if err != nil || d.Type.Class != hdf5.String {
		return nil, err
	}
	return d.Texts()
}

// column is a column of classes: texts, or integers with what they stand for.
type column struct {
	values []int64
	texts  []string // instead
}

// readColumn reads a column of a table, or any other vector of integers or text.
func (f *hdf5File) readColumn(path string, b budget) (column, error) {
	o, err := f.lookup(path)
	if err != nil {
		if columns := f.columns(); len(columns) > 0 {
			return column{}, fmt.Errorf("%w; the columns of obs are %s", err, shortList(columns))
		}
		return column{}, err
	}
	switch {
	case o.Has("codes", "categories"):
		codes, err := o.Lookup("codes")
		if err != nil {
			return column{}, err
		}
		categories, err := o.Lookup("categories")
		if err != nil {
			return column{}, err
		}
		return categorical(codes, categories, b)
	case o.Has("values", "mask"):
		return nullable(o, b)
	}
	d, err := o.Dataset()
	if err != nil {
		return column{}, fmt.Errorf("%w: labels are an array of integers or text, such as obs/column", err)
	}
	reference, err := o.Attribute("categories") // of AnnData before 0.8
	if err != nil {
		return column{}, err
	}
	if at := reference.Numbers(); len(at) == 1 && reference.Type.Class == hdf5.Reference {
		categories, err := f.At(at[0])
		if err != nil {
			return column{}, err
		}
		return categorical(o, categories, b)
	}
	return vector(o, d, b)
}

// columns lists the columns of obs, where AnnData keeps what is known of its samples.
func (f *hdf5File) columns() []string {
	obs, err := f.root.Lookup("obs")
	if err != nil {
		return nil
	}
	names, _ := obs.Members()
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "_") })
}

// vector reads integers or text.
func vector(o *hdf5.Object, d *hdf5.Dataset, b budget) (column, error) {
	if d.Type.Class == hdf5.String {
		if err := b.check("the column of text", 2*float64(d.Bytes())+textBytes*float64(d.Bytes())/float64(d.Type.Size), d.Held(1)); err != nil {
			return column{}, err
		}
		texts, err := d.Texts()
		return column{texts: texts}, err
	}
	if err := checkNumbers(o, d); err != nil {
		return column{}, err
	}
	s, h, err := denseSource(storedArray{dense: d}, b)
	if err != nil {
		return column{}, err
	}
	if h.rows == 0 || h.cols == 0 {
		return column{}, emptyMatrix(h.rows, h.cols)
	}
	v, err := readArrayLabels(s, h, b)
	return column{values: v}, err
}

// categorical puts categories in the place of codes; −1 is a missing value.
func categorical(codes, categories *hdf5.Object, b budget) (column, error) {
	d, err := codes.Dataset()
	if err != nil {
		return column{}, err
	}
	of, err := vector(codes, d, b)
	if err != nil {
		return column{}, err
	}
	if d, err = categories.Dataset(); err != nil {
		return column{}, err
	}
	named, err := vector(categories, d, b)
	if err != nil {
		return column{}, err
	}
	c := column{}
	for i, code := range of.values {
		if code < -1 || code >= int64(max(len(named.texts), len(named.values))) {
			return c, fmt.Errorf("%s: entry %d (counting from 1) has the code %d of %d categories: the file is damaged", codes.Path, i+1, code, max(len(named.texts), len(named.values)))
		}
		switch {
		case named.texts != nil && code < 0:
			c.texts = append(c.texts, "")
		case named.texts != nil:
			c.texts = append(c.texts, named.texts[code])
		case code < 0:
			return c, missingClass(i)
		default:
			c.values = append(c.values, named.values[code])
		}
	}
	return c, nil
}

// nullable reads integers or booleans of which some are missing.
func nullable(o *hdf5.Object, b budget) (column, error) {
	var c [2]column
	for i, name := range []string{"values", "mask"} {
		m, err := o.Lookup(name)
		if err != nil {
			return column{}, err
		}
		d, err := m.Dataset()
		if err != nil {
			return column{}, err
		}
		if c[i], err = vector(m, d, b); err != nil {
			return column{}, err
		}
	}
	for i, masked := range c[1].values {
		if masked != 0 {
			return column{}, missingClass(i)
		}
	}
	return c[0], nil
}

func missingClass(i int) error {
	return &MissingError{fmt.Sprintf("entry %d (counting from 1) has no class, and every sample needs one: fill it in, or leave the sample out", i+1)}
}

// labelsOf reads the column that a path names.
func labelsOf(loc location, o Options) (column, error) {
	f, err := openHDF5(loc)
	if err != nil {
		return column{}, err
	}
	defer f.Close()
	path := loc.array
	if path == "" {
		if f.isAnnData() {
			return column{}, fmt.Errorf("labels are one column: name it, as in %s:obs/column", loc.file)
		}
		if path, err = f.main(); err != nil {
			return column{}, err
		}
	}
	return f.readColumn(path, o.budget())
}

func readHDF5Labels(loc location, o Options) ([]int64, error) {
	c, err := labelsOf(loc, o)
	if err != nil {
		return nil, err
	}
	if c.texts == nil {
		return c.values, nil
	}
	labels := make([]int64, len(c.texts))
	for i, text := range c.texts {
		if labels[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, &TextError{Text: text, problem: fmt.Sprintf("entry %d (counting from 1) is %s and no integer", i+1, excerpt([]byte(text)))}
		}
	}
	return labels, nil
}

func readHDF5Texts(loc location, o Options) (textColumn, error) {
	c, err := labelsOf(loc, o)
	if err == nil && c.texts == nil {
		for _, v := range c.values {
			c.texts = append(c.texts, strconv.FormatInt(v, 10))
		}
	}
	_, name, _ := strings.Cut("/"+loc.array, "/")
	return textColumn{texts: c.texts, name: name}, err
}
