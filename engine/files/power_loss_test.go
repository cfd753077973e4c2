package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/internal/powerloss"
)

// Whenever the power goes, each of several outputs is as it was or new and whole, and all
// are new once CommitAll has returned. The next run makes all of them, and removes what
// the first has left.
func TestCommitAllThroughLossOfPower(t *testing.T) {
	folder := t.TempDir()
	oldThree(t, folder)
	r := powerloss.Record(t, folder, func(mark func(string)) {
		must.Do(t, writeThree(folder))
		mark("done")
	})
	states, apart, left := 0, 0, 0
	for s := range r.States() {
		s.Put(t)
		states++
		fresh := newOnes(t, folder)
		if n := len(fresh); n < 3 && len(s.Marks) > 0 {
			t.Errorf("new are only %q", fresh)
		} else if n > 0 && n < 3 {
			apart++
		}
		if hidden, _ := filepath.Glob(filepath.Join(folder, ".*")); len(hidden) > 0 {
			left++
		}
		forgetSwept()
		if err := writeThree(folder); err != nil {
			t.Error(err)
		}
		if fresh := newOnes(t, folder); len(fresh) != 3 {
			t.Errorf("the next run made %q", fresh)
		}
		onlyFiles(t, folder, threeNames...)
		if t.Failed() {
			t.Fatal(s.Name)
		}
	}
	if apart == 0 || left == 0 {
		t.Errorf("%d states, %d between two renames, %d with leftovers", states, apart, left)
	}
	t.Logf("%d states, %d between two renames, %d with leftovers", states, apart, left)
}

// forgetSwept has this process look for leftovers as a new one would.
func forgetSwept() {
	pending.Lock()
	defer pending.Unlock()
	clear(pending.swept)
}

// Whenever the power goes, the journal holds what was added before the last Sync, and of
// what came later whole lines only, and can be added to.
func TestJournalThroughLossOfPower(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "j.jsonl")
	r := powerloss.Record(t, folder, func(mark func(string)) {
		for at := 100; at < 106; at += 3 { // two runs
			j, _, _ := openNumbers(t, path)
			for n := at; n < at+3; n++ {
				must.Do(t, j.Add(n))
				if n == at+1 {
					must.Do(t, j.Sync())
					mark("synced")
				}
			}
			must.Do(t, j.Close())
		}
	})
	all := []int{100, 101, 102, 103, 104, 105}
	promised := [][]int{nil, {100, 101}, {100, 101, 102, 103, 104}}
	states, torn := 0, 0
	for s := range r.States() {
		s.Put(t)
		states++
		if text, err := os.ReadFile(path); err == nil && len(text)%4 > 0 {
			torn++
		}
		j, numbers, _ := openNumbers(t, path)
		for _, n := range promised[len(s.Marks)] {
			if !slices.Contains(numbers, n) {
				t.Errorf("%d was synced, and there are %v", n, numbers)
			}
		}
		for i, n := range numbers {
			if !slices.Contains(all, n) || i > 0 && numbers[i-1] >= n {
				t.Errorf("the journal holds %v", numbers)
			}
		}
		if err := j.Add(200); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		j, again, _ := openNumbers(t, path)
		if !slices.Equal(again, append(numbers, 200)) {
			t.Errorf("it held %v, and with one more %v", numbers, again)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Fatal(s.Name)
		}
	}
	if torn == 0 {
		t.Error("nothing was ever torn")
	}
	t.Logf("%d states, %d torn", states, torn)
}
