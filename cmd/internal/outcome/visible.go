package outcome

import (
	"fmt"
	"io"

	"github.com/orthant-go/orthant/internal/visible"
)

// Tell prints one line for a person. What a user, a file or its name says may be in it:
// every such line goes through here, so that none of it reaches a terminal as a command.
func Tell(w io.Writer, text string) { fmt.Fprintln(w, visible.Text(text)) }
