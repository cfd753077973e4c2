package library

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/must"
)

// No count of a task is taken for another number.
func TestCounts(t *testing.T) {
	const n, m = 40, 6
	x := waves(n, m)
	for i := range x {
		x[i] = math.Abs(x[i])
	}
	g := given{x: viewing(x, n, m, m, typeFloat64)}
	for _, count := range []int64{-1, 0, math.MinInt64, 1 << 31, 1<<32 + 3, 1<<53 + 1, math.MaxInt64} {
		for task, c := range map[string]struct{ method, parameters, says string }{
			"factorize": {"nmf", "", "rank is"}, "learn": {"nmf", `{"solver": "minibatch"}`, "rank is"}, "cluster": {"kmeans", "", "clusters is"},
			"select": {"ds3", "", "count is"}, "neighbors": {"", "", "k is"}, "denoise": {"", "", "dim is"},
		} {
			if count == autoRank && task == "factorize" {
				continue // finds the rank
			}
			g.count, g.method, g.parameters = count, c.method, []byte(c.parameters)
			_, err := prepare(taskNumber(task), g)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), fmt.Sprint(count)) {
				t.Errorf("%s of %d: %v", task, count, err)
			}
		}
		g.count, g.method, g.parameters = count, "nmf", nil
		must.Refuse(t, fmt.Sprint("runs is ", count))(g.factorizeRuns([]int64{2}))
		g.count = 2
		must.Refuse(t, fmt.Sprint("rank ", count))(g.factorizeRuns([]int64{count}))
		for _, task := range []string{"eigsh", "largest", "svds", "spectral_init"} {
			must.Refuse(t, fmt.Sprint("the number asked for is ", count))(solved(task, problem{a: lent(beads(30)), count: count}))
		}
	}
}

// A number within quotation marks is a text, and counts beyond 2³¹ − 1 are refused among the parameters, too.
func TestNumbersOfParameters(t *testing.T) {
	x := waves(40, 6)
	for i := range x {
		x[i] = math.Abs(x[i])
	}
	for _, c := range []struct{ task, method, parameters, says string }{
		{"embed", "lle", `{"neighbors": "5"}`, `neighbors is the text "5"; give it as a number`},
		{"embed", "lle", `{"gamma": "1e-3"}`, `gamma is the text "1e-3"`},
		{"embed", "lle", `{"seed": "5"}`, `seed is the text "5"`},
		{"embed", "lle", `{"threads": "1"}`, `threads is the text "1"`},
		{"embed", "lle", `{"neighbors": true}`, `neighbors is "true"; give a whole number`},
		{"embed", "lle", `{"neighbors": 5.0}`, `neighbors is "5.0"; give a whole number`},
		{"embed", "lle", `{"neighbors": 2147483648}`, `neighbors is 2147483648; give a whole number ≥ 1, below 2³¹`},
		{"embed", "lle", `{"landmarks": 2147483648}`, `landmarks is 2147483648`},
		{"learn", "nmf", `{"solver": "minibatch", "batch": 2147483648}`, `batch is 2147483648; give a whole number ≥ 1, below 2³¹`},
		{"learn", "nmf", `{"solver": "minibatch", "batch": 9223372036854775807}`, `batch is 9223372036854775807`},
		{"embed", "lle", `{"n_components": 5}`, `did you mean "dim"?`},
		{"factorize", "nmf", `{"n_components": 5}`, `did you mean "rank"?`},
		{"cluster", "kmeans", `{"n_clusters": 5}`, `did you mean "clusters"?`},
		{"embed", "lle", `{"metric": "cosin"}`, `did you mean "cosine"?`},
	} {
		g := given{method: c.method, x: viewing(x, 40, 6, 6, typeFloat64), count: 2, parameters: []byte(c.parameters)}
		if c.task == "embed" {
			g.count = 0
		}
		_, err := prepare(taskNumber(c.task), g)
		if err == nil {
			t.Errorf("%s took %s", c.method, c.parameters)
		} else if said := wording.Error(err, wording.Arguments); !strings.Contains(said, c.says) {
			t.Errorf("%s %s: %s, want %q", c.method, c.parameters, said, c.says)
		}
	}
	// A word stays a word, even if it looks like a number.
	g := given{method: "ds3", x: viewing(x, 40, 6, 6, typeFloat64), count: 2, parameters: []byte(`{"p": "2"}`)}
	if _, err := prepare(taskNumber("select"), g); err != nil {
		t.Error(err)
	}
}

// Batches beyond the samples are all of them.
func TestLearnInOneBatch(t *testing.T) {
	x := waves(40, 6)
	for i := range x {
		x[i] = math.Abs(x[i])
	}
	g := given{method: "nmf", x: viewing(x, 40, 6, 6, typeFloat64), count: 2, parameters: []byte(`{"solver": "minibatch"}`)}
	want := do(t, "learn", g).arrays["h"].numbers
	g.parameters = []byte(`{"solver": "minibatch", "batch": 2147483647}`)
	got := do(t, "learn", g).arrays["h"].numbers
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("H is %v, want %v", got, want)
		}
	}
}
