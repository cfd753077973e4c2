package run

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// When a phase has a rate, and when it is worth a line.
const (
	rateTime = 100 * time.Millisecond // that the first part takes
	longTime = time.Second            // of the whole phase
)

// rates tell what a phase is going to take, once, from how its first part went.
type rates struct {
	tell func(line string)
	now  func() time.Time

	mu    sync.Mutex
	first At        // of the phase under way
	since time.Time // when it was told
	told  bool
}

// told passes progress on, and tells a line of each phase whose parts are alike and that takes long.
func (s *Settings) told() func(At) {
	r := &rates{tell: s.Explain, now: time.Now}
	progress := s.Progress
	return func(at At) {
		progress(at)
		if at.Of > 0 && at.Unit != factorColumns {
			r.see(at)
		}
	}
}

func (r *rates) see(at At) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if at.Phase != r.first.Phase {
		r.first, r.since, r.told = at, now, false
		return
	}
	took, share := now.Sub(r.since), at.Done-r.first.Done
	if r.told || took < rateTime || share <= 0 {
		return
	}
	r.told = true
	whole := time.Duration(float64(took) * (1 - r.first.Done) / share)
	if whole < longTime {
		return
	}
	most := ""
	if at.Unit == Iterations || at.Unit == Passes {
		most = "at most "
	}
	r.tell(fmt.Sprintf("seconds: %s about %s (%s%d %s), from the rate of its first %.2g s", at.Phase, About(whole.Seconds()), most, at.Of, at.Unit, took.Seconds()))
}

// About writes seconds that are not known better than to two digits.
func About(seconds float64) string {
	if seconds < 10 {
		return fmt.Sprintf("%.2g", seconds)
	}
	unit := math.Pow(10, math.Floor(math.Log10(seconds))-1)
	return fmt.Sprintf("%.0f", unit*math.Round(seconds/unit))
}
