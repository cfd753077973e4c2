package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
)

// Folder is what a run left in its output folder.
type Folder struct {
	Dir      string
	Suites   []*Records // that have records, in the order of the suites known; others last, by name
	Warnings []string

	known Suites
}

// recordsFile is where a run keeps its records, within its folder.
const recordsFile = "records.jsonl"

// recordFolding is about how many times the bytes of its line a record takes.
const recordFolding = 4

// ReadFolder reads the records of a run, line by line within the memory that the options
// leave, and puts them in the order of the suites that are known. Of several lines of one case the last counts.
// A last line that was torn by the end of the program is left out with a warning; anything else that is
// not a record is an error that names file and line.
func ReadFolder(dir string, known Suites, o files.Options) (*Folder, error) {
	path := filepath.Join(dir, recordsFile)
	f := &Folder{Dir: dir, known: known}
	latest := map[[2]string]*Record{}
	var held int64                // bytes of the lines of these records
	size := map[[2]string]int64{} // of each
	err := files.ReadLines(path, o, func(number int, line []byte, whole bool) error {
		r := &Record{Line: number}
		if err := json.Unmarshal(line, r); err != nil {
			if !whole {
				f.Warnings = append(f.Warnings, fmt.Sprintf("%s, line %d: the last line is torn and left out; \"orthant-bench run\" with the same --out resumes there", path, number))
				return nil
			}
			return fmt.Errorf("bench: %s, line %d: %w; remove the line to go on without it", path, number, err)
		}
		if r.Suite == "" || r.Case == "" {
			return fmt.Errorf("bench: %s, line %d: a record without suite or case; remove the line to go on without it", path, number)
		}
		id := [2]string{r.Suite, r.Case}
		held += int64(len(line)) - size[id]
		if o.MaxBytes > 0 && held*recordFolding > o.MaxBytes-o.Taken {
			return fmt.Errorf("bench: %s, line %d: the records up to here take about %s, more than the memory limit leaves: raise it", path, number, limits.FormatBytes(held*recordFolding))
		}
		latest[id], size[id] = r, int64(len(line))
		return nil
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("bench: there is no %s in %s; give the folder that \"orthant-bench run --out\" filled", recordsFile, dir)
	}
	if e, ok := errors.AsType[*files.Error](err); ok {
		return nil, fmt.Errorf("bench: reading the records %s: %w", path, e.Err)
	}
	if err != nil {
		return nil, err
	}
	if len(latest) == 0 {
		return nil, fmt.Errorf("bench: %s holds no record; \"orthant-bench run --out %s\" makes some", path, dir)
	}
	f.group(latest)
	return f, nil
}

// group sorts the records into their suites, each in the order of its cases.
func (f *Folder) group(latest map[[2]string]*Record) {
	bySuite := map[string]*Records{}
	for _, r := range latest {
		if bySuite[r.Suite] == nil {
			bySuite[r.Suite] = &Records{Suite: r.Suite}
			f.Suites = append(f.Suites, bySuite[r.Suite])
		}
		bySuite[r.Suite].List = append(bySuite[r.Suite].List, r)
	}
	place := func(name string) int {
		if i := slices.IndexFunc(f.known, func(s Suite) bool { return s.Name == name }); i >= 0 {
			return i
		}
		return len(f.known)
	}
	slices.SortFunc(f.Suites, func(a, b *Records) int {
		return cmp.Or(cmp.Compare(place(a.Suite), place(b.Suite)), cmp.Compare(a.Suite, b.Suite))
	})
	for _, one := range f.Suites {
		if s, err := f.known.Find(one.Suite); err == nil && s.Speed {
			if bare := one.refuseBareSeconds(); bare > 0 {
				f.Warnings = append(f.Warnings, fmt.Sprintf("%s: %d records of the suite %s have seconds without an error, as older versions made them, and are not shown; run the suite again", filepath.Join(f.Dir, recordsFile), bare, one.Suite))
			}
		}
		order := f.known.caseOrder(one.Suite)
		rank := func(r *Record) int {
			if i, known := order[r.Case]; known {
				return i
			}
			return len(order)
		}
		slices.SortFunc(one.List, func(a, b *Record) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Line, b.Line))
		})
	}
}

// refuseBareSeconds has the records of a suite of running times count as failed where
// no error goes with the seconds, as in records of older versions, and counts them.
func (r *Records) refuseBareSeconds() (bare int) {
	for _, one := range r.List {
		if !one.Done() {
			continue
		}
		has := func(quality string) bool { _, found := one.Quality[quality]; return found }
		if one.Error = errorMissing(one.Accuracy, has); len(one.Accuracy) == 0 {
			one.Error = "there is no error for its seconds; run the case again"
		}
		if one.Error != "" {
			bare++
		}
	}
	return bare
}

// caseOrder returns the place of each case in its suite.
func (list Suites) caseOrder(suite string) map[string]int {
	order := map[string]int{}
	for _, s := range list {
		if s.Name != suite || s.Cases == nil {
			continue
		}
		for _, c := range s.Cases(&Env{}) {
			order[c.Name] = len(order)
		}
	}
	return order
}

// Of returns the records of a suite: empty ones where it has none.
func (f *Folder) Of(suite string) *Records {
	for _, one := range f.Suites {
		if one.Suite == suite {
			return one
		}
	}
	return &Records{Suite: suite}
}
