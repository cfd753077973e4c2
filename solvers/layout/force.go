package layout

import "math"

// A force is a function of the squared distance, tabulated with 64 intervals an octave and linear
// between them: the power that it takes costs more than all the rest of a step. What it misses is
// below 2e-4 of the force. Below the table, where steps are nothing in a map, its first line goes on,
// and beyond it the force is 0.
type force struct {
	lines *[forceLines]line
	clip  float32 // squared distance from which on no component of a step is above maxStep
}

// line is a + b·s.
type line struct{ a, b float32 }

const (
	forceBits  = 6   // of a mantissa: the intervals of an octave
	forceLeast = -30 // exponents of the table
	forceMost  = 60
	forceLines = (forceMost - forceLeast) << forceBits

	maxStep = 4 // component of a step at rate 1
)

func newForce(exact func(s float64) float64) force {
	f := force{lines: new([forceLines]line)}
	end := func(i int) float64 {
		octave, part := i>>forceBits, i&(1<<forceBits-1)
		return math.Ldexp(1+float64(part)/(1<<forceBits), octave+forceLeast)
	}
	for i := range forceLines - 1 {
		s, t := end(i), end(i+1)
		lo, hi := exact(s), exact(t)
		slope := (hi - lo) / (t - s)
		f.lines[i] = line{float32(lo - float64(slope*s)), float32(slope)}
		if max(math.Abs(lo)*math.Sqrt(s), math.Abs(hi)*math.Sqrt(t)) > 0.99*maxStep {
			f.clip = float32(end(i + 2))
		}
	}
	return f
}

// at is the force at s ≥ 0.
func (f *force) at(s float32) float32 {
	index := int(math.Float32bits(s)>>(23-forceBits)) - (127+forceLeast)<<forceBits
	l := &f.lines[min(max(index, 0), forceLines-1)]
	return l.a + float32(l.b*s)
}

// clipped bounds a component of a step, as the distances of far places, or of very near ones, would
// make it as large as the map.
func clipped(v float32) float32 { return min(max(v, -maxStep), maxStep) }
