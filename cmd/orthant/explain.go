package main

import (
	"context"
	"errors"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/internal/messages"
)

func newExplain(inv *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ID|TEXT",
		Short: "Explain an error or a warning by its identifier",
		Long: `Explain prints what is known of an error or a warning: its text with … in place of
values, the part of the program that says it, what such messages are about, and
the page of the documentation. With --json every error is an object on standard
output, {"error": {"id": …, "message": …, "status": …}}, if nothing else has been
printed there, and reports name the warnings in "warning_ids". The identifiers
stay when words change. In place of an identifier, the text of a message can be given.`,
		Example: `  orthant explain E0001
  orthant explain --json W0001
  orthant explain "orthant embed: reading x.npy: no such file or directory"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrong("%d arguments; give one identifier, such as E0001, or the text of a message between quotes", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return inv.explainMessage(args[0]) },
	}
	return cmd
}

// explainedMessage is what --json prints of an error or a warning.
type explainedMessage struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`  // error or warning
	Shape string `json:"shape"` // its text, with … in place of values
	From  string `json:"from"`  // the folder of the sources that say it
	About string `json:"about"`
	Page  string `json:"page"` // of the documentation
}

func (inv *invocation) explainMessage(what string) error {
	m, ok := messages.ByID(what)
	for _, kind := range "EW" {
		if !ok {
			m, ok = messages.Find(byte(kind), what)
		}
	}
	if !ok {
		return wrong("%q is neither an identifier nor the text of a message; give one such as E0001, as --json prints it", what)
	}
	of := areaOf(m.From)
	e := explainedMessage{m.ID, map[byte]string{'E': "error", 'W': "warning"}[m.ID[0]], m.Shape(), m.From, of.about, of.page}
	if inv.json {
		return inv.printJSON(e)
	}
	return inv.print("%-8s%s\n%-8s%s\n%-8sdocs/%s, %s\n", e.ID, e.Shape, e.Kind, e.About, "more", e.Page, e.From)
}

// area is what the messages of a folder of the sources have in common.
type area struct{ folder, about, page string }

// areas has the folders that come before those that contain them.
var areas = []area{
	{"gone", "An earlier version said this; this one does not.", "../CHANGELOG.md"},
	{"elsewhere", "The system, or the reader of the command line, refuses what was requested.", "formats.md"},
	{"cmd/internal/library", "A program in another language calls a function of the library with what it does not take. Nothing has been computed.", "linking.md"},
	{"cmd/internal/serve", "A message to the worker is none of its protocol, or its files cannot be mapped.", "linking.md"},
	{"cmd/orthant", "The command line asks for what cannot be, or for nothing. No file has been changed.", "methods/README.md"},
	{"engine/files", "A file cannot be read or written as its name and the flags say. The message names the file and the place in it.", "formats.md"},
	{"internal/hdf5", "A file of HDF5 holds what is not read here, or is damaged. The message names the file and the place in it.", "formats.md"},
	{"engine/internal/diagnosis", "The result has been judged and is doubtful: numbers of a picture or an embedding that should not be trusted as they are. The remedies named were tried where it says so.", "quality.md"},
	{"engine/internal/quality", "The result has been judged and is doubtful, or could not be judged.", "quality.md"},
	{"engine/internal/trust", "A map tears, invents or crowds groups of the data. The message says how many samples, and where.", "quality.md"},
	{"engine/measures", "A measure cannot be computed of what was given.", "measures.md"},
	{"engine/metrics", "A metric lacks an input, or has one that does not fit the others.", "measures.md"},
	{"engine/internal/factor", "A factorisation cannot be made with these data and parameters, or has a property that one should know.", "factorisations.md"},
	{"solvers/nmf", "A factorisation cannot be made with these data and parameters, or has a property that one should know.", "factorisations.md"},
	{"engine/restarts", "The runs of a factorisation cannot be compared.", "restarts.md"},
	{"engine/internal/solve", "Eigenvalues were not found to the accuracy that was requested, or cannot be separated.", "solvers.md"},
	{"solvers/eigen", "Eigenvalues cannot be found of this matrix, or not to the accuracy that was requested.", "solvers.md"},
	{"solvers/sddm", "A system of equations cannot be solved, or not to the accuracy that was requested.", "solvers.md"},
	{"sparse", "A sparse matrix does not have the form that its use needs.", "solvers.md"},
	{"engine/model", "A model does not fit the samples, or its file is damaged.", "model-format.md"},
	{"engine/internal/modelfile", "The file of a model is damaged, or a later version has written it.", "model-format.md"},
	{"engine/internal/extend", "New samples do not fit the model.", "model-format.md"},
	{"engine/internal/neighborhood", "The neighbour graph is not what the method needs.", "choosing.md"},
	{"engine/neighbors", "Neighbours cannot be searched for as requested.", "large-data.md"},
	{"bench", "A suite of measurements cannot be run or read.", "reproduction.md"},
	{"", "The data, a parameter, or the two together cannot be used. Nothing has been computed, and no file has been changed.", "methods/README.md"},
}

func areaOf(folder string) area {
	for _, a := range areas {
		if a.folder == "" || folder == a.folder || strings.HasPrefix(folder, a.folder+"/") {
			return a
		}
	}
	panic("unreachable")
}

// errorReport is what --json prints if a command fails and has not printed its report.
type errorReport struct {
	Error failedWith `json:"error"`
}

type failedWith struct {
	ID      string `json:"id,omitempty"` // of [messages]; empty: an interrupt, or what the system says
	Message string `json:"message"`
	Status  int    `json:"status"` // the exit status
}

// answer prints an error with --json. The line on standard error is printed all the same.
func (inv *invocation) answer(err error) {
	if !inv.json || inv.answered || inv.ownClock != nil || errors.Is(err, syscall.EPIPE) || errors.Is(err, context.Canceled) {
		return
	}
	_ = inv.printJSON(errorReport{failedWith{errorID(err), oneLine(err), status(err)}}) // the error is on standard error all the same
}

// errorID is the identifier of an error; empty: it has none.
func errorID(err error) string {
	if err == nil {
		return ""
	}
	m, _ := messages.Find('E', oneLine(err))
	return m.ID
}
