package files

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/orthant-go/orthant/internal/must"
)

var csvCases = []struct {
	name, file, text string
	rows, cols       int
	want             []float64
}{
	{"plain", "x.csv", "1,2\n3,4\n", 2, 2, []float64{1, 2, 3, 4}},
	{"no last newline", "x.csv", "1,2\n3,4", 2, 2, []float64{1, 2, 3, 4}},
	{"one number", "x.csv", "7", 1, 1, []float64{7}},
	{"one column", "x.csv", "1\n2\n3\n", 3, 1, []float64{1, 2, 3}},
	{"CRLF", "x.csv", "1,2\r\n3,4\r\n", 2, 2, []float64{1, 2, 3, 4}},
	{"blank lines at the end", "x.csv", "1,2\r\n3,4\r\n\r\n \n\n", 2, 2, []float64{1, 2, 3, 4}},
	{"byte order mark", "x.csv", "\xef\xbb\xbf1,2\n", 1, 2, []float64{1, 2}},
	{"byte order mark and header", "x.csv", "\xef\xbb\xbfa,b\n1,2\n", 1, 2, []float64{1, 2}},
	{"header", "x.csv", "x0,x1\n1,2\n", 1, 2, []float64{1, 2}},
	{"quoted header", "x.csv", "\"a,b\",\"c \"\"d\"\"\"\n1,2\n", 1, 2, []float64{1, 2}},
	{"header of a word and numbers", "x.csv", "class,0,1\n5,6,7\n", 1, 3, []float64{5, 6, 7}},
	{"header of sizes", "x.csv", "label,1x1,1x2\n5,6,7\n", 1, 3, []float64{5, 6, 7}},
	{"header behind #", "x.csv", "# 0,1\n5,6\n", 1, 2, []float64{5, 6}},
	{"header with other letters", "x.csv", "größe,Ψ\n5,6\n", 1, 2, []float64{5, 6}},
	{"spaces", "x.csv", " 1 ,\t2\n3,  4 \n", 2, 2, []float64{1, 2, 3, 4}},
	{"quoted numbers", "x.csv", "\"1\",\" 2.5 \"\n \"-3\" ,4\n", 2, 2, []float64{1, 2.5, -3, 4}},
	{"ways to write", "x.csv", "+1,-.5,5.,1e3,1E-3,00012,-0, 1e5 \n", 1, 8, []float64{1, -0.5, 5, 1000, 0.001, 12, math.Copysign(0, -1), 1e5}},
	{"tabs", "x.tsv", "a\tb\n1\t2\n3\t4\n", 2, 2, []float64{1, 2, 3, 4}},
	{"extension in capitals", "x.CSV", "1,2\n", 1, 2, []float64{1, 2}},
}

func TestCSV(t *testing.T) {
	for _, c := range csvCases {
		t.Run(c.name, func(t *testing.T) {
			wantMatrix(t, write(t, c.file, []byte(c.text)), c.rows, c.cols, c.want)
		})
	}
}

var csvFaults = []struct{ name, file, text, want string }{
	{"empty", "x.csv", "", "the file is empty"},
	{"only blank lines", "x.csv", "\n\n  \n", "the file is empty"},
	{"only a byte order mark", "x.csv", "\xef\xbb\xbf", "the file is empty"},
	{"only a header", "x.csv", "a,b\n", "there are no rows below the header"},
	{"short row", "x.csv", "1,2,3,4\n1,2,3\n", "line 2 has 3 fields where the first row has 4"},
	{"long row", "x.csv", "1,2\n3,4\n1,2,3\n", "line 3 has 3 fields where the first row has 2"},
	{"one field", "x.csv", "1,2\n3\n", "line 2 has 1 field where the first row has 2"},
	{"narrow header", "x.csv", "a,b\n1,2,3\n", "line 2 has 3 fields where the header has 2"},
	{"text", "x.csv", "1,2\n3,abc\n", `line 2, column 2: "abc" is not a number`},
	{"text below header", "x.csv", "a,b\n1,2\nx,4\n", `line 3, column 1 (a): "x" is not a number`},
	{"text below text", "x.csv", "a,b\nc,d\nx,2\n", `line 2, column 1 (a): "c" is not a number`},
	{"underscore", "x.csv", "1,2\n3,1_0\n", `line 2, column 2: "1_0" is not a number`},
	{"hexadecimal", "x.csv", "1,2\n0x1p3,4\n", `line 2, column 1: "0x1p3" is not a number`},
	{"hexadecimal in quotes", "x.csv", "1,2\n3,\" 0X1P3 \"\n", `line 2, column 2: "0X1P3" is not a number`},
	{"hexadecimal out of range", "x.csv", "1,2\n0x1p9999,4\n", `line 2, column 1: "0x1p9999" is not a number`},
	{"underscore in the first row", "x.csv", "1_0,2_0\n3,4\n", `line 1, column 1: "1_0" is not a number`},
	{"hexadecimal in the first row", "x.csv", "0x1p3\n3\n", `line 1, column 1: "0x1p3" is not a number`},
	{"underscore between tabs", "x.tsv", "1\t2\n3\t1_0\n", `line 2, column 2: "1_0" is not a number`},
	{"slip in the first row", "x.csv", "1,2.0x,3\n4,5,6\n", `line 1, column 2: "2.0x" is not a number`},
	{"missing in the first row", "x.csv", "1,,3\n4,5,6\n", "line 1, column 2 is empty: remove or impute missing values"},
	{"NA in the first row", "x.csv", "1,NA,3\n4,5,6\n", `line 1, column 2: "NA" means that the value is missing`},
	{"an index column", "x.csv", ",0,1\n0,5,6\n", "line 1, column 1 is empty"},
	{"missing", "x.csv", "1,2\n,4\n", "line 2, column 1 is empty"},
	{"missing at the end", "x.csv", "1,2\n3,\n", "line 2, column 2 is empty"},
	{"blank line within", "x.csv", "1,2\n\n3,4\n", "line 2 is empty: only lines at the end"},
	{"blank line first", "x.csv", "\n1,2\n", "line 1 is empty"},
	{"blank below header", "x.csv", "a,b\n\n1,2\n", "line 2 is empty"},
	{"too large", "x.csv", "1,2\n3,1e999\n", `line 2, column 2: "1e999" is outside the range of double precision`},
	{"too large at once", "x.csv", "1,-1e999\n", `line 1, column 2: "-1e999" is outside the range`},
	{"semicolons, of which lines have different numbers", "x.csv", "1;2\n3;4;5\n", `"3;4;5" is not a number (fields must be separated by ',')`},
	{"semicolons among commas", "x.csv", "1,5;2,5\n3,4,6\n", `line 1, column 2: "5;2" is not a number (fields must be separated by ',')`},
	{"commas for tabs", "x.tsv", "a,b\n1,2\n", `"1,2" is not a number (fields must be separated by '\t')`},
	{"open quotes", "x.csv", "1,2\n\"3,4\n", `line 2, column 1: "\"3" is not a number`},
	{"text after quotes", "x.csv", "1,2\n\"3\"x,4\n", `line 2, column 1: "\"3\"x" is not a number`},
	{"UTF-16", "x.csv", "\xff\xfe1\x00,\x002\x00", "UTF-16"},
	{"NUL", "x.csv", "1,2\n3,\x00\n", `line 2, column 2: "\x00" is not a number`},
	{"only signs", "x.csv", "1,2\n-,.\n", `line 2, column 1: "-" means that the value is missing`},
	{"long junk", "x.csv", "1,2\n3," + strings.Repeat("z", 1<<20) + "\n", `zzz…" is not a number`},
	{"NaN", "x.csv", "1,2\n3,nan\n", "row 2, column 2 (counting from 1) is NaN"},
	{"infinity", "x.csv", "a,b\n1,-inf\n", "row 1, column 2 (counting from 1) is an infinity"},
}

// With Missing a field without a value is NaN, but for what an index column of pandas leaves
// in the first row; without, it names itself as missing.
func TestCSVMissing(t *testing.T) {
	nan := math.NaN()
	for text, want := range map[string][]float64{
		"1,2,3\n4,,NA\n":     {1, 2, 3, 4, nan, nan},
		"1,,3\nnull,5,6\n":   {1, nan, 3, nan, 5, 6},
		"a,b,c\n1,nan,\n":    {1, nan, nan},
		",2.5,1\n1, ,\"\"\n": {nan, 2.5, 1, 1, nan, nan},
	} {
		path := write(t, "x.csv", []byte(text))
		m, err := ReadMatrix(path, Options{Missing: true})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		rows := must.Get(OpenRows(path, Options{Missing: true}))(t)
		got := make([]float64, len(want))
		if n, err := rows.Next(got); err != nil || n*3 != len(want) {
			t.Errorf("%q: %d rows, %v", text, n, err)
		}
		rows.Close()
		for at, v := range want {
			for _, g := range []float64{m.RawMatrix().Data[at], got[at]} {
				if g != v && !(math.IsNaN(g) && math.IsNaN(v)) {
					t.Errorf("%q: number %d is %v, want %v", text, at, g, v)
				}
			}
		}
	}
	for _, text := range []string{"1,2\n,4\n", "1,2\n3,nan\n"} {
		_, err := ReadMatrix(write(t, "x.csv", []byte(text)), Options{})
		if _, is := errors.AsType[*MissingError](err); !is {
			t.Errorf("%q: %v is not an error of a missing value", text, err)
		}
	}
	for text, says := range map[string]string{
		",0,1\n0,5,6\n":  "line 1, column 1 is empty",
		"1,2\n3,x\n":     `line 2, column 2: "x" is not a number`,
		"1,2\n3,1e999\n": "outside the range",
	} {
		path := write(t, "x.csv", []byte(text))
		_, err := ReadMatrix(path, Options{Missing: true})
		wantError(t, err, OpRead, path, says)
	}
}

func TestCSVFaults(t *testing.T) {
	for _, c := range csvFaults {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.file, []byte(c.text))
			_, err := ReadMatrix(path, Options{})
			wantError(t, err, OpRead, path, c.want)
		})
	}
}

// TestCSVBlocks reads a file of many blocks and checks every number, and then
// that faults far down are found at their line, whichever worker meets them.
func TestCSVBlocks(t *testing.T) {
	const rows, cols = 9000, 12
	rng := rand.New(rand.NewPCG(3, 4))
	want := make([]float64, rows*cols)
	lines := make([]string, rows)
	for i := range lines {
		fields := make([]string, cols)
		for j := range fields {
			want[i*cols+j] = rng.NormFloat64()
			fields[j] = strconv.FormatFloat(want[i*cols+j], 'g', -1, 64)
		}
		lines[i] = strings.Join(fields, ",")
	}
	text := strings.Join(lines, "\n") + "\n\n\n"
	if len(text) < 6*textBlock {
		t.Fatalf("only %d bytes", len(text))
	}
	wantMatrix(t, write(t, "x.csv", []byte(text)), rows, cols, want)
	m, err := readCSV(source{Reader: iotest.HalfReader(strings.NewReader(text)), size: -1}, textForm{sep: ','}, budget{}, uncounted)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, m.RawMatrix().Data, want)

	for _, c := range []struct {
		first, second string // in place of lines 7000 and 8000
		want          string
	}{
		{"1,2", "x", "line 7000 has 2 fields"},
		{lines[0], "1,2,y", `line 8000, column 3: "y"`},
		{"", lines[0], "line 7000 is empty"},
		{lines[0], "\n\n", "line 8000 is empty"},
	} {
		changed := append([]string{}, lines...)
		changed[6999], changed[7999] = c.first, c.second
		path := write(t, "x.csv", []byte(strings.Join(changed, "\n")))
		_, err := ReadMatrix(path, Options{})
		wantError(t, err, OpRead, path, c.want)
	}
	// Blank lines that fill more than a block.
	path := write(t, "x.csv", []byte("1,2\n"+strings.Repeat("\n", 5*textBlock)+"3,4\n"))
	_, err = ReadMatrix(path, Options{})
	wantError(t, err, OpRead, path, "line 2 is empty")
	wantMatrix(t, write(t, "x.csv", []byte("1,2\n"+strings.Repeat("\n", 5*textBlock))), 1, 2, []float64{1, 2})
}

// TestCSVWideLine reads rows longer than a block.
func TestCSVWideLine(t *testing.T) {
	const cols = textBlock
	line := strings.Repeat("1,", cols-1) + "2\n"
	m := must.Get(ReadMatrix(write(t, "x.csv", []byte(line+line+line)), Options{}))(t)
	if r, c := m.Dims(); r != 3 || c != cols || m.At(2, cols-1) != 2 || m.At(1, 0) != 1 {
		t.Errorf("%d × %d", r, c)
	}
}

// TestShortNumber compares the short way with strconv on everything it accepts.
func TestShortNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	taken := 0
	check := func(text string) {
		v, n, ok := shortNumber([]byte(text + ",x"))
		if !ok {
			return
		}
		want, err := strconv.ParseFloat(text, 64)
		if n != len(text) {
			if err == nil && !strings.ContainsAny(text, "eExX") {
				t.Fatalf("%q: %d bytes", text, n)
			}
			return
		}
		taken++
		if err != nil || math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("%q gives %v, strconv %v (%v)", text, v, want, err)
		}
	}
	for range 200000 {
		digits := strconv.FormatUint(rng.Uint64()>>rng.UintN(64), 10)
		at := rng.IntN(len(digits) + 1)
		check(digits[:at] + "." + digits[at:])
		check("-" + digits)
		check(strings.Repeat("0", rng.IntN(4)) + digits)
		check("." + strings.Repeat("0", rng.IntN(6)) + digits)
		check(strconv.FormatFloat(rng.NormFloat64(), 'g', 1+rng.IntN(17), 64))
	}
	for _, text := range []string{"9007199254740991", "9007199254740992", "9007199254740993", "0", "-0", "-0.0", "1.7976931348623157", "123456789012345678", "000000000000000000", "0.000000000000000001"} {
		check(text)
	}
	if taken < 500000 {
		t.Errorf("only %d numbers went the short way", taken)
	}
	for _, text := range []string{"", ",", "-", "+", ".", "-.", "x", "--1"} {
		if _, _, ok := shortNumber([]byte(text)); ok {
			t.Errorf("%q is taken for a number", text)
		}
	}
	if _, n, ok := shortNumber([]byte("1.2.3")); !ok || n != 3 {
		t.Errorf("1.2.3: %d bytes, %v", n, ok)
	}
}

// TestCSVAllocations makes sure that nothing is allocated for a field or a row.
func TestCSVAllocations(t *testing.T) {
	var b bytes.Buffer
	for range 2000 {
		fmt.Fprintf(&b, "%v,%v,\"%v\"\n", math.Pi, 1e-30, 12.5)
	}
	p := textPart{text: b.Bytes()}
	p.parse(&fields{sep: ',', width: 3, cols: 3}) // grows the slice
	if n := testing.AllocsPerRun(5, func() { p.parse(&fields{sep: ',', width: 3, cols: 3}) }); n > 0 || p.rows != 2000 {
		t.Errorf("%v allocations for %d rows", n, p.rows)
	}
}

// What is not a finite number keeps its meaning, so that a caller can allow it.
func TestCSVNonFinite(t *testing.T) {
	got := must.Get(ReadMatrix(write(t, "x.csv", []byte("0,Inf,-inf,NaN,nan,infinity,+Infinity, 1 \n")), Options{AllowNonFinite: true}))(t)
	up := math.Inf(1)
	for j, want := range []float64{0, up, -up, math.NaN(), math.NaN(), up, up, 1} {
		if v := got.At(0, j); v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
			t.Errorf("column %d is %v, want %v", j+1, v, want)
		}
	}
}

// A literal of a program is not a header that a path could name, but a word next to it is.
func TestCSVHeaderOfLiterals(t *testing.T) {
	wantMatrix(t, write(t, "x.csv", []byte("row,0_0,0x1\n1,2,3\n")), 1, 3, []float64{1, 2, 3})
}
