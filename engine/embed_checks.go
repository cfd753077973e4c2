package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/solvers"
)

// checkInput refuses what no parameter could mend.
func (p *problem) checkInput(m Method) error {
	if m == nil {
		return fmt.Errorf("engine: no method given")
	}
	if _, ok := m.(embedder); !ok {
		return wrongTask(m, "embed")
	}
	p.name = m.Name()
	if p.x.N < 2 || p.x.M < 1 {
		return fmt.Errorf("%s: %d × %d data cannot be embedded; give at least 2 samples and 1 column", p.name, p.x.N, p.x.M)
	}
	return p.checkFinite()
}

func (p *problem) checkFinite() error {
	for at, v := range p.x.Data[:p.x.N*p.x.M] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; remove or fill in what is not finite", p.name, at/p.x.M+1, at%p.x.M+1, v)
		}
	}
	return nil
}

// checkChoice refuses options that do not go with the method's steps, and what
// would not fit into memory.
func (p *problem) checkChoice(m Method, choice steps) error {
	if choice.needConnected && p.options.Components == "joint" {
		return fmt.Errorf("%s: components=joint does not apply: no path leads from one component to another; choose largest or each", p.name)
	}
	if err := p.checkMemory(m, choice); err != nil {
		return err
	}
	if p.options.Model && choice.neighbors == nil && choice.extend == nil {
		return fmt.Errorf("%s: there is no rule for new samples; leave the model out, and embed them together with the others", p.name)
	}
	return nil
}

// chooser is a method that chooses a sample's neighbours among the k nearest.
type chooser interface {
	// degree bounds what it mostly chooses, in data of m columns.
	degree(m int) int
}

// checkMemory refuses what the parts that are known before the work would
// already exceed; the eigensolver refuses its own part once it knows it.
func (p *problem) checkMemory(m Method, s steps) error {
	n, cols := int64(p.x.N), int64(p.x.M)
	need := 8 * n * cols
	mend := lessWork
	if h, ok := m.(heavy); ok {
		o := p.options
		if s.ownLandmarks {
			o.Landmarks = len(p.landmarks)
			mend = "embed landmarks and place the others by them (--set landmarks=M), take fewer samples, or raise the limit"
		}
		need += h.memory(n, cols, o)
	}
	if k, ok := Values(m)["neighbors"].(int); ok && s.patch == nil {
		need += n * int64(k) * 48 // the lists, and the graph of their union
	} else if ok {
		size := int64(k) + 1
		if chosen, ok := m.(chooser); ok {
			size = min(size, int64(chosen.degree(p.x.M))+1)
		}
		// The graph, the patches, and an alignment matrix with every entry shared by
		// no more than two patches.
		need += n*int64(k)*12 + n*size*(size+1)*4 + 12*n*min(n, size*size/2)
	} else {
		order := min(n, cols)
		need += 8*n*cols + 16*order*order
	}
	return p.limit(need, mend)
}

// lessWork is what helps where memory does not suffice for most methods.
const lessWork = "take fewer neighbours, fewer samples, or raise the limit"

// limit refuses work before the solve that needs more than the limit.
func (p *problem) limit(need int64, mend string) error {
	p.explain("data: %d × %d; before the solve about %s", p.x.N, p.x.M, solvers.FormatBytes(need))
	if p.options.Memory > 0 && need > p.options.Memory {
		return beyond("%s: %d samples need about %s before the solve where the limit is %s; %s",
			p.name, p.x.N, solvers.FormatBytes(need), solvers.FormatBytes(p.options.Memory), mend)
	}
	return nil
}
