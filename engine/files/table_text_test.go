package files

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// flowers is a table as people have them.
const flowers = "name,length,width,petal,species\n" +
	"a1,5.1,3.5,1.4,setosa\n" +
	"a2,4.9,3,1.3,setosa\n" +
	"a3,7,3.2,4.7,\"versi, color\"\n"

func TestChosenColumns(t *testing.T) {
	path := write(t, "x.csv", []byte(flowers))
	plain := write(t, "y.csv", []byte("1,2,3\n4,5,6\n"))
	for _, c := range []struct {
		path string
		o    Options
		cols int
		want []float64
	}{
		{path, Options{Columns: []string{"width", "length"}}, 2, []float64{3.5, 5.1, 3, 4.9, 3.2, 7}},
		{path, Options{Columns: []string{"2-4"}}, 3, []float64{5.1, 3.5, 1.4, 4.9, 3, 1.3, 7, 3.2, 4.7}},
		{path, Options{Drop: []string{"1", "species"}}, 3, []float64{5.1, 3.5, 1.4, 4.9, 3, 1.3, 7, 3.2, 4.7}},
		{path + ":petal", Options{}, 1, []float64{1.4, 1.3, 4.7}},
		{path + ":2-4", Options{Drop: []string{"width"}}, 2, []float64{5.1, 1.4, 4.9, 1.3, 7, 4.7}},
		{plain + ":3,1", Options{}, 2, []float64{3, 1, 6, 4}},
		{plain, Options{Drop: []string{"2"}}, 2, []float64{1, 3, 4, 6}},
	} {
		got, err := ReadMatrix(c.path, c.o)
		if err != nil {
			t.Errorf("%s %v: %v", filepath.Base(c.path), c.o, err)
			continue
		}
		if _, cols := got.Dims(); cols != c.cols || !slices.Equal(got.RawMatrix().Data, c.want) {
			t.Errorf("%s %v: %v of %d columns", filepath.Base(c.path), c.o, got.RawMatrix().Data, cols)
		}
		rows := must.Get(OpenRows(c.path, c.o))(t)
		if rows.Cols() != c.cols {
			t.Errorf("%s: %d columns by rows", filepath.Base(c.path), rows.Cols())
		}
		rows.Close()
	}
	if names, err := ColumnNames(path, Options{Columns: []string{"width", "2"}}); err != nil || !slices.Equal(names, []string{"width", "length"}) {
		t.Errorf("names %q, %v", names, err)
	}
}

func TestColumnsThatAreNotThere(t *testing.T) {
	path := write(t, "x.csv", []byte(flowers))
	plain := write(t, "y.csv", []byte("1,2,3\n4,5,6\n"))
	twins := write(t, "z.csv", []byte("a,b,a\n4,5,6\n"))
	other := write(t, "w.csv", []byte("a|b\n4|5\n"))
	for _, c := range []struct {
		path string
		o    Options
		want string
	}{
		{path, Options{Columns: []string{"height"}}, `the table has no column "height"; it has name, length, width, petal, species`},
		{path, Options{Columns: []string{"2-9"}}, "there is no column 2-9: the table has 5 columns"},
		{path, Options{Columns: []string{"0"}}, "there is no column 0"},
		{path, Options{Columns: []string{"4-2"}}, "4-2 is not a range of columns: give the lower number first"},
		{path, Options{Columns: []string{"width", "2-3"}}, `column 3 is listed twice (by "2-3")`},
		{path, Options{Columns: []string{"2-3"}, Drop: []string{"2-3"}}, "no column is left to read"},
		{path + ":width", Options{Columns: []string{"width"}}, "columns are chosen twice"},
		{path, Options{Columns: []string{"width", "species"}}, `line 2, column 5 (species): "setosa" is not a number`},
		{plain, Options{Columns: []string{"a"}}, "the table has no header, and its columns go by their numbers, 1 to 3"},
		{twins, Options{Columns: []string{"a"}}, `several columns "a": give their numbers, such as 1`},
		{other, Options{Columns: []string{"a"}}, "it has one column, a|b; say which character separates the fields (Options.Delimiter)"},
	} {
		must.Refuse(t, c.want)(ReadMatrix(c.path, c.o))
	}
}

// A semicolon is detected from the first lines, and a text with only commas is read as before.
func TestSemicolons(t *testing.T) {
	for _, c := range []struct {
		text string
		cols int
		want []float64
	}{
		{"a;b\n4;5\n", 2, []float64{4, 5}},
		{"a;b;c\n1,5;2,25;3\n4;5;6,5\n", 3, []float64{1.5, 2.25, 3, 4, 5, 6.5}},
		{"1,5;2,5\n3,5;4,5\n", 2, []float64{1.5, 2.5, 3.5, 4.5}}, // as many commas in each line
		{"\xef\xbb\xbf1;2\n3;4\n", 2, []float64{1, 2, 3, 4}},
		{"1,5;2,5\n", 2, []float64{1.5, 2.5}},
		{"\"width; in mm\",b\n1,2\n", 2, []float64{1, 2}},
		{"width; in mm,b\n1,2\n", 2, []float64{1, 2}},
		{"1,2\n3,4\n", 2, []float64{1, 2, 3, 4}},
	} {
		path := write(t, "x.csv", []byte(c.text))
		got, err := ReadMatrix(path, Options{})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if _, cols := got.Dims(); cols != c.cols || !slices.Equal(got.RawMatrix().Data, c.want) {
			t.Errorf("%q: %d columns, %v", c.text, cols, got.RawMatrix().Data)
		}
		r, err := OpenRows(path, Options{})
		if err != nil || r.Cols() != c.cols {
			t.Errorf("%q: rows of %v, %v", c.text, r, err)
		}
		r.Close()
	}
	if _, err := ReadMatrix(write(t, "x.csv", []byte("1;2\n3;4\n")), Options{Delimiter: ','}); err == nil {
		t.Error("a delimiter that is given is not kept")
	}
}

func TestDecimalCommas(t *testing.T) {
	for _, c := range []struct {
		text string
		want []float64
	}{
		{"\xef\xbb\xbfgröße;b\r\n1,5;2\r\n-0,25;3e1\r\n", []float64{1.5, 2, -0.25, 30}},
		{"a;b\n1,234;2\n1,5;3\n", []float64{1.234, 2, 1.5, 3}},
		{"a;b\n1.234;2\n1.5;3\n", []float64{1.234, 2, 1.5, 3}},
	} {
		got, err := ReadMatrix(write(t, "x.csv", []byte(c.text)), Options{Delimiter: ';'})
		if err != nil || !slices.Equal(got.RawMatrix().Data, c.want) {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"a;b\n1,5;2.5\n", "write all decimals one way"},
		{"a;b\n1,5;2\n1;2.5\n", `line 2 has the number "1,5", and line 3 has one with a decimal point`},
		{"a;b\n1,234;2\n", "whose comma may stand for a decimal point or separate thousands"},
		{"a;b\n1,234,56;2\n", "is not a number"},
	} {
		must.Refuse(t, c.want)(ReadMatrix(write(t, "x.csv", []byte(c.text)), Options{Delimiter: ';'}))
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		text, column string
		want         []int64
		names        []string
	}{
		{flowers, ":species", []int64{0, 0, 1}, []string{"setosa", "versi, color"}},
		{flowers, ":5", []int64{0, 0, 1}, []string{"setosa", "versi, color"}},
		{"b\na\nb\n", "", []int64{1, 0, 1}, []string{"a", "b"}}, // b comes again: it is not a header
		{"kind\nb\na\n", "", []int64{1, 0}, []string{"a", "b"}},
		{"kind\n3\n-1\n", "", []int64{3, -1}, nil},
		{"x,kind\n1,7\n2,8\n", ":kind", []int64{7, 8}, nil},
	} {
		got, names, err := ReadClasses(write(t, "y.csv", []byte(c.text))+c.column, Options{})
		if err != nil || !slices.Equal(got, c.want) || !slices.Equal(names, c.names) {
			t.Errorf("%q%s: %v of %q, %v", c.text, c.column, got, names, err)
		}
	}
	ids, name, err := ReadTexts(write(t, "x.csv", []byte(flowers)), Options{Columns: []string{"name"}})
	if err != nil || name != "name" || !slices.Equal(ids, []string{"a1", "a2", "a3"}) {
		t.Errorf("ids %q of %q, %v", ids, name, err)
	}
	for _, c := range []struct{ file, text, column, want string }{
		{"y.csv", flowers, "", "labels are one column, and the table has 5: name one behind a colon, as in file.csv:species"},
		{"y.csv", "kind\na\nNA\n", "", `line 3, column 1 is "NA", and every sample needs its class`},
		{"y.csv", "x,kind\n1,a\n2,\n", ":kind", `line 3, column 2 is "", and every sample needs its class`},
		{"y.csv", "x,kind\n1,a\n2\n", ":kind", "line 3 has 1 field where the header has 2"},
		{"y.csv", flowers, ":sepal", `the table has no column "sepal"`},
		{"y.csv", "x,kind\n1,0.5\n2,3\n", ":kind", "labels are whole numbers"},
	} {
		must.Refuse(t, c.want)(ReadClasses(write(t, c.file, []byte(c.text))+c.column, Options{}))
	}
	must.Refuse(t, "hold no text that can be read")(ReadTexts(write(t, "y.npy", pair(1, 2)), Options{}))
}

func TestTextColumns(t *testing.T) {
	columns, err := TextColumns(write(t, "x.csv", []byte(flowers)), Options{})
	if err != nil || len(columns) != 2 {
		t.Fatalf("%v, %v", columns, err)
	}
	if c := columns[0]; c.Number != 1 || c.Name != "name" || !c.Unique {
		t.Errorf("%+v", c)
	}
	if c := columns[1]; c.Number != 5 || c.Unique || !slices.Equal(c.Kinds, []string{"setosa", "versi, color"}) {
		t.Errorf("%+v", c)
	}
	if columns, err = TextColumns(write(t, "x.csv", []byte("a,b\n1,2\n3,1o\n5,6\n")), Options{}); err != nil || len(columns) != 0 {
		t.Errorf("a slip is a column of text: %v, %v", columns, err)
	}
}

// What is written under names comes back under them, and no header becomes a row of data.
func TestNamesComeBack(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2.5, 3, 4})
	for _, c := range []struct {
		columns, ids []string
		text         string
	}{
		{[]string{"a", `b, "c"`}, nil, "a,\"b, \"\"c\"\"\"\n1,2.5\n3,4\n"},
		{[]string{"u", "v"}, []string{"x 1", "y,2"}, "id,u,v\nx 1,1,2.5\n\"y,2\",3,4\n"},
		{[]string{"0", "1"}, nil, "1,2.5\n3,4\n"},
		{[]string{"7", "9"}, []string{"p", "q"}, "p,1,2.5\nq,3,4\n"},
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		o := must.Get(Create(path, nil))(t)
		if !o.Name(c.columns, c.ids, "id") {
			t.Error("a .csv takes no ids")
		}
		must.Do(t, o.WriteMatrix(x, Options{}))
		must.Do(t, o.Commit())
		text, err := os.ReadFile(path)
		if err != nil || string(text) != c.text {
			t.Errorf("%q %q: %q, want %q", c.columns, c.ids, text, c.text)
		}
		read := Options{}
		if c.ids != nil {
			read.Drop = []string{"1"}
		}
		again, err := ReadMatrix(path, read)
		if err != nil || !mat.Equal(again, x) {
			t.Errorf("%q %q: came back as %v, %v", c.columns, c.ids, again, err)
		}
	}
}

// Whatever a list of columns says, what it means are columns that are there, each once.
func FuzzColumns(f *testing.F) {
	for _, text := range []string{"a,b", "1,2", "2-4", "-1", "1-", "+2", `"a,b",c`, "3-1", "99999999999999999999", "a-b", "1-3,2"} {
		f.Add(text, text, 4, true)
		f.Add(text, "", 3, false)
	}
	f.Fuzz(func(t *testing.T, columns, drop string, count int, named bool) {
		if count < 1 || count > 50 {
			return
		}
		var c Choice
		var err error
		if c.Columns, err = ParseColumns(columns); err != nil {
			return
		}
		if drop != "" {
			if c.Drop, err = ParseColumns(drop); err != nil {
				return
			}
		}
		var names []string
		for at := range count {
			if named {
				names = append(names, string(rune('a'+at%26)))
			}
		}
		places, err := c.Places(names, count)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		for i, at := range places {
			if at < 0 || at >= count || slices.Contains(places[:i], at) {
				t.Fatalf("%q of %d columns: %v", columns, count, places)
			}
		}
	})
}

// Columns that are chosen of a text have the numbers that they have in the whole of it, and
// a column of text has as many fields as there are rows.
func FuzzChosenText(f *testing.F) {
	for _, c := range csvCases {
		f.Add([]byte(c.text), 1, byte(','))
	}
	f.Add([]byte(flowers), 5, byte(','))
	f.Add([]byte("\xef\xbb\xbfa;b\n1,5;x\n2,5;y\n"), 1, byte(';'))
	f.Fuzz(func(t *testing.T, b []byte, column int, sep byte) {
		if column < 1 || column > 1000 || !strings.ContainsRune(",;\t|", rune(sep)) {
			return
		}
		form := textForm{sep: sep, choice: Choice{Columns: []string{"1-" + string('0'+byte(column%10))}}}
		chosen, err := readCSV(held(b), form, budget{}, uncounted)
		if err == nil {
			whole, err := readCSV(held(b), textForm{sep: sep}, budget{}, uncounted)
			if err == nil && chosen.RawMatrix().Rows == whole.RawMatrix().Rows {
				_, cols := chosen.Dims()
				if rows, all := whole.Dims(); cols <= all && !sameEntries(chosen, whole.Slice(0, rows, 0, cols)) {
					t.Fatal("chosen columns have other numbers")
				}
			}
		}
		form.choice.Columns = []string{string('0' + byte(column%10))}
		texts, err := readColumn(held(b), form, budget{})
		if err != nil {
			return
		}
		for _, text := range texts.texts {
			if strings.Contains(text, "\n") {
				t.Fatalf("a field of several lines: %q", text)
			}
		}
		if numbers, err := readCSV(held(b), form, budget{}, uncounted); err == nil && len(texts.texts) != numbers.RawMatrix().Rows && texts.line == 2 {
			t.Fatalf("%d texts and %d numbers", len(texts.texts), numbers.RawMatrix().Rows)
		}
	})
}

// sameEntries reports whether matrices are equal, NaN to NaN.
func sameEntries(a, b mat.Matrix) bool {
	rows, cols := a.Dims()
	for i := range rows {
		for j := range cols {
			v, w := a.At(i, j), b.At(i, j)
			if v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
				return false
			}
		}
	}
	return true
}

// Names and ids that a spreadsheet would compute are written as they are, and after NoFormulas as texts; numbers, of both
// columns and ids, stay numbers.
func TestNoFormulas(t *testing.T) {
	ids := []string{"=1+1", "-1.5", "+49 30", "@SUM(A1)", "\tx", "a=b", "-1e-3", "＝1", "-x,\"y\"", "plain"}
	for safe, want := range map[bool]string{
		false: "=id,-a,b\n=1+1,-1,2\n-1.5,-1,2\n+49 30,-1,2\n@SUM(A1),-1,2\n\"\tx\",-1,2\na=b,-1,2\n-1e-3,-1,2\n＝1,-1,2\n\"-x,\"\"y\"\"\",-1,2\nplain,-1,2\n",
		true:  "'=id,'-a,b\n'=1+1,-1,2\n-1.5,-1,2\n'+49 30,-1,2\n'@SUM(A1),-1,2\n'\tx,-1,2\na=b,-1,2\n-1e-3,-1,2\n'＝1,-1,2\n\"'-x,\"\"y\"\"\",-1,2\nplain,-1,2\n",
	} {
		m := mat.NewDense(len(ids), 2, nil)
		for i := range ids {
			m.SetRow(i, []float64{-1, 2})
		}
		for how, put := range map[string]func(o *Output) error{
			"matrix": func(o *Output) error { return o.WriteMatrix(m, Options{}) },
			"integers": func(o *Output) error {
				return o.WriteIntegers(len(ids), 2, func(int) []int64 { return []int64{-1, 2} })
			},
			"rows": func(o *Output) error {
				w, err := o.Rows(-1, 2, Options{})
				if err == nil {
					err = errors.Join(w.Write(m), w.Close())
				}
				return err
			},
		} {
			path := filepath.Join(t.TempDir(), "x.csv")
			o := must.Get(Create(path, nil))(t)
			if safe {
				o.NoFormulas()
			}
			o.Name([]string{"-a", "b"}, ids, "=id")
			if err := errors.Join(put(o), o.Commit()); err != nil {
				t.Fatal(how, err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%s, safe %v: %q, %v, want %q", how, safe, got, err, want)
			}
		}
	}
}
