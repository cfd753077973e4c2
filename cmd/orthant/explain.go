package main

import (
	"context"
	"errors"
	"path"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/internal/messages"
)

func newExplain(inv *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain ID|TEXT",
		Short: "Explain an error or a warning by its identifier",
		Long: `Explain prints the text of an error or a warning with … in place of values, what such
messages mean, what helps, and the page of the documentation. With --json every error is
an object on standard output, {"error": {"id": …, "message": …, "status": …}}, if nothing
else has been printed there, and reports name the warnings in "warning_ids". Identifiers
stay when words change. The text of a message can be given in place of an identifier.`,
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

func (inv *invocation) explainMessage(what string) error {
	e, ok := messages.Explain(what)
	if !ok {
		return wrong("%q is neither an identifier nor the text of a message; give one such as E0001, as --json prints it", what)
	}
	if inv.json {
		return inv.printJSON(e)
	}
	return inv.print("%s %s: %s\n\n%s\n\nMore: %s\n", e.Kind, e.ID, e.Shape, wrapped(e.About, 0), path.Join("docs", e.Page))
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
	text := oneLine(err)
	m, known := messages.Find('E', text)
	if !known {
		m, _ = messages.Find('W', text) // a doubt that --strict makes an error
	}
	return m.ID
}
