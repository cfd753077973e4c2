package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
)

// tableFlags say which columns of a table are the samples, or how images become rows, and
// keep what is known of the samples besides their numbers.
type tableFlags struct {
	columns, drop columnList
	id            string
	classes       bool   // the command takes the classes of the samples
	targets       string // the path of what is known of the samples in numbers; empty: the command does not take it
	weights       string // the path of the weights of the samples; empty: the command does not take them
	datasets      string // the path of the dataset of each sample; empty: the command does not take it
	missing       string // error, drop or mean; empty: the command has no such flag
	namesFile     string // the path of the names of the columns; empty: those of the input
	resize        imageSize
	grey          bool
	transpose     bool // the columns of the file are the samples

	names    []string // of the columns; nil: they have none
	ids      []string // of the samples that are kept; nil: they have none
	idName   string
	titled   bool  // outputs have a header
	kept     []int // of the rows that were read; nil: all
	total    int   // rows that were read
	reported bool  // that an output holds no ids
}

// addFlags adds them to the flags of inputs.
func (t *tableFlags) addFlags(inv *invocation, f *pflag.FlagSet) {
	f.Var(&t.columns, "columns", "read these `COLUMNS` alone, by name or by number from 1, as in height,width,3-7 (or behind a colon: --in file.csv:height,width)")
	f.Var(&t.drop, "drop", "leave these `COLUMNS` out")
	f.StringVar(&t.id, "id", "", "the `COLUMN` that names the samples: it is not a feature, and becomes the first column of outputs of text")
	f.BoolVar(&t.transpose, "transpose", false, "the samples are the columns of the file; with --id and a header, names of rows and columns go with them")
	inv.text.addFlags(f)
	f.Var(&t.resize, "resize", "bring images to `HxW` pixels, such as 32x32")
	f.BoolVar(&t.grey, "grey", false, "read coloured images as grey ones")
}

// ofInput is the path of a column of the samples' own table: ":species" means it.
func ofInput(path, in string) (string, error) {
	if !strings.HasPrefix(path, ":") {
		return path, nil
	}
	if in == "" || in == "-" || files.IsImages(in) {
		return "", wrong("%s means a column of --in, which is not a table here; name the file before the colon", path)
	}
	return files.FileOf(in) + path, nil
}

// options are those by which the samples are read: without the columns that are their
// classes, their targets, their weights and their names.
func (t *tableFlags) options(inv *invocation, in, labels string) files.Options {
	o := inv.readingOf(in)
	o.Columns, o.Drop = t.columns, slices.Clone([]string(t.drop))
	if len(t.columns) == 0 && !files.Selects(in) {
		for _, path := range []string{labels, t.targets, t.weights, t.datasets} {
			for _, name := range files.Selection(path) {
				if files.FileOf(path) == files.FileOf(in) && !slices.Contains(o.Drop, name) {
					o.Drop = append(o.Drop, name)
				}
			}
		}
		if t.id != "" && !slices.Contains(o.Drop, t.id) {
			o.Drop = append(o.Drop, t.id)
		}
	}
	o.Missing = t.missing == "drop" || t.missing == "mean"
	o.Transpose = t.transpose
	return o
}

// read reads the samples by a function, or as images, and what goes with them. labels is
// the path of their classes, which may be a column of the same table.
func (t *tableFlags) read(inv *invocation, in, labels string, by func(o files.Options) (mat.Matrix, error)) (mat.Matrix, error) {
	if files.IsImages(in) {
		if t.namesFile != "" {
			return nil, wrong("--names names columns, and %s has images; leave it out", in)
		}
		return t.readImages(inv, in)
	}
	if t.transpose && strings.HasPrefix(labels, ":") || t.transpose && labels != "" && labels != "-" && files.HasColumns(in) && files.FileOf(labels) == files.FileOf(in) {
		return nil, wrong("--labels %s is a column of %s, whose columns are the samples with --transpose; give the labels as another file", labels, in)
	}
	if t.resize.height > 0 || t.grey {
		return nil, wrong("--resize and --grey are for images, and %s has no images; leave them out", in)
	}
	o := t.options(inv, in, labels)
	if err := t.readAbout(inv, in, o); err != nil {
		return nil, err
	}
	x, err := by(o)
	if err != nil {
		return nil, t.remedy(in, o, err)
	}
	if x, err = t.choose(in, o, x); err != nil {
		return nil, err
	}
	t.total, _ = x.Dims()
	if t.ids != nil && len(t.ids) != t.total {
		return nil, wrong("%s has %d ids for %d samples; correct the file", in, len(t.ids), t.total)
	}
	if o.Missing {
		if err := t.complete(inv, in, x); err != nil {
			return nil, err
		}
	}
	if err := t.nameColumns(inv, in, x); err != nil {
		return nil, err
	}
	t.recognise(inv, in, labels, x)
	return x, nil
}

// namesFlag adds the flag for names of columns that another file has.
func (t *tableFlags) namesFlag(f *pflag.FlagSet) {
	f.StringVar(&t.namesFile, "names", "", "`FILE` with the names of the columns of --in, if that has none: one a line, the second field of lines with tabs (features.tsv of 10x), or FILE:column of a table")
}

// nameColumns takes the names of the columns from a file of their own.
func (t *tableFlags) nameColumns(inv *invocation, in string, x mat.Matrix) error {
	if t.namesFile == "" {
		return nil
	}
	names, err := files.ReadNames(t.namesFile, inv.readingOf(t.namesFile))
	if err != nil {
		return err
	}
	if _, m := x.Dims(); len(names) != m {
		return wrong("--names %s has %d names for the %d columns that are read of %s; give one for each, one a line without a header, or name the column of a table behind a colon (%s:name)",
			t.namesFile, len(names), m, in, files.FileOf(t.namesFile))
	}
	t.names, inv.features = names, names
	return nil
}

// readAbout reads the names of columns and samples.
func (t *tableFlags) readAbout(inv *invocation, in string, o files.Options) (err error) {
	if in == "-" || !files.HasColumns(in) {
		if t.id != "" {
			return wrong("--id names a column of a table, and %s is not a table; give a .csv or .tsv, or leave it out", in)
		}
		return t.readNames(inv, in, o)
	}
	gaps := o
	gaps.Missing = true // they are reported when the numbers are read
	if t.names, err = files.ColumnNames(in, gaps); err != nil {
		return t.remedy(in, o, err)
	}
	t.titled, inv.features = t.names != nil, t.names
	if t.id == "" {
		t.transposeNames(inv)
		return nil
	}
	own := o
	own.Columns, own.Drop = []string{t.id}, nil
	if t.ids, t.idName, err = files.ReadTexts(files.FileOf(in), own); err != nil {
		return err
	}
	if t.titled = true; t.idName == "" {
		t.idName = "id"
	}
	t.transposeNames(inv)
	return nil
}

// transposeNames makes the names of rows and columns the names of columns and rows, where the samples are the columns.
func (t *tableFlags) transposeNames(inv *invocation) {
	if t.transpose {
		t.names, t.ids, t.idName = t.ids, t.names, "id"
		inv.features = t.names
	}
}

// readNames reads the names that a file holds that is no table.
func (t *tableFlags) readNames(inv *invocation, in string, o files.Options) error {
	if t.transpose && len(t.columns)+len(t.drop) > 0 {
		return wrong("--columns and --drop with --transpose choose columns of a table, and %s is not a table; leave them out", in)
	}
	if in == "-" || !files.HasNames(in) {
		return nil
	}
	n, err := files.NamesOf(in, o)
	if err != nil {
		return err
	}
	t.ids, t.idName, t.names, inv.features = n.Rows, n.Of, n.Columns, n.Columns
	t.titled = n.Rows != nil || n.Columns != nil
	return nil
}

// checkRows refuses columns that are chosen of samples that are read by rows from a file
// without names.
func (t *tableFlags) checkRows(in string) error {
	if len(t.columns)+len(t.drop) > 0 && !files.HasColumns(in) {
		return wrong("--columns and --drop need a table here (.csv, .tsv, .txt, .parquet), and %s is not a table; leave them out", in)
	}
	return nil
}

// choose takes the columns of a matrix without names, by their numbers.
func (t *tableFlags) choose(in string, o files.Options, x mat.Matrix) (mat.Matrix, error) {
	choice := files.Choice{Columns: o.Columns, Drop: o.Drop}
	if files.HasColumns(in) || len(choice.Columns)+len(choice.Drop) == 0 {
		return x, nil
	}
	rows, cols := x.Dims()
	places, err := choice.Places(t.names, cols)
	if err != nil {
		return nil, wrong("%s: %w", in, err)
	}
	if t.names != nil {
		some := make([]string, len(places))
		for j, at := range places {
			some[j] = t.names[at]
		}
		t.names = some
	}
	dense, ok := x.(*mat.Dense)
	if !ok {
		a, compressed := x.(*sparse.CSR)
		if !compressed {
			return nil, wrong("--columns and --drop need samples in float64 here; leave them out")
		}
		return chosenColumns(a, places), nil
	}
	raw, row := dense.RawMatrix().Data, make([]float64, cols)
	for i := range rows {
		copy(row, dense.RawRowView(i))
		for j, at := range places {
			raw[i*len(places)+j] = row[at] // never behind the row that was read
		}
	}
	return mat.NewDense(rows, len(places), raw[:rows*len(places)]), nil
}

// chosenColumns takes columns of a sparse matrix, in the given order.
func chosenColumns(a *sparse.CSR, places []int) *sparse.CSR {
	to := make([]int32, a.Cols)
	for j := range to {
		to[j] = -1
	}
	for j, at := range places {
		to[at] = int32(j)
	}
	some := &sparse.CSR{Rows: a.Rows, Cols: len(places), Ptr: make([]int, 1, a.Rows+1)}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		start := len(some.Col)
		for p, j := range cols {
			if to[j] < 0 {
				continue
			}
			at, _ := slices.BinarySearch(some.Col[start:], to[j])
			some.Col = slices.Insert(some.Col, start+at, to[j])
			some.Val = slices.Insert(some.Val, start+at, vals[p])
		}
		some.Ptr = append(some.Ptr, len(some.Col))
	}
	return some
}

// columnAt names a column for a message.
func (t *tableFlags) columnAt(j int) string {
	if t.names == nil {
		return fmt.Sprintf("column %d", j+1)
	}
	return fmt.Sprintf("column %d (%s)", j+1, t.names[j])
}

// nameAt is how a flag names a column.
func (t *tableFlags) nameAt(j int) string {
	if t.names == nil {
		return strconv.Itoa(j + 1)
	}
	return t.names[j]
}

// keptOf are what goes with the rows that are kept.
func keptOf[T any](t *tableFlags, all []T) []T {
	if t.kept == nil || len(all) != t.total {
		return all
	}
	some := make([]T, len(t.kept))
	for at, i := range t.kept {
		some[at] = all[i]
	}
	return some
}

// row is the row of the input that a sample was, counted from 0.
func (t *tableFlags) row(i int) int {
	if t.kept == nil {
		return i
	}
	return t.kept[i]
}

// rows are the rows of the input that some samples were.
func (t *tableFlags) rows(samples []int) []int {
	if t.kept == nil {
		return samples
	}
	rows := make([]int, len(samples))
	for at, i := range samples {
		rows[at] = t.row(i)
	}
	return rows
}

// title gives an output the names of its columns, and the ids of its rows; nil: rows have
// none.
func (t *tableFlags) title(inv *invocation, out *files.Output, columns, ids []string) {
	if out == nil || !t.titled {
		return
	}
	if taken := out.Name(columns, ids, t.idName); !taken && ids != nil && t.id != "" && !t.reported {
		t.reported = true
		inv.warn("the ids (--id) are written to outputs of text alone (.csv, .tsv, .txt)")
	}
}

// coordinateNames are the names of coordinates by a method: neml1, neml2 …
func coordinateNames(method string, n int) []string {
	names := make([]string, n)
	for j := range names {
		names[j] = method + strconv.Itoa(j+1)
	}
	return names
}

// hasID reports whether a file is a table with the column that --id names.
func (t *tableFlags) hasID(inv *invocation, path string) bool {
	if t.id == "" || path == "" || path == "-" || !files.HasColumns(path) {
		return false
	}
	names, err := files.ColumnNames(files.FileOf(path), inv.readingOf(path))
	if _, number := strconv.Atoi(t.id); err == nil && names == nil {
		return number == nil
	}
	return err == nil && slices.Contains(names, t.id)
}

// companionOptions are the options to read a file that goes with the samples, such as their
// embedding or their clusters: without the column of the ids, where it has that.
func (t *tableFlags) companionOptions(inv *invocation, path string) files.Options {
	o := inv.readingOf(path)
	if !files.Selects(path) && t.hasID(inv, path) {
		o.Drop = []string{t.id}
	}
	return o
}

// readCompanion reads numbers that go with the samples. A first column of texts of which no two
// are equal names the samples, as this command writes them, and is passed over.
func (t *tableFlags) readCompanion(inv *invocation, path string) (*mat.Dense, error) {
	return t.readCompanionWith(inv, path, func(*files.Options) {})
}

// readCompanionWith is readCompanion with options of its own.
func (t *tableFlags) readCompanionWith(inv *invocation, path string, own func(o *files.Options)) (*mat.Dense, error) {
	o := t.companionOptions(inv, path)
	own(&o)
	x, err := files.ReadMatrix(path, o)
	if text, is := errors.AsType[*files.TextError](err); is && path != "-" {
		columns, other := files.TextColumns(path, o)
		if other != nil || len(columns) != 1 || columns[0].Number != 1 || !columns[0].Unique || len(o.Drop) > 0 || files.Selects(path) {
			return nil, &files.Error{Path: path, Op: files.OpRead, Err: fmt.Errorf("%s; name the columns of numbers behind a colon, as in %s:2-3", text.Error(), files.FileOf(path))}
		}
		if o.Drop = []string{"1"}; columns[0].Name != "" {
			o.Drop[0] = columns[0].Name
		}
		x, err = files.ReadMatrix(path, o)
	}
	if err != nil || t.kept == nil {
		return x, err
	}
	rows, cols := x.Dims()
	if rows != t.total {
		return x, nil
	}
	some := mat.NewDense(len(t.kept), cols, nil)
	for at, i := range t.kept {
		some.SetRow(at, x.RawRowView(i))
	}
	return some, nil
}

// namedPixels is the number of pixels up to which each has a name, which takes some memory.
const namedPixels = 1 << 16

// readImages reads a folder or a pattern of images.
func (t *tableFlags) readImages(inv *invocation, in string) (mat.Matrix, error) {
	if len(t.columns)+len(t.drop) > 0 || t.id != "" || t.transpose {
		return nil, wrong("--columns, --drop, --id and --transpose are for tables, and %s means images; leave them out", in)
	}
	im, err := files.ReadImages(in, inv.reading(), files.ImageOptions{Height: t.resize.height, Width: t.resize.width, Grey: t.grey})
	if err != nil {
		return nil, err
	}
	t.ids, t.idName, t.titled = im.Names, "image", true
	if im.Height*im.Width <= namedPixels {
		t.names = im.PixelNames()
	}
	t.total = len(im.Names)
	inv.images = im
	return im.X, nil
}

// reportImages says which images the samples are.
func (inv *invocation) reportImages() {
	if inv.images == nil {
		return
	}
	colours := "grey"
	if inv.images.Channels == 3 {
		colours = "colour"
	}
	line(inv.say(), "images", "%d of %d × %d pixels, %s", len(inv.images.Names), inv.images.Height, inv.images.Width, colours)
}

// addMissing adds the flag for missing values.
func (t *tableFlags) addMissing(f *pflag.FlagSet) {
	f.StringVar(&t.missing, missingKey, "error", "what empty fields, NA and NaN mean: `WHAT` is error; drop: leave out the rows that have one; mean: take the mean of the column")
}

// checkMissing refuses words that mean nothing here.
func (t *tableFlags) checkMissing(method string) error {
	switch t.missing {
	case "", "error", "drop", "mean":
		return nil
	case "weight":
		return wrong("--missing weight is for %s of \"orthant factorize\" and %s of \"orthant embed\", and not for %s; give drop or mean",
			strings.Join(takingMissing("factorize"), ", "), strings.Join(takingMissing("embed"), ", "), method)
	}
	return wrong("--missing is %q; give error, drop or mean", t.missing)
}

// checkDropped refuses rows to be left out where another input goes by them.
func (t *tableFlags) checkDropped(flagsAndPaths ...string) error {
	for i := 0; i < len(flagsAndPaths); i += 2 {
		if t.missing == "drop" && flagsAndPaths[i+1] != "" {
			return wrong("--missing drop leaves rows out, and %s would no longer go with them; give --missing mean, or leave %s out", flagsAndPaths[i], flagsAndPaths[i])
		}
	}
	return nil
}

// checkWith refuses more than one structure, words for missing values that mean nothing here, and rows to be left out where
// the structure or another input goes by them.
func (t *tableFlags) checkWith(s structure, method string, flagsAndPaths ...string) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := t.checkMissing(method); err != nil {
		return err
	}
	return t.checkDropped(append(s.paths(), flagsAndPaths...)...)
}

// complete leaves out the rows that lack a value, or fills it in, in the place of x.
func (t *tableFlags) complete(inv *invocation, in string, m mat.Matrix) error {
	x, dense := m.(*mat.Dense)
	if !dense {
		return wrong("--missing %s is for dense samples, but %s is sparse; fill in the missing values first", t.missing, in)
	}
	rows, cols := x.Dims()
	if at := slices.IndexFunc(x.RawMatrix().Data, func(v float64) bool { return math.IsInf(v, 0) }); at >= 0 {
		return wrong("%s: row %d, column %d (counting from 1) is %v, which is not a missing value; correct it first", in, at/cols+1, at%cols+1, x.At(at/cols, at%cols))
	}
	if t.missing == "mean" {
		return t.fill(inv, in, x)
	}
	kept := make([]int, 0, rows)
	for i := range rows {
		if !slices.ContainsFunc(x.RawRowView(i), math.IsNaN) {
			kept = append(kept, i)
		}
	}
	switch {
	case len(kept) == rows:
		return nil
	case len(kept) == 0:
		return wrong("every row of %s lacks a value, so that --missing drop leaves none; give --missing mean, or leave out the columns with gaps (--drop)", in)
	}
	for to, from := range kept {
		copy(x.RawRowView(to), x.RawRowView(from))
	}
	*x = *mat.NewDense(len(kept), cols, x.RawMatrix().Data[:len(kept)*cols])
	t.kept = kept
	if t.ids != nil {
		t.ids = keptOf(t, t.ids)
	} else if t.titled {
		t.idName = "row"
		for _, i := range kept {
			t.ids = append(t.ids, strconv.Itoa(i+1))
		}
	}
	inv.warn("left out by --missing drop: %d of %d rows of %s, which lack a value; outputs have %d rows", rows-len(kept), rows, in, len(kept))
	return nil
}

// fill puts the mean of its column in the place of each missing value.
func (t *tableFlags) fill(inv *invocation, in string, x *mat.Dense) error {
	rows, cols := x.Dims()
	sums, counts := make([]float64, cols), make([]int, cols)
	for i := range rows {
		for j, v := range x.RawRowView(i) {
			if v == v {
				counts[j]++
				sums[j] += (v - sums[j]) / float64(counts[j]) // the mean so far, so that nothing overflows
			}
		}
	}
	filled := 0
	for i := range rows {
		row := x.RawRowView(i)
		for j, v := range row {
			if v == v {
				continue
			}
			if counts[j] == 0 {
				return wrong("%s: %s has no value in any row, and so no mean; leave it out (--drop %s)", in, t.columnAt(j), t.nameAt(j))
			}
			row[j] = sums[j]
			filled++
		}
	}
	if filled > 0 {
		inv.warn("%s of %s filled in by the mean of the column (--missing mean)", counted(filled, "missing value"), in)
	}
	return nil
}

// columnList is a list of columns, as [files.ParseColumns] reads it.
type columnList []string

func (c *columnList) String() string { return strings.Join(*c, ",") }

// Type names the expected value.
func (c *columnList) Type() string { return "columns" }

// Set reads the value of a flag.
func (c *columnList) Set(text string) (err error) {
	*c, err = files.ParseColumns(text)
	return err
}

// imageSize is the height and width of images.
type imageSize struct{ height, width int }

func (s *imageSize) String() string {
	if s.height == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", s.height, s.width)
}

// Type names the expected value.
func (s *imageSize) Type() string { return "size" }

// Set reads the value of a flag.
func (s *imageSize) Set(text string) error {
	const most = 1 << 13
	height, width, both := strings.Cut(strings.ToLower(text), "x")
	h, err1 := strconv.Atoi(height)
	w, err2 := strconv.Atoi(width)
	if !both || err1 != nil || err2 != nil || h < 1 || w < 1 || h > most || w > most {
		return fmt.Errorf("give height and width in pixels, such as 32x32 (at most %d)", most)
	}
	*s = imageSize{h, w}
	return nil
}

// weightsFlag adds the flag for the weights of the samples.
func (t *tableFlags) weightsFlag(f *pflag.FlagSet, methods string) {
	f.StringVar(&t.weights, "weights", "", "`FILE` with the weight of each sample, a number ≥ 0 (FILE:column of a table, :column of the input), of "+methods)
}

// weighing names the methods that take weights of the samples.
func weighing() (names []string) {
	for _, e := range engine.Methods() {
		if e.Weighted {
			names = append(names, e.Name)
		}
	}
	return names
}

// checkWeights refuses weights for a method that takes none, before anything is read, and finds the column of the input
// that they may be.
func (t *tableFlags) checkWeights(method, in string) (err error) {
	if t.weights != "" && !slices.Contains(weighing(), method) {
		return wrong("--weights is for %s; leave it out for %s", strings.Join(weighing(), " and "), method)
	}
	t.weights, err = ofInput(t.weights, in)
	return err
}

// readWeights reads the weights of the samples that are kept, of those that a file has; nil: there are none.
func (t *tableFlags) readWeights(inv *invocation, of string) ([]float64, error) {
	if t.weights == "" {
		return nil, nil
	}
	w, err := files.ReadMatrix(t.weights, inv.readingOf(t.weights))
	if err != nil {
		return nil, err
	}
	rows, cols := w.Dims()
	if rows == 1 && cols == t.total {
		rows, cols, w = cols, 1, mat.DenseCopyOf(w.T())
	}
	switch {
	case cols != 1:
		return nil, wrong("%s has %s, and a sample has one weight; name the column behind a colon", t.weights, counted(cols, "column"))
	case rows != t.total:
		return nil, wrong("%s has %s for the %d samples of %s; give one for each", t.weights, counted(rows, "row"), t.total, of)
	}
	return keptOf(t, mat.Col(nil, 0, w)), nil
}
