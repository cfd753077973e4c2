package main

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func noneDone(int) bool { return false }

// Memory that is known beforehand decides which jobs run together.
func TestScheduleKeepsWithinMemory(t *testing.T) {
	tasks := []task{{need: 60}, {need: 60}, {need: 30}, {need: 500}, {need: 10}}
	s := newSchedule(tasks, noneDone, 4, 4, 100)
	expect := func(want ...start) {
		t.Helper()
		if got := s.next(); !slices.Equal(got, want) {
			t.Fatalf("started %v, want %v (running %v)", got, want, s.running)
		}
	}
	expect(start{0, 1}, start{2, 1}, start{4, 2}) // the second and fourth do not fit next to the first
	expect()
	s.ended(2, true)
	expect()
	s.ended(0, true)
	expect(start{1, 2})
	s.ended(4, true)
	expect() // larger than all there is: it runs alone
	s.ended(1, true)
	expect(start{3, 4})
	s.ended(3, true)
	expect()
	if s.used != 0 || len(s.running) > 0 {
		t.Errorf("%d bytes in use, %v running", s.used, s.running)
	}
}

// A job that its part of the memory did not suffice for runs again by itself, in its
// place in the line.
func TestScheduleRunsAgainWithAllMemory(t *testing.T) {
	s := newSchedule([]task{{need: 30}, {need: 30}, {need: 30}}, noneDone, 2, 2, 100)
	expect := func(want ...start) {
		t.Helper()
		if got := s.next(); !slices.Equal(got, want) {
			t.Fatalf("started %v, want %v (running %v)", got, want, s.running)
		}
	}
	expect(start{0, 1}, start{1, 1})
	s.again(0, 100)
	if s.used != 30 {
		t.Errorf("%d bytes in use, want 30", s.used)
	}
	expect(start{2, 1}) // the first does not fit next to the second
	s.ended(1, true)
	expect()
	s.ended(2, true)
	expect(start{0, 2})
	s.ended(0, true)
	expect()
	if s.used != 0 || len(s.running) > 0 {
		t.Errorf("%d bytes in use, %v running", s.used, s.running)
	}
}

// A job that does not fit is not passed for ever.
func TestScheduleIsPatient(t *testing.T) {
	tasks := []task{{need: 50}, {need: 80}}
	for range 200 {
		tasks = append(tasks, task{need: 50})
	}
	s := newSchedule(tasks, noneDone, 2, 2, 100)
	passed := 0
	for running := s.next(); ; passed++ {
		if slices.ContainsFunc(running, func(x start) bool { return x.job == 1 }) {
			break
		}
		if passed > 2*patience {
			t.Fatal("the large job waits and waits")
		}
		for job := range s.running {
			s.ended(job, true)
			break
		}
		running = s.next()
	}
	if passed < 10 {
		t.Errorf("nothing small ran meanwhile (%d)", passed)
	}
}

func TestScheduleSharesCores(t *testing.T) {
	for _, c := range []struct {
		tasks          []task
		workers, cores int
		want           []start
	}{
		{make([]task, 5), 2, 2, []start{{0, 1}, {1, 1}}},
		{make([]task, 1), 8, 8, []start{{0, 8}}},
		{make([]task, 3), 8, 8, []start{{0, 2}, {1, 3}, {2, 3}}},
		{make([]task, 5), 4, 2, []start{{0, 1}, {1, 1}, {2, 1}, {3, 1}}},
		{[]task{{threads: 3}, {}, {}}, 3, 8, []start{{0, 3}, {1, 2}, {2, 3}}},
		{[]task{{threads: 9}, {}}, 2, 4, []start{{0, 9}, {1, 1}}},
	} {
		if got := newSchedule(c.tasks, noneDone, c.workers, c.cores, 0).next(); !slices.Equal(got, c.want) {
			t.Errorf("%d workers, %d cores: %v, want %v", c.workers, c.cores, got, c.want)
		}
	}
	// The last job has all the cores that are left.
	s := newSchedule(make([]task, 3), noneDone, 2, 4, 0)
	s.next()
	s.ended(0, true)
	if got := s.next(); !slices.Equal(got, []start{{2, 2}}) {
		t.Errorf("then %v", got)
	}
}

func TestScheduleWaitsForInputs(t *testing.T) {
	//  0 → 2 → 3, 1 → 3, 4 done before, 4 → 5
	tasks := []task{{}, {}, {after: []int{0}}, {after: []int{2, 1}}, {}, {after: []int{4}}}
	fresh := func() *schedule {
		return newSchedule(tasks, func(i int) bool { return i == 4 }, 9, 9, 0)
	}
	started := func(s *schedule) (jobs []int) {
		for _, x := range s.next() {
			jobs = append(jobs, x.job)
		}
		return jobs
	}
	s := fresh()
	if got := started(s); !slices.Equal(got, []int{0, 1, 5}) {
		t.Fatalf("started %v", got)
	}
	s.ended(1, true)
	s.ended(0, true)
	if got := started(s); !slices.Equal(got, []int{2}) {
		t.Fatalf("then %v", got)
	}
	s.ended(2, true)
	if got := started(s); !slices.Equal(got, []int{3}) {
		t.Fatalf("then %v", got)
	}
	s = fresh()
	started(s)
	if lost := s.ended(0, false); !reflect.DeepEqual(lost, []int{2, 3}) {
		t.Errorf("lost %v", lost)
	}
	if lost := s.ended(1, false); len(lost) > 0 {
		t.Errorf("lost %v again", lost)
	}
}

// Whatever the jobs and in whatever order they end, each runs once, after what it
// reads, within the limits.
func TestScheduleRunsEverythingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "n")
		tasks := make([]task, n)
		for i := range tasks {
			tasks[i].need = rapid.Int64Range(0, 120).Draw(t, "need")
			tasks[i].threads = rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "threads")
			if i > 0 && rapid.IntRange(0, 4).Draw(t, "reads") == 0 {
				tasks[i].after = []int{rapid.IntRange(0, i-1).Draw(t, "after")}
			}
		}
		workers := rapid.IntRange(1, 6).Draw(t, "workers")
		s := newSchedule(tasks, noneDone, workers, rapid.IntRange(1, 6).Draw(t, "cores"), 100)
		ran := make([]int, n)
		for {
			for _, x := range s.next() {
				if ran[x.job]++; x.threads < 1 {
					t.Fatalf("job %d has %d threads", x.job, x.threads)
				}
				for _, j := range tasks[x.job].after {
					if _, runs := s.running[j]; ran[j] == 0 || runs {
						t.Fatalf("job %d runs before %d has ended", x.job, j)
					}
				}
			}
			var used int64
			for job := range s.running {
				used += tasks[job].need
			}
			if len(s.running) > workers || used > 100 && len(s.running) > 1 {
				t.Fatalf("%v run at a time, with %d bytes", s.running, used)
			}
			if len(s.running) == 0 {
				break
			}
			var running []int
			for job := range s.running {
				running = append(running, job)
			}
			slices.Sort(running)
			s.ended(rapid.SampledFrom(running).Draw(t, "ends"), true)
		}
		for job, count := range ran {
			if count != 1 {
				t.Fatalf("job %d ran %d times (%s)", job, count, fmt.Sprint(tasks))
			}
		}
	})
}
