package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/orthant-go/orthant/internal/faults"
)

// faultTableFile is the environment variable that names a file for the table of the
// injected faults ("make faults").
const faultTableFile = "ORTHANT_FAULT_TABLE"

// faultRow is what the tests have done with one command.
type faultRow struct {
	calls  map[string]int // of an untouched run, by their kinds
	failed [3]int         // points, by how they failed
	status [3]int         // ends with status 0, 1, 2
	apart  int            // ends between two renames, which the line says
	left   int            // temporary files, of runs that were not stopped for good
	states int            // that a loss of power may leave
}

// faultTable has a row for each command.
var faultTable = map[string]*faultRow{}

func faultsOf(command string) *faultRow {
	if faultTable[command] == nil {
		faultTable[command] = &faultRow{}
	}
	return faultTable[command]
}

// faultColumns are the kinds of calls that have a column.
var faultColumns = []string{"open", "read", "write", "fsync", "rename", "lock", "stat", "other"}

// untouched takes the calls of a run without a fault.
func (r *faultRow) untouched(calls []string) {
	r.calls = map[string]int{}
	for _, call := range calls {
		kind, _, _ := strings.Cut(call, " ")
		if !slices.Contains(faultColumns, kind) {
			kind = "other"
		}
		r.calls[kind]++
	}
}

// ended takes the end of a run with a fault.
func (r *faultRow) ended(how faults.How, status int) {
	r.failed[how]++
	r.status[status]++
}

// writeFaultTable writes the table where it is asked for.
func writeFaultTable() error {
	path := os.Getenv(faultTableFile)
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := tabwriter.NewWriter(f, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s\tonce\thalf a read\tfor good\tstatus 0\t1\t2\tapart\tleft\tpower lost\t  command\n", strings.Join(faultColumns, "\t"))
	var commands []string
	for command := range faultTable {
		commands = append(commands, command)
	}
	slices.Sort(commands)
	for _, command := range commands {
		r := faultTable[command]
		for _, kind := range faultColumns {
			fmt.Fprintf(w, "%d\t", r.calls[kind])
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t  %s\n", r.failed[faults.Passing], r.failed[faults.Short], r.failed[faults.Lasting],
			r.status[0], r.status[1], r.status[2], r.apart, r.left, r.states, command)
	}
	return w.Flush()
}

// runTests runs the tests and writes the table.
func runTests(m *testing.M) (status int) {
	status = m.Run()
	if err := writeFaultTable(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}
