package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

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

// lines are those of a file.
func lines(t *testing.T, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(string(read(t, path)), "\n"), "\n")
}

// firstFields are the first fields of the rows of a table, below its header.
func firstFields(list []string) (fields []string) {
	for _, line := range list[1:] {
		field, _, _ := strings.Cut(line, ",")
		fields = append(fields, field)
	}
	return fields
}

// Names of samples and classes are columns of the table itself, for every command, and
// what is written carries the names.
func TestTableOnEveryCommand(t *testing.T) {
	inFolder(t, "")
	writeFlowers(t, "f.csv", "3.1")
	must(t, "embed", "-m", "pca", "-i", "f.csv:length,width,petal", "-o", "want.npy")
	o := must(t, "embed", "-m", "pca", "-i", "f.csv", "--id", "name", "--labels", ":species", "-o", "y.csv", "--plot", "p.svg", "--json").object(t)
	if !mat.Equal(matrix(t, "y.csv:pca1,pca2"), matrix(t, "want.npy")) {
		t.Error("names and classes change the embedding")
	}
	got := lines(t, "y.csv")
	if got[0] != "name,pca1,pca2" || !strings.HasPrefix(got[30], "f29,") {
		t.Errorf("written as %q … %q", got[0], got[30])
	}
	if fmt.Sprint(o["classes"]) != "[setosa versicolor virginica]" {
		t.Errorf("classes %v", o["classes"])
	}
	if picture := string(read(t, "p.svg")); !strings.Contains(picture, "versicolor") {
		t.Error("the picture does not name the classes")
	}

	must(t, "embed", "-m", "lda", "-i", "f.csv", "--id", "name", "--labels", "f.csv:species", "-o", "lda.csv")
	must(t, "factorize", "-m", "nmf", "-i", "f.csv", "--id", "name", "--drop", "species", "-r", "2", "--out-w", "w.csv", "--out-h", "h.csv")
	if w, h := lines(t, "w.csv"), lines(t, "h.csv"); w[0] != "name,nmf1,nmf2" || h[0] != "length,width,petal" || len(h) != 3 {
		t.Errorf("w %q, h %q", w[0], h)
	}
	must(t, "factorize", "-m", "ndla", "-k", "5", "-i", "f.csv", "--id", "name", "--labels", ":species", "-r", "2", "--out-w", "w2.csv")
	must(t, "cluster", "-m", "kmeans", "-i", "f.csv", "--id", "name", "--drop", "species", "--clusters", "3", "--out", "c.csv", "--out-centers", "centres.csv", "--model", "c.model")
	if c, m := lines(t, "c.csv"), lines(t, "centres.csv"); c[0] != "name,cluster" || m[0] != "length,width,petal" {
		t.Errorf("clusters %q, centres %q", c[0], m[0])
	}
	must(t, "transform", "--model", "c.model", "-i", "f.csv", "--id", "name", "--drop", "species", "-o", "again.csv")
	if !slices.Equal(lines(t, "again.csv"), lines(t, "c.csv")) {
		t.Error("the model gives other clusters")
	}
	must(t, "select", "-m", "dpp", "-i", "f.csv", "--id", "name", "--drop", "species", "--count", "3", "--out", "s.csv")
	if s := lines(t, "s.csv"); s[0] != "name,row" || len(s) != 4 || !strings.HasPrefix(s[1], "f") {
		t.Errorf("exemplars %q", s)
	}
	must(t, "denoise", "-i", "f.csv", "--id", "name", "--drop", "species", "-o", "d.csv")
	if d := lines(t, "d.csv"); d[0] != "name,length,width,petal" {
		t.Errorf("denoised %q", d[0])
	}
	must(t, "neighbors", "-i", "f.csv", "--drop", "name,species", "-k", "3", "--out-indices", "i.csv")

	if v := value(t, "evaluate", "-m", "acc", "--labels", "f.csv:species", "--predicted", "c.csv", "--id", "name"); v < 0.9 {
		t.Errorf("accuracy %v", v)
	}
	for _, labels := range []string{"f.csv:species", ":species"} {
		if v := value(t, "evaluate", "-m", "nn-error", "--in", "f.csv", "--embedding", "y.csv", "--labels", labels); v > 0.3 {
			t.Errorf("error rate %v", v)
		}
	}
	trust := value(t, "evaluate", "-m", "trustworthiness", "--in", "f.csv", "--id", "name", "--labels", ":species", "--embedding", "y.csv")
	if same := value(t, "evaluate", "-m", "trustworthiness", "--in", "f.csv:2-4", "--embedding", "want.npy"); trust != same {
		t.Errorf("trustworthiness %v, of the plain files %v", trust, same)
	}
	write(t, "r.json", must(t, "embed", "-m", "lle", "-k", "6", "-i", "f.csv", "--id", "name", "--drop", "species", "--scale", "standard", "-o", "l.csv", "--json").out)
	if o := orthant(t, "verify", "-i", "f.csv", "--id", "name", "--drop", "species", "-e", "l.csv", "--report", "r.json", "--json"); !strings.Contains(o.out, `"residuals":[`) || o.status == exitUsage {
		t.Errorf("verify: status %d, %s", o.status, o.err)
	}
}

// Rows that lack a value are left out, or filled in, by word; and NaN of any format.
func TestMissingByWord(t *testing.T) {
	inFolder(t, "")
	writeFlowers(t, "gap.csv", "NA")
	writeFlowers(t, "full.csv", "3.1")
	samples := []string{"--id", "name", "--labels", ":species"}
	o := must(t, append([]string{"embed", "-m", "pca", "-i", "gap.csv", "-o", "y.csv", "--missing", "drop"}, samples...)...)
	if !strings.Contains(o.err, "left out by --missing drop: 1 of 30 rows of gap.csv, which lack a value") {
		t.Error(o.err)
	}
	y := lines(t, "y.csv")
	if ids := firstFields(y); len(ids) != 29 || slices.Contains(ids, "f04") {
		t.Errorf("ids %q", ids)
	}
	kept := mat.NewDense(29, 3, nil)
	full := matrix(t, "full.csv:length,width,petal")
	for i := range 29 {
		kept.SetRow(i, full.RawRowView(i+max(0, min(1, i-3))))
	}
	convert(t, kept, "kept.npy")
	must(t, "embed", "-m", "pca", "-i", "kept.npy", "-o", "want.npy")
	if !mat.Equal(matrix(t, "y.csv:pca1,pca2"), matrix(t, "want.npy")) {
		t.Error("another embedding than of the rows that are whole")
	}
	// Without ids the rows are named by their numbers, and indices are those of the table.
	must(t, "embed", "-m", "pca", "-i", "gap.csv:2-4", "-o", "n.csv", "--missing", "drop")
	if ids := firstFields(lines(t, "n.csv")); ids[3] != "4" || ids[4] != "6" {
		t.Errorf("rows %q", ids)
	}
	must(t, "select", "-m", "dpp", "-i", "gap.csv:2-4", "--count", "5", "-o", "s.npy", "--missing", "drop")
	must(t, "select", "-m", "dpp", "-i", "kept.npy", "--count", "5", "-o", "k.npy")
	for p, i := range matrix(t, "k.npy").RawMatrix().Data {
		if i > 3 {
			i++
		}
		if v := matrix(t, "s.npy").At(p, 0); v != i {
			t.Errorf("exemplar %v, want row %v", v, i)
		}
	}
	if v := value(t, "evaluate", "-m", "nn-error", "--embedding", "y.csv", "--in", "gap.csv", "--id", "name", "--labels", ":species", "--set", "splits=2", "--missing", "drop"); math.IsNaN(v) {
		t.Error("no value")
	}

	o = must(t, append([]string{"embed", "-m", "pca", "-i", "gap.csv", "-o", "m.npy", "--missing", "mean"}, samples...)...)
	if !strings.Contains(o.err, "1 missing value of gap.csv filled in") {
		t.Error(o.err)
	}
	width := mat.Col(nil, 1, kept)
	mean := 0.0
	for _, v := range width {
		mean += v / float64(len(width))
	}
	full.Set(4, 1, mean)
	convert(t, full, "mean.npy")
	must(t, "embed", "-m", "pca", "-i", "mean.npy", "-o", "want.npy")
	if !mat.EqualApprox(matrix(t, "m.npy"), matrix(t, "want.npy"), 1e-12) {
		t.Error("another embedding than with the mean of the column")
	}
	must(t, "factorize", "-m", "nmf", "-i", "gap.csv", "--id", "name", "--drop", "species", "-r", "2", "--missing", "weight", "--out-w", "w.csv")
	if w := lines(t, "w.csv"); len(w) != 31 || w[0] != "name,nmf1,nmf2" {
		t.Errorf("w %q", w[0])
	}
	full.Set(4, 1, math.NaN())
	convert(t, full, "nan.npy")
	must(t, "cluster", "-m", "kmeans", "-i", "nan.npy", "--clusters", "3", "--missing", "mean", "--out", "c.npy")
}

// Columns that were left in the data are told, with what to type.
func TestClassesLeftInTheData(t *testing.T) {
	inFolder(t, "")
	var named, plain strings.Builder
	named.WriteString("id,a,b,target\n")
	for i := range 40 {
		row := fmt.Sprintf("%d,%g,%g,%d\n", i+1, 0.5+float64(i*i%17), 0.25*float64(i%9), i%4)
		named.WriteString(row)
		plain.WriteString(row)
	}
	write(t, "named.csv", named.String())
	write(t, "plain.csv", plain.String())
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"-i", "named.csv"}, []string{
			"column 1 (id) seems to number the rows: it is in the data all the same; type --drop id to leave it out, or --id id to name the samples by it",
			"column 4 (target) seems to be the classes of the samples, with 4 whole numbers: it is in the data all the same; type --labels :target to take it for the classes, or --drop target to leave it out"}},
		{[]string{"-i", "named.csv", "--id", "id", "--labels", ":target"}, nil},
		{[]string{"-i", "named.csv", "--drop", "id", "--labels", "named.csv:target"}, nil},
		{[]string{"-i", "named.csv", "--columns", "a,b,target"}, nil},
		{[]string{"-i", "plain.csv", "--drop", "1"}, []string{"column 3 seems to be the classes"}},
	} {
		o := must(t, append([]string{"embed", "-m", "pca", "-o", "y.npy", "--scale", "none"}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(o.err, want) {
				t.Errorf("%v: %s does not say %q", c.args, o.err, want)
			}
		}
		if c.want == nil && strings.Contains(o.err, "seems") {
			t.Errorf("%v: %s", c.args, o.err)
		}
	}
}

func TestTableRefusals(t *testing.T) {
	inFolder(t, "20")
	writeFlowers(t, "f.csv", "3.1")
	writeFlowers(t, "gap.csv", "")
	write(t, "de.csv", "\xef\xbb\xbfid;größe;breite\n1;1,5;2\n2;2,5;4\n3;0,5;7\n")
	write(t, "bar.csv", "\xef\xbb\xbfid|größe|breite\n1|1,5|2\n2|2,5|4\n3|0,5|7\n")
	write(t, "empty.csv", "a,b\n1,\n2,\n")
	write(t, "all.csv", "a,b\n1,\n,2\n")
	write(t, "inf.csv", "a,b\n1,inf\n,2\n")
	write(t, "two.csv", "name,kind\na,1\nb,2\n")
	write(t, "s.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1.5\n2 3 2\n")
	for _, c := range []struct{ line, want string }{
		{"embed -m pca -i f.csv -o y.npy", "column 1 (name) holds text (f00, f01, f02, f03, …), column 5 (species) holds text (setosa, versicolor, virginica), where numbers should be: type --id name --labels :species where they are the names of the samples and their classes, or leave them out by --drop name,species"},
		{"select -m dpp --count 2 -i f.csv --id name -o y.npy", "column 5 (species) holds text (setosa, versicolor, virginica), where numbers should be: leave it out by --drop species"},
		{"cluster -m kmeans --clusters 2 -i f.csv -o y.npy", "--id name --drop species"},
		{"embed -m pca -i gap.csv --id name --labels :species -o y.npy", "line 6, column 3 (width) is empty: remove or impute missing values first, or type --missing drop (leaves such rows out), or --missing mean (takes the mean of the column)"},
		{"factorize -m nmf -r 2 -i gap.csv --id name --drop species --out-w y.npy", "or give them the weight 0 (--missing weight)"},
		{"embed -m pca -i gap.csv --id name --labels :species --missing weight -o y.npy", `--missing weight is for nmf, nmf-kl, l21-nmf of "orthant factorize", and pca has no weights; give drop or mean`},
		{"embed -m pca -i gap.csv --missing median -o y.npy", `--missing is "median"; give error, drop or mean`},
		{"factorize -m gnmf -r 2 -i gap.csv --missing weight --out-w y.npy", "--missing is for nmf"},
		{"embed -m pca -i empty.csv --missing mean -o y.npy", "column 2 (b) has no value in any row, and so no mean; leave it out (--drop b)"},
		{"embed -m pca -i all.csv --missing drop -o y.npy", "every row of all.csv lacks a value, so that --missing drop leaves none"},
		{"embed -m pca -i inf.csv --missing drop -o y.npy", "inf"},
		{"embed -m nmms -i gap.csv --missing drop --init x.npy -o y.npy", "--missing drop leaves rows out, and --init would no longer go with them"},
		{"embed -m pca -i s.mtx --missing mean -o y.npy", "--missing mean is for dense samples, and those of s.mtx are sparse"},
		{"factorize -m nmf -r 2 -i s.mtx --columns 1,2 --out-w y.npy", "--columns and --drop take columns of dense samples"},
		{"embed -m pca -i f.csv --id nme -o y.npy", `the table has no column "nme" (did you mean "name"?); it has name, length, width, petal, species`},
		{"embed -m pca -i x.npy --id name -o y.npy", "--id names a column of a table, and x.npy is none"},
		{"embed -m pca -i x.npy --columns 2-7 -o y.npy", "there is no column 2-7: the table has 3 columns"},
		{"embed -m pca -i x.npy --resize 3x3 -o y.npy", "--resize and --grey are for images, and x.npy is none; leave them out"},
		{"embed -m pca -i x.npy --resize 3 -o y.npy", "give height and width in pixels, such as 32x32"},
		{"embed -m pca -i x.npy --labels :a -o y.npy", "x.npy"},
		{"embed -m pca -i - --labels :a -o y.npy", ":a means a column of --in, which is no table here; name the file before the colon"},
		{"embed -m lda -i f.csv --id name --labels :kind -o y.npy", `the table has no column "kind"`},
		{"embed -m lda -i x.npy --labels two.csv -o y.npy", "labels are one column, and the table has 2: name one behind a colon, as in file.csv:kind"},
		{"embed -m pca -i bar.csv -o y.npy", "its lines are divided by '|': type --delimiter '|'"},
		{"embed -m pca -i bar.csv --drop id -o y.npy", "say which character separates the fields (--delimiter)"},
		{"embed -m pca -i f.csv --delimiter 5 -o y.npy", "give one character that is in no number, such as ; or |, or the word tab"},
		{"evaluate -m nn-error --embedding f.csv --labels f.csv:species", "name the columns of numbers behind a colon, as in f.csv:2-3"},
		{"evaluate -m nn-error --embedding x.npy --labels f.csv:species --id nme", "--id is nme, and no input has such a column"},
		{"evaluate -m nn-error --embedding x.npy --labels f.csv:species --missing weight", "give drop or mean"},
		{"factorize -m nmf -r 2 --set solver=minibatch -i gap.csv --missing mean --out-w y.npy", "--missing mean needs all samples in memory, and solver=minibatch reads them batch by batch"},
		{"transform --model nothing.model -i f.csv -o y.npy", "nothing.model"},
	} {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != exitUsage || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %s\nwant %s", c.line, o.status, o.err, c.want)
		}
	}
	must(t, "embed", "-m", "pca", "-d", "1", "-i", "de.csv", "--id", "id", "-o", "y.csv")
	if y := lines(t, "y.csv"); y[0] != "id,pca1" || len(y) != 4 {
		t.Errorf("a table with decimal commas gives %q", y)
	}
}

// Jobs of a batch take tables by the same words.
func TestTablesInABatch(t *testing.T) {
	inFolder(t, "")
	writeFlowers(t, "f.csv", "NA")
	write(t, "jobs.jsonl", `{"command": "embed", "method": "lda", "in": "f.csv", "id": "name", "labels": ":species", "missing": "drop", "scale": "standard", "out": "a.csv"}
{"command": "embed", "method": "pca", "in": "f.csv", "columns": ["length", "petal"], "scale": "robust", "out": "b.csv"}
{"command": "factorize", "method": "nmf", "rank": 2, "in": "f.csv", "id": "name", "drop": "species", "missing": "weight", "out-w": "w.csv"}
`)
	must(t, "batch", "jobs.jsonl", "--out", "out")
	must(t, "embed", "-m", "lda", "-i", "f.csv", "--id", "name", "--labels", ":species", "--missing", "drop", "--scale", "standard", "-o", "a.csv")
	must(t, "embed", "-m", "pca", "-i", "f.csv", "--columns", "length,petal", "--scale", "robust", "-o", "b.csv")
	for _, name := range []string{"a.csv", "b.csv"} {
		if !slices.Equal(lines(t, name), lines(t, "out/"+name)) {
			t.Errorf("%s differs", name)
		}
	}
	if w := lines(t, "out/w.csv"); w[0] != "name,nmf1,nmf2" || len(w) != 31 {
		t.Errorf("w %q", w[0])
	}
	write(t, "bad.jsonl", `{"command": "embed", "method": "pca", "in": "f.csv", "missing": "median", "out": "a.csv"}`+"\n")
	if o := orthant(t, "batch", "bad.jsonl", "--out", "bad"); o.status == exitDone {
		t.Error("a word that means nothing is taken")
	}
}

// Ids and names that a spreadsheet would compute are written as they are, and with --safe-csv as texts, by every command
// that writes them; coordinates below zero are numbers.
func TestSafeCSV(t *testing.T) {
	inFolder(t, "")
	var table strings.Builder
	table.WriteString("id,=a,b,c\n")
	for i := range 20 {
		fmt.Fprintf(&table, "=x%d,%d,%d,%d\n", i, i%7, i*i%11, i%3)
	}
	write(t, "t.csv", table.String())
	must(t, strings.Fields("embed -m pca -d 1 -i t.csv --id id -o y.npy --model p.model -q")...)
	for _, c := range []struct{ args, text string }{
		{"embed -m pca -d 1 -i t.csv --id id -o y.csv -q", "=x1,"},
		{"transform -M p.model -i t.csv --id id -o y.csv -q", "=x1,"},
		{"cluster -m kmeans -c 2 -i t.csv --id id -o y.csv -q", "=x1,"},
		{"select -m dpp --count 20 -i t.csv --id id -o y.csv -q", "=x1,"},
		{"factorize -m nmf -r 2 -i t.csv --id id --out-w y.csv -q", "=x1,"},
		{"factorize -m nmf -r 2 -i t.csv --id id --out-h y.csv -q", "=a,"},
		{"denoise -k 5 --dim 1 -i t.csv --id id -o y.csv -q", "=x1,"},
	} {
		for _, safe := range []bool{false, true} {
			args := strings.Fields(c.args)
			if safe {
				args = append(args, "--safe-csv")
			}
			must(t, args...)
			text := string(read(t, "y.csv"))
			if has := strings.Contains("\n"+text, "\n"+c.text); has == safe || safe && !strings.Contains("\n"+text, "\n'"+c.text) {
				t.Errorf("%s, safe %v: %.200q", c.args, safe, text)
			}
			if strings.Contains(text, ",'-") {
				t.Errorf("%s: a number became a text: %.200q", c.args, text)
			}
		}
	}
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

// Images of a folder or a pattern are samples, and their files name the rows.
func TestImagesAreSamples(t *testing.T) {
	inFolder(t, "")
	x := drawImages(t, "faces", 12, 4, 3)
	write(t, "faces/notes.txt", "no image")
	convert(t, x, "x.npy")
	must(t, "embed", "-m", "pca", "-i", "x.npy", "-o", "want.npy")
	for _, in := range []string{"faces", "faces/*.pgm"} {
		o := must(t, "embed", "-m", "pca", "-i", in, "-o", "y.csv", "--model", "f.model")
		if !mat.Equal(matrix(t, "y.csv:pca1,pca2"), matrix(t, "want.npy")) {
			t.Errorf("%s: another embedding than of the pixels", in)
		}
		if y := lines(t, "y.csv"); y[0] != "image,pca1,pca2" || !strings.HasPrefix(y[12], "f11.pgm,") {
			t.Errorf("%s: %q … %q", in, y[0], y[12])
		}
		if !strings.Contains(o.err, "12 of 4 × 3 pixels, grey") {
			t.Errorf("%s: %s", in, o.err)
		}
	}
	must(t, "transform", "--model", "f.model", "-i", "faces/f0*.pgm", "-o", "z.csv")
	if z, y := lines(t, "z.csv"), lines(t, "y.csv"); len(z) != 11 || z[1] != y[1] {
		t.Errorf("transformed %q, embedded %q", z[1], y[1])
	}
	must(t, "factorize", "-m", "nmf", "-i", "faces", "-r", "2", "--resize", "2x2", "--out-w", "w.csv", "--out-h", "h.csv")
	if h := lines(t, "h.csv"); h[0] != "r1c1,r1c2,r2c1,r2c2" {
		t.Errorf("components %q", h[0])
	}
	must(t, "cluster", "-m", "kmeans", "-i", "faces", "--clusters", "3", "-o", "c.csv")
	must(t, "select", "-m", "dpp", "-i", "faces", "--count", "2", "-o", "s.csv")
	if s := lines(t, "s.csv"); s[0] != "image,row" || !strings.Contains(s[1], ".pgm,") {
		t.Errorf("exemplars %q", s)
	}
	if v := value(t, "evaluate", "-m", "trustworthiness", "--in", "faces", "--embedding", "y.csv", "-k", "3"); !(v > 0 && v <= 1) {
		t.Errorf("trustworthiness %v", v)
	}
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "faces/*.pgm", "resize": "2x2", "out": "j.csv"}`+"\n")
	must(t, "batch", "jobs.jsonl", "--out", "out")
	must(t, "embed", "-m", "pca", "-i", "faces", "--resize", "2x2", "-o", "j.csv")
	if string(read(t, "j.csv")) != string(read(t, "out/j.csv")) {
		t.Error("a job of images differs")
	}
}

func TestImageRefusals(t *testing.T) {
	inFolder(t, "20")
	drawImages(t, "faces", 6, 4, 3)
	drawImages(t, "mixed", 3, 4, 3)
	drawImages(t, "mixed/more", 1, 5, 3)
	if err := os.Rename("mixed/more/f00.pgm", "mixed/z.pgm"); err != nil {
		t.Fatal(err)
	}
	must(t, "embed", "-m", "pca", "-i", "faces", "-o", "y.npy", "--model", "f.model")
	for _, c := range []struct{ line, want string }{
		{"embed -m pca -i mixed -o y.npy", "z.pgm: it is 5 × 3 pixels (height × width) where f00.pgm is 4 × 3: bring all to one size (--resize), such as 4x3"},
		{"embed -m pca -i faces --columns 1,2 -o y.npy", "--columns, --drop and --id are for tables, and faces means images; leave them out"},
		{"embed -m pca -i faces --id name -o y.npy", "--columns, --drop and --id are for tables"},
		{"embed -m pca -i faces --labels :kind -o y.npy", ":kind means a column of --in, which is no table here"},
		{"embed -m pca -i faces/*.png -o y.npy", "the pattern matches no file"},
		{"embed -m pca -i nowhere/ -o y.npy", "nowhere"},
		{"transform --model f.model -i faces --resize 2x2 -o y.npy", "bring them to the size of the fit (--resize HxW), grey or coloured as there (--grey)"},
		{"factorize -m nmf -r 2 --set solver=minibatch -i faces --out-w w.npy", "solver=minibatch reads samples batch by batch from a file, and faces means images; take another solver"},
	} {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != exitUsage || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %s\nwant %s", c.line, o.status, o.err, c.want)
		}
	}
}
