package bench

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// signs are what was seen of the machine during one repeat, in seconds.
type signs struct {
	Wall   float64 `json:"wall"`
	Others float64 `json:"others"` // processor time of other processes
	Steal  float64 `json:"steal"`  // processor time that the host gave to others
	CPU    float64 `json:"cpu"`    // processor time of this program and its children: the case, reading and judging and all
}

// observer watches the machine from its making until done.
type observer struct {
	started        time.Time
	busy, stolen   float64
	own0, children float64
}

func observe() observer {
	o := observer{started: time.Now()}
	o.own0, o.children = ProcessorSeconds()
	o.busy, o.stolen = machineSeconds()
	return o
}

// done returns the signs. Times of the whole machine are counted in ticks of
// 10 ms: they say something once added up over half a second.
func (o observer) done() signs {
	busy, stolen := machineSeconds()
	own, children := ProcessorSeconds()
	ours := own - o.own0 + children - o.children
	return signs{Wall: time.Since(o.started).Seconds(), Others: max(0, busy-o.busy-ours), Steal: max(0, stolen-o.stolen), CPU: ours}
}

// machineSeconds returns the processor time since the start of the machine: all
// that was spent by processes and the kernel, and all that the host of a virtual
// machine kept. Both are 0 where the system does not say.
func machineSeconds() (busy, stolen float64) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	const tick = 0.01                                                   // USER_HZ is 100 on every Linux
	for i, f := range strings.Fields(strings.TrimPrefix(line, "cpu")) { // user nice system idle iowait irq softirq steal
		ticks, err := strconv.ParseFloat(f, 64)
		switch {
		case err != nil || i == 3 || i == 4 || i > 7:
		case i == 7:
			stolen = ticks * tick
		default:
			busy += ticks * tick
		}
	}
	return busy, stolen
}

// What is more than this is noise.
const (
	minObserved    = 0.5  // seconds of wall time below which ticks say nothing
	othersAllowed  = 0.10 // of one core
	stealAllowed   = 0.01 // of one core
	spreadAllowed  = 0.05
	waitingAllowed = 0.05 // of the wall time of a case on one thread
	waitingLeast   = 0.01 // seconds
)

// noiseIn says why the figures of a record may be off; "" where nothing speaks
// against them.
func noiseIn(r *Record, list []repeat) string {
	var sum signs
	for _, one := range list {
		sum.Wall += one.Signs.Wall
		sum.Others += one.Signs.Others
		sum.Steal += one.Signs.Steal
	}
	var said []string
	if sum.Wall >= minObserved {
		if share := sum.Others / sum.Wall; share > othersAllowed {
			said = append(said, fmt.Sprintf("other processes took %.0f %% of a core (of %d) meanwhile", 100*share, runtime.NumCPU()))
		}
		if share := sum.Steal / sum.Wall; share > stealAllowed {
			said = append(said, fmt.Sprintf("the host of this virtual machine kept %.0f %% of a core", 100*share))
		}
	}
	wall, cpu := r.Seconds["total"].Median, r.CPUSeconds["total"].Median
	if wait := wall - cpu; r.Threads == 1 && cpu > 0 && wait > waitingLeast && wait > waitingAllowed*wall {
		said = append(said, fmt.Sprintf("on one thread it waited for %.0f %% of its time", 100*wait/wall))
	}
	if s := math.Max(r.CPUSeconds["total"].Spread, r.Seconds["total"].Spread); s > spreadAllowed {
		said = append(said, fmt.Sprintf("the repeats spread by ±%.0f %%", 100*s))
	}
	if len(said) == 0 {
		return ""
	}
	text := strings.Join(said, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
