package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// jobLimits are what the jobs of a batch may do, and what is kept of what they say.
type jobLimits struct {
	timeout     time.Duration
	unconverged bool
	log         string
}

func (l *jobLimits) define(f *pflag.FlagSet) {
	f.DurationVar(&l.timeout, "timeout", 0, "a job that takes longer than `TIME`, such as 90s or 2h, has failed")
	f.BoolVar(&l.unconverged, "accept-unconverged", false, "exit status 0 even if jobs did not converge")
	f.StringVar(&l.log, "log", "", "folder `DIR` for what each job says, a file each; it is made if need be")
}

func (l *jobLimits) check() error {
	if l.timeout < 0 {
		return wrong("--timeout is %s; give a time such as 90s, 10m or 2h", l.timeout)
	}
	if l.log != "" {
		if err := disk.MakeFolders(l.log); err != nil {
			return wrong("--log: %w", err)
		}
	}
	return nil
}

// within is the context of a job that begins now.
func (l *jobLimits) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, l.timeout)
}

// late is the error of a job that was stopped by its time, where err is that of any stop.
func (l *jobLimits) late(job, all context.Context, err error) error {
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if stopped && all.Err() == nil && errors.Is(job.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("stopped after %s (--timeout)", l.timeout)
	}
	return err
}

// path is the file for what a job says.
func (l *jobLimits) path(job int) string {
	return filepath.Join(l.log, fmt.Sprintf("job-%06d.log", job))
}

// keep writes what a job has said beside its command line and how it ended.
func (l *jobLimits) keep(r *record, args []string, said string) error {
	if l.log == "" {
		return nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "orthant %s\n%s", strings.Join(args, " "), said)
	if r.Error != "" {
		fmt.Fprintln(&text, r.Error)
	}
	fmt.Fprintf(&text, "%s, exit status %d, %.3g s\n", r.Status, r.ExitCode, r.Seconds)
	o, err := files.CreateRaw(l.path(r.Index), nil)
	if err != nil {
		return err
	}
	defer o.Discard()
	if _, err := o.Write([]byte(text.String())); err != nil {
		return err
	}
	return o.Commit()
}
