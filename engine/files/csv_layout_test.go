package files

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/must"
)

// layoutCases are tables as instruments, loggers and spreadsheets write them: what is read, under which names, and what is
// reported.
var layoutCases = []struct {
	name, file, text string
	options          Options
	cols             int
	want             []float64
	names            string
	notes            string
}{
	{"comments before a table", "x.csv", "# a device\n# of ours\n1,2\n3,4\n", Options{}, 2, []float64{1, 2, 3, 4}, "", ""},
	{"comments before a header", "x.csv", "% a device\n\n%\na,b\n1,2\n3,4\n", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", ""},
	{"names behind a comment", "x.csv", "# a device\n# a,b\n1,2\n", Options{}, 2, []float64{1, 2}, "a,b", ""},
	{"comments among rows", "x.csv", "// a device\na,b\n1,2\n// pause, here\n3,4\n//\n", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", "2 lines among the rows that begin with // are comments, and are left out"},
	{"another mark", "x.csv", "!a\n!b\n1,2\n! c\n3,4\n", Options{Comment: "!"}, 2, []float64{1, 2, 3, 4}, "", ""},
	{"lines to skip", "x.csv", "Device: 7\n\nRecorded, by, us\na,b\n1,2\n", Options{SkipRows: 3}, 2, []float64{1, 2}, "a,b", ""},
	{"units", "x.csv", "time,temperature\ns,°C\n0,20.5\n1,21\n", Options{}, 2, []float64{0, 20.5, 1, 21}, "time,temperature", "the line below the header (s, °C) holds units, and is left out"},
	{"units, some missing", "x.csv", "a,b,c\n,[mm],-\n1,2,3\n", Options{}, 3, []float64{1, 2, 3}, "a,b,c", "the line below the header ([mm], -) holds units, and is left out"},
	{"units, with separators at the ends of the first lines", "x.csv", "a;b;\ns;m;\n1;2\n3;4\n", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", "the line below the header (s, m) holds units, and is left out; separators at the ends of lines are ignored"},
	{"two lines of units", "x.csv", "\"T\",\"V\"\n\"RN\",\"Volts\"\n\"\",\"Avg\"\n0,12.5\n", Options{}, 2, []float64{0, 12.5}, "T,V", "the line below the header (RN, Volts, Avg) holds units, and is left out"},
	{"numpy.savetxt", "x.txt", "# t v\n0.000000000000000000e+00 2.500000000000000000e+00\n1.000000000000000000e+00 -3.000000000000000000e-01\n", Options{}, 2, []float64{0, 2.5, 1, -0.3}, "t,v", ""},
	{"blanks and tabs", "x.dat", "  1   2.5\n\t3 \t -4  \n", Options{}, 2, []float64{1, 2.5, 3, -4}, "", ""},
	{"blanks in .csv", "x.csv", "a b\n1 2\n3 4\n", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", ""},
	{"tabs in .csv", "x.csv", "a\tb\n1\t2\n", Options{}, 2, []float64{1, 2}, "a,b", ""},
	{"blanks that are asked for", "x.csv", "a  b\n1\t 2\n", Options{Delimiter: ' '}, 2, []float64{1, 2}, "a,b", ""},
	{"decimal commas between blanks", "x.asc", "1,25 2,5\n3,5 4,5\n", Options{}, 2, []float64{1.25, 2.5, 3.5, 4.5}, "", ""},
	{"commas in .txt", "x.txt", "a, b\n1, 2\n3, 4\n", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", ""},
	{"semicolons in .dat", "x.dat", "a b;c\n1,5;2\n", Options{}, 2, []float64{1.5, 2}, "a b,c", ""},
	{"one column", "x.txt", "a\n1\n2\n", Options{}, 1, []float64{1, 2}, "a", ""},
	{"trailing separators", "x.csv", "1,2,\n3,4,\n", Options{}, 2, []float64{1, 2, 3, 4}, "", "separators at the ends of lines are ignored"},
	{"trailing separators without a name", "x.csv", "a,b\n1,2,\n3,4,\n5,6\n", Options{}, 2, []float64{1, 2, 3, 4, 5, 6}, "a,b", "separators at the ends of lines are ignored"},
	{"empty columns at the end", "x.csv", "a,b,,\n1,2,,\n3,4,,\n", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", "columns after column 2 have neither names nor values, and are ignored"},
	{"an empty column between others", "x.csv", "a,,b\n1,,2\n3,,4\n", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", "column 2 has neither a name nor values, and is ignored"},
	{"chosen columns before a trailing separator", "x.csv", "a,b,\n1,2,\n3,4,9\n", Options{Columns: []string{"b"}}, 1, []float64{2, 4}, "b", ""},
	{"the column after the last name", "x.csv", "a,b,\n1,2,\n", Options{Columns: []string{"1-3"}, Missing: true}, 3, nil, "a,b,", ""},
	{"returns alone", "x.csv", "a,b\r1,2\r3,4\r", Options{}, 2, []float64{1, 2, 3, 4}, "a,b", ""},
	{"a separator that is declared", "x.csv", "sep=;\r\na;b\r\n1,5;2\r\n", Options{}, 2, []float64{1.5, 2}, "a,b", ""},
	{"a declared tab after a byte order mark", "x.csv", "\xef\xbb\xbf\"sep=\t\"\n1\t2\n", Options{}, 2, []float64{1, 2}, "", ""},
	{"booleans", "x.csv", "a,b\nTRUE,1.5\nfalse,2\n", Options{Booleans: true}, 2, []float64{1, 1.5, 0, 2}, "a,b", ""},
	{"thousands", "x.csv", "a,b\n\"1,234.5\",2\n\"-12,345,678\",3\n", Options{}, 2, []float64{1234.5, 2, -12345678, 3}, "a,b", ""},
	{"thousands that are asked for", "x.csv", "a,b\n\"1,234\",2\n", Options{Thousands: ','}, 2, []float64{1234, 2}, "a,b", ""},
	{"commas that are decimals", "x.csv", "a;b\n1,234;2.000,5\n", Options{Thousands: '.'}, 2, []float64{1.234, 2000.5}, "a,b", ""},
	{"points that separate thousands", "x.csv", "a;b\n1,5;-2.000,5\n\"1.234.567,25\";3\n", Options{}, 2, []float64{1.5, -2000.5, 1234567.25, 3}, "a,b", ""},
	{"percent", "x.csv", "a,b\n12.5%,1 %\n\"1,000.5%\",0%\n", Options{}, 2, []float64{0.125, 0.01, 10.005, 0}, "a,b", ""},
	{"dates left out", "x.csv", "2024-01-31 10:00,1,2\n2024-02-01 10:00,3,4\n", Options{Drop: []string{"1"}}, 2, []float64{1, 2, 3, 4}, "", ""},
}

func TestTextLayouts(t *testing.T) {
	for _, c := range layoutCases {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.file, []byte(c.text))
			var notes []string
			o := c.options
			o.Note = func(text string) { notes = append(notes, strings.TrimPrefix(text, path+": ")) }
			m, err := ReadMatrix(path, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.RawMatrix(); got.Cols != c.cols || c.want != nil && !slices.Equal(got.Data, c.want) {
				t.Errorf("%d columns of %v", got.Cols, got.Data)
			}
			if got := strings.Join(notes, "; "); got != c.notes {
				t.Errorf("notes: %q", got)
			}
			if names := must.Get(ColumnNames(path, c.options))(t); strings.Join(names, ",") != c.names {
				t.Errorf("names %q", names)
			}
			rows := must.Get(OpenRows(path, c.options))(t)
			defer rows.Close()
			block := make([]float64, len(m.RawMatrix().Data))
			if n, err := rows.Next(block); err != nil || n*c.cols != len(block) || c.want != nil && !slices.Equal(block, c.want) {
				t.Errorf("by rows: %d of %v, %v", n, block, err)
			}
		})
	}
}

// The texts of a column follow the same rules as the numbers next to it.
func TestTextColumnsFollowTheLayout(t *testing.T) {
	for text, o := range map[string]Options{
		"# a device\nt,name\ns,\n1,u\n# pause\n2,v\n": {Columns: []string{"name"}},
		"one line\nt,name,\n1,u,\n2,v,\n":             {Columns: []string{"name"}, SkipRows: 1},
		"sep=;\nt;name\n1;u\n2;v\n":                   {Columns: []string{"name"}},
		"t\tname\r1\tu\r2\tv\r":                       {Columns: []string{"name"}},
	} {
		path := write(t, "x.csv", []byte(text))
		texts, name, err := ReadTexts(path, o)
		if err != nil || !slices.Equal(texts, []string{"u", "v"}) || name != "name" {
			t.Errorf("%q: %q, %q, %v", text, texts, name, err)
		}
		classes, names, err := ReadClasses(path, o)
		if err != nil || !slices.Equal(classes, []int64{0, 1}) || !slices.Equal(names, []string{"u", "v"}) {
			t.Errorf("%q: %v, %q, %v", text, classes, names, err)
		}
	}
}

func TestTextLayoutFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"# a\n", Options{}, "there are no rows below the header"},
		{"a,b\n1,2\n", Options{SkipRows: 3}, "the text has 2 lines, of which Options.SkipRows leaves out 3"},
		{"a,b,\n1,2,\n3,4,\n1,1,\n2,2,\n5,6,7\n", Options{}, `line 6, column 3 has "7", but no name, and no value in the first lines`},
		{"a,,b\n1,,2\n1,,2\n1,,2\n3,5,4\n", Options{}, `line 5, column 2 has "5", but no name`},
		{"Device: 7\nSerial: 8\ntime,v\n1,2\n3,4\n", Options{}, "the table seems to begin at line 3: leave out the lines before it (Options.SkipRows: 2)"},
		{"Device: 7\n\n1,2\n3,4\n", Options{}, "the table seems to begin at line 2"},
		{"Device 7, of us\n1,2,3\n3,4,5\n", Options{}, "the table seems to begin at line 2"},
		{"1,2\n3,TRUE\n", Options{}, `line 2, column 2: "TRUE" is not a number`},
		{"a;b\n1,234;2\n", Options{}, "or say which character separates thousands"},
		{"a;b\n1,234;2.5\n", Options{}, "or say that commas separate these (Options.Thousands: \",\")"},
		{"a;b\n1.5;2\n", Options{Thousands: '.'}, `line 2, column 1 (a): "1.5" is not a number`},
		{"1,2\n#3,4\n", Options{}, `line 2, column 1: "#3" is not a number`},
	} {
		path := write(t, "x.csv", []byte(c.text))
		_, err := ReadMatrix(path, c.o)
		if err == nil {
			t.Errorf("%q: no error", c.text)
			continue
		}
		if text := wording.Text(err.Error(), wording.Go); !strings.Contains(text, c.want) {
			t.Errorf("%q: %s", c.text, text)
		}
		if _, is := errors.AsType[*Error](err); !is {
			t.Errorf("%q: %T", c.text, err)
		}
	}
}

// Comments leave gaps in what the blocks of a large text have room for.
func TestCommentsBetweenBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	var want []float64
	text.WriteString("# begin\n")
	for text.Len() < 5*textBlock {
		if rng.IntN(3) == 0 {
			text.WriteString("# pause " + strings.Repeat("x", rng.IntN(2000)) + "\n")
			continue
		}
		a, b := float64(rng.IntN(1000)), float64(rng.IntN(1000))/4
		fmt.Fprintf(&text, "%v,%v\n", a, b)
		want = append(want, a, b)
	}
	path := write(t, "x.csv", []byte(text.String()))
	for _, o := range []Options{{}, {MaxBytes: 64 << 20}} {
		if m := must.Get(ReadMatrix(path, o))(t); !slices.Equal(m.RawMatrix().Data, want) {
			t.Errorf("%d numbers, want %d", len(m.RawMatrix().Data), len(want))
		}
	}
}
