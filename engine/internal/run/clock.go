package run

import (
	"sync"
	"time"

	"github.com/orthant-go/orthant/blas/limits"
)

// Seconds are the durations of a run: "total" and one entry for each phase.
type Seconds map[string]float64

// Clock times the phases of a run in wall and processor time. Phases of the
// same name add up. The zero value is not ready; use [NewClock].
type Clock struct {
	mu        sync.Mutex
	wall, cpu Seconds
	started   time.Time
	cpuAt     float64
}

// NewClock starts a clock.
func NewClock() *Clock {
	return &Clock{wall: Seconds{}, cpu: Seconds{}, started: time.Now(), cpuAt: limits.ProcessorSeconds()}
}

// Phase starts a phase and returns the function that ends it.
func (c *Clock) Phase(name string) (end func()) {
	wall, cpu := time.Now(), limits.ProcessorSeconds()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.wall[name] += time.Since(wall).Seconds()
		c.cpu[name] += limits.ProcessorSeconds() - cpu
	}
}

// Seconds returns the wall and processor seconds so far, with their totals.
func (c *Clock) Seconds() (wall, cpu Seconds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, cpu = Seconds{"total": time.Since(c.started).Seconds()}, Seconds{"total": limits.ProcessorSeconds() - c.cpuAt}
	for name := range c.wall {
		wall[name], cpu[name] = c.wall[name], c.cpu[name]
	}
	return wall, cpu
}
