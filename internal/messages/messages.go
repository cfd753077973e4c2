// Package messages numbers what Orthant says when something is wrong: each error and each warning has
// an identifier that stays when its words change, so that programs need not read words.
//
// The list is messages.txt: an identifier (E of errors, W of warnings), the folder of the sources that
// say it, and its text as the sources have it. A test collects the texts of the sources and compares;
// "make messages" gives new ones the next identifiers and keeps that of a text whose words have changed.
package messages

import (
	_ "embed"
	"path"
	"strings"
	"sync"
)

// Message is something that Orthant says.
type Message struct {
	ID     string // such as E0412
	From   string // the folder of the sources that say it; "gone": no longer said
	Format string // its text, with the verbs of package fmt and the marks of package wording
}

//go:embed messages.txt
var text string

// All returns the list, in the order of the identifiers.
func All() []Message { return all() }

var all = sync.OnceValue(func() []Message { return parse(text) })

// parse reads the lines of a list: identifier, folder and text, with tabs between.
func parse(text string) []Message {
	var list []Message
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(fields) == 3 {
			list = append(list, Message{fields[0], fields[1], strings.ReplaceAll(fields[2], `\n`, "\n")})
		}
	}
	return list
}

// ByID returns the message of an identifier, in either case.
func ByID(id string) (Message, bool) {
	for _, m := range all() {
		if strings.EqualFold(m.ID, id) {
			return m, true
		}
	}
	return Message{}, false
}

// Shape is the text of a message with … where values stand.
func (m Message) Shape() string { return strings.Join(fixed(m.Format), "…") }

// Fewest is the number of bytes of its own that a message has to share with a text.
const fewest = 10

// Find returns the message that a text is an instance of. A text may have others around it, such as the
// name of a file: the message of which it has most words is the one. The kind is 'E' or 'W'.
func Find(kind byte, text string) (found Message, ok bool) {
	text = ofSystem(text)
	most := fewest - 1
	for i, m := range all() {
		if m.ID[0] != kind {
			continue
		}
		n := shared(words()[i], text)
		if own := path.Base(m.From) + ": "; n == 0 && strings.HasPrefix(m.Format, own) {
			n = shared(fixed(m.Format[len(own):]), text) // commands say in their own words where it comes from
		}
		if n > most {
			found, most, ok = m, n, true
		}
	}
	return found, ok
}

// IDs returns the identifier of each warning, empty where it has none.
func IDs(warnings []string) []string {
	var ids []string
	for _, text := range warnings {
		m, _ := Find('W', text)
		ids = append(ids, m.ID)
	}
	return ids
}

var words = sync.OnceValue(func() [][]string {
	var list [][]string
	for _, m := range all() {
		list = append(list, fixed(m.Format))
	}
	return list
})

// shared is the number of bytes of the parts if they stand in the text one behind the other; otherwise 0.
func shared(parts []string, text string) (n int) {
	for _, part := range parts {
		at := strings.Index(text, part)
		if at < 0 {
			return 0
		}
		text = text[at+len(part):]
		n += len(part)
	}
	return n
}

// fixed are the parts of a format between its verbs and marks, the first and the last of them maybe empty.
func fixed(format string) []string {
	parts, part := []string(nil), strings.Builder{}
	end := func() {
		parts = append(parts, part.String())
		part.Reset()
	}
	for i := 0; i < len(format); i++ {
		switch {
		case strings.HasPrefix(format[i:], "%%"):
			part.WriteByte('%')
			i++
		case format[i] == '%':
			end()
			for i++; i < len(format) && strings.IndexByte("+-# 0123456789.[]*", format[i]) >= 0; i++ {
			}
		case strings.HasPrefix(format[i:], "‹"):
			end()
			if j := strings.Index(format[i:], "›"); j > 0 {
				i += j + len("›") - 1
			}
		default:
			part.WriteByte(format[i])
		}
	}
	end()
	return parts
}
