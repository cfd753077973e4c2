package bench

import (
	"context"
	"fmt"
	"time"
)

// pending is a case of a group that still has repeats to run.
type pending struct {
	*Case
	at     int // its number among the cases of the run
	key    string
	wanted int
	over   bool // recorded, one way or the other
}

// group runs cases interleaved: the first repeat of each, then the second.
func (r *run) group(ctx context.Context, s *Suite, cases []Case) error {
	list := make([]*pending, len(cases))
	for i := range cases {
		p := &pending{Case: &cases[i], key: r.key(s.Name, &cases[i]), wanted: cases[i].repeats(r.env)}
		if err := r.begin(ctx, s, p); err != nil {
			return err
		}
		list[i] = p
	}
	for number := 1; ; number++ {
		running := false
		for _, p := range list {
			if p.over || number > p.wanted {
				continue
			}
			running = true
			if number <= len(r.repeats[p.key]) && number < p.wanted {
				continue
			}
			if err := r.step(ctx, s, p, number); err != nil {
				return err
			}
		}
		if !running {
			return nil
		}
	}
}

// begin sees whether a case has to be run and can be.
func (r *run) begin(ctx context.Context, s *Suite, p *pending) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r.at++
	p.at = r.at
	before := r.records.get(s.Name, p.Name)
	if before != nil && before.Done() && before.Key == p.key && before.Repeats >= p.wanted && !r.options.Again {
		r.summary.Kept++
		p.over = true
		return nil
	}
	what, err := Missing(r.env, p.Case)
	switch {
	case err != nil:
		return r.fail(s, p, err)
	case what == "":
		return nil
	}
	p.over = true
	r.summary.Missing = append(r.summary.Missing, s.Name+"/"+p.Name+": "+what)
	r.say("[%d/%d] %s/%s  left out: %s", p.at, r.summary.Cases, s.Name, p.Name, what)
	if before != nil && before.Version == r.options.Version && before.Quick == r.env.Quick && (before.Done() || before.Missing == what) {
		return nil // what was measured is not lost because it cannot be measured now
	}
	record := r.record(s, p, nil)
	record.Missing = what
	return r.write(record)
}

// step runs one repeat, where it was not run before, and records the case after
// its last.
func (r *run) step(ctx context.Context, s *Suite, p *pending, number int) error {
	if number > len(r.repeats[p.key]) {
		one, err := r.measure(ctx, s, p, number)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return r.fail(s, p, err)
		}
		r.keep(*one)
		r.summary.Took.Wall += one.Signs.Wall
		r.summary.Took.CPU += one.Signs.CPU
		if err := r.journal.add(one); err != nil {
			return err
		}
		r.say("[%d/%d] %s/%s  %d/%d  %s", p.at, r.summary.Cases, s.Name, p.Name, number, p.wanted, figures(one))
	}
	if number < p.wanted {
		return nil
	}
	p.over = true
	r.summary.Measured++
	return r.write(r.record(s, p, r.repeats[p.key][:p.wanted]))
}

// figures prints what a repeat cost.
func figures(one *repeat) string {
	text := fmt.Sprintf("%.4g s", one.Seconds["total"])
	if cpu, found := one.CPUSeconds["total"]; found {
		text += fmt.Sprintf(", processor %.4g s", cpu)
	}
	return text
}

// fail records that a case came to nothing.
func (r *run) fail(s *Suite, p *pending, err error) error {
	p.over = true
	r.summary.Failed = append(r.summary.Failed, s.Name+"/"+p.Name+": "+err.Error())
	r.say("[%d/%d] %s/%s  FAILED: %v", p.at, r.summary.Cases, s.Name, p.Name, err)
	record := r.record(s, p, nil)
	record.Error = err.Error()
	return r.write(record)
}

// write appends a record, after which it stands for its case.
func (r *run) write(record *Record) error {
	r.records.put(record)
	return r.file.add(record)
}

// measure runs one repeat.
func (r *run) measure(ctx context.Context, s *Suite, p *pending, number int) (*repeat, error) {
	one := &repeat{Key: p.key, Suite: s.Name, Case: p.Name, Number: number, Started: time.Now().UTC().Format(time.RFC3339)}
	c := *p.Case
	c.number = number
	watch := observe()
	var pictures map[string]grid
	if c.Fresh {
		m, err := runFresh(ctx, s.Name, r.env, &c)
		if err != nil {
			return nil, err
		}
		if m.Error != "" {
			return nil, fmt.Errorf("%s", m.Error)
		}
		one.measured, pictures = m.measured, m.Pictures
	} else {
		out, err := runHere(ctx, r.env, &c)
		if err != nil {
			return nil, err
		}
		one.measured = out.plain()
		var wrong string
		if pictures, wrong = grids(out); wrong != "" {
			return nil, fmt.Errorf("%s", wrong)
		}
	}
	one.Signs = watch.done()
	if c.FirstRepeat() { // the others are not looked at
		has := func(quality string) bool { _, found := one.Quality[quality]; return found }
		if what := errorMissing(c.Accuracy, has); what != "" {
			return nil, fmt.Errorf("%s", what)
		}
	}
	var err error
	one.Pictures, err = r.draw(p.key, s.Name, p.Name, pictures)
	return one, err
}
