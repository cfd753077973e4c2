package limits

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Threads is one bound of the number of threads.
type Threads struct {
	Source string `json:"source"`
	File   string `json:"file,omitempty"` // that says so
	Count  int    `json:"count"`
}

func (t Threads) bound() int64 { return int64(t.Count) }

// The variables that set the number of threads; the first has precedence.
const (
	ownVariable    = "ORTHANT_NUM_THREADS"
	openMPVariable = "OMP_NUM_THREADS"
)

// Threads lists the bounds of the number of threads: the requested number (0: none), otherwise the
// number in the environment, and the bounds of the system. An invalid number in ORTHANT_NUM_THREADS
// is an error; the list then leaves it out.
func (s System) Threads(asked int) ([]Threads, error) {
	var found []Threads
	var err error
	if asked > 0 {
		found = append(found, Threads{"--threads", "", asked})
	} else {
		var wish Threads
		if wish, err = s.wish(); wish.Count > 0 {
			found = append(found, wish)
		}
		if s.Procs > 0 && s.Procs < s.CPUs && (s.Bound == 0 || s.Procs < s.Bound) {
			found = append(found, Threads{"GOMAXPROCS", "", s.Procs})
		}
	}
	if s.Bound > 0 {
		found = append(found, Threads{"set_num_threads", "", s.Bound})
	}
	return append(found, s.cores()...), err
}

// wish is the number in the environment. Errors in OMP_NUM_THREADS are not reported here.
func (s System) wish() (wish Threads, err error) {
	if s.Getenv == nil {
		return Threads{}, nil
	}
	if text := strings.TrimSpace(s.Getenv(ownVariable)); text != "" {
		n, wrong := strconv.Atoi(text)
		if wrong == nil && n > 0 {
			return Threads{ownVariable, "", n}, nil
		}
		err = fmt.Errorf("%s is %q; give a whole number ≥ 1, or unset it", ownVariable, text)
	}
	first, _, _ := strings.Cut(s.Getenv(openMPVariable), ",") // of nested levels the outermost
	if n, wrong := strconv.Atoi(strings.TrimSpace(first)); wrong == nil && n > 0 {
		return Threads{openMPVariable, "", n}, err
	}
	return Threads{}, err
}

// cores are the bounds that no wish exceeds: the affinity mask and the quotas of
// control groups.
func (s System) cores() []Threads {
	var found []Threads
	mask, file := s.CPUs, ""
	if n := countedIn(s.field("proc/self/status", "Cpus_allowed_list:")); n > 0 && (mask == 0 || n <= mask) {
		mask, file = n, "/proc/self/status"
	}
	if mask > 0 {
		found = append(found, Threads{"affinity mask", file, mask})
	}
	for _, g := range s.cgroups("cpu") {
		for _, folder := range g.folders {
			if file, n := s.quota(g.version, folder); n > 0 {
				found = append(found, Threads{"cgroup", "/" + file, n})
			}
		}
	}
	return found
}

// quota is the number of whole cores that a group may use, at least one; 0: no quota.
// It is rounded down, because threads wait for each other and one that is held back
// holds back all.
func (s System) quota(version int, folder string) (file string, n int) {
	file = folder + "/cpu.max"
	texts := strings.Fields(s.text(file))
	if version == 1 {
		file = folder + "/cpu.cfs_quota_us"
		texts = []string{s.text(file), s.text(folder + "/cpu.cfs_period_us")}
	}
	if len(texts) != 2 {
		return file, 0
	}
	quota, known := whole(texts[0])
	period, knownToo := whole(texts[1])
	if !known || !knownToo || quota == 0 || period == 0 {
		return file, 0
	}
	return file, int(min(max(quota/period, 1), 1<<20))
}

// countedIn is the number of members of a list such as "0-3,8"; 0 if it is not a list.
func countedIn(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		lo, known := whole(first)
		hi, knownToo := whole(last)
		if !known || !knownToo || hi < lo || hi > 1<<20 {
			return 0
		}
		n += int(hi - lo + 1)
	}
	return n
}

// processCores is asked for at every parallel loop, and stays.
var processCores = sync.OnceValue(func() int {
	least, _ := minOf(Here().cores(), Threads.bound)
	return least.Count
})

// chosen is the number that was set for the whole process; 0: none.
var chosen atomic.Int64

// Choose sets the default number of threads of this process, which overrides the environment; 0:
// the environment decides.
func Choose(threads int) { chosen.Store(int64(threads)) }

// bounded is what no run in this process exceeds, whatever it asks for; 0: nothing.
var bounded atomic.Int64

// Bound limits every run that begins from now on to this many threads, whatever it asks for; 0: no longer. The Go runtime, with its
// collector, keeps to it at once.
func Bound(threads int) {
	procs := procsAtFirst()
	bounded.Store(int64(threads))
	if threads > 0 {
		procs = min(procs, threads)
	}
	if procs != runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(procs)
	}
}

// procsAtFirst is GOMAXPROCS without a bound.
var procsAtFirst = sync.OnceValue(func() int { return runtime.GOMAXPROCS(0) })

// ForProcess is the number of threads to use in this process if asked are wanted (0: as many as
// allowed). Errors in the environment are ignored.
func ForProcess(asked int) int {
	cores := max(processCores(), 1)
	if n := int(bounded.Load()); n > 0 {
		cores = min(cores, n)
	}
	if asked <= 0 {
		asked = int(chosen.Load())
	}
	if asked > 0 {
		return min(asked, cores)
	}
	n := min(runtime.GOMAXPROCS(0), cores)
	if wish, _ := (System{Getenv: Getenv}).wish(); wish.Count > 0 {
		n = min(n, wish.Count)
	}
	return n
}
