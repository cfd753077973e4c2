package main

import (
	"strings"
	"testing"
)

// How neighbours are found has one name in all commands, and compare takes --method as embed does.
func TestNamesOfMethods(t *testing.T) {
	inFolder(t, "200")
	for _, name := range []string{"--neighbors-method", "--method"} {
		must(t, strings.Fields("neighbors --in x.npy -k 5 --out g.npz "+name+" approximate")...)
		if o := orthant(t, strings.Fields("neighbors --in x.npy -k 5 --out g.npz "+name+" fast")...); o.status != exitUsage || !strings.Contains(o.err, "--neighbors-method is \"fast\"") {
			t.Errorf("%s: status %d, %s", name, o.status, o.err)
		}
	}
	rows, _ := comparedRows(t, must(t, strings.Fields("compare --in x.npy --method pca,le -k 8 --json -q")...))
	if len(rows) != 2 || rows[0].Method != "pca" || rows[1].Method != "le" {
		t.Errorf("%+v", rows)
	}
	for _, row := range rows {
		if kept, known := row.Values[keptName]; !known || !(kept > 0.1 && kept <= 1) || row.Verdict == "" {
			t.Errorf("%+v", row)
		}
	}
}
