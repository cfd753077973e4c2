package components

import (
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// TestPartsAreEmbedded runs the quick cases of two methods, whose graphs have to be in several components, and looks at what
// the table marks.
func TestPartsAreEmbedded(t *testing.T) {
	r := benchtest.RunCases(t, &Suite, &bench.Env{Quick: true}, "clusters/le/", "clusters/ltsa/")
	benchtest.CheckSections(t, &Suite, r)
	list := Suite.Sections(r)
	if len(list) != 1 || len(list[0].Table.Rows) != len(methods) {
		t.Fatalf("%+v", list)
	}
	for _, row := range list[0].Table.Rows {
		bridge, each := row[1], row[2]
		switch ran := row[0].Text == "le" || row[0].Text == "ltsa"; {
		case !ran && (bridge.Mark != bench.Absent || each.Mark != bench.Absent):
			t.Errorf("what was not run: %v", row)
		case ran && (bridge.Mark == bench.Better) != (bridge.Text > each.Text):
			t.Errorf("the better one is not marked: %v", row)
		case ran && bridge.Text == each.Text:
			t.Errorf("%s is the same by both: is the graph in one part?", row[0].Text)
		}
	}
	if row := markBetter([]bench.Cell{{}, {Text: "0.152"}, {Text: "0.211"}}, nearest); row[1].Mark != bench.Better || row[2].Mark != bench.Plain {
		t.Errorf("of two errors the smaller is not the better: %v", row)
	}
}
