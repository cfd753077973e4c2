package messages

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Topic is what messages have in common.
type Topic struct {
	Page  string // of the documentation, from its folder
	About string // what such messages mean, and what helps

	parts   []string // of the texts that belong to it
	folders []string // of the sources whose texts all do; ".": all folders
}

//go:embed topics.txt
var topicsText string

var topics = sync.OnceValue(func() []Topic {
	var list []Topic
	for block := range strings.SplitSeq(topicsText, "\n\n") {
		var t Topic
		for line := range strings.Lines(block) {
			kind, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
			switch kind {
			case "#":
			case "page":
				t.Page = rest
			case "~":
				t.parts = append(t.parts, rest)
			case "@":
				t.folders = append(t.folders, rest)
			default:
				t.About = kind + " " + rest
			}
		}
		if t.Page != "" {
			list = append(list, t)
		}
	}
	return list
})

// Topic is that of a message. The last of the topics takes all messages.
func (m Message) Topic() Topic {
	list := topics()
	return list[slices.IndexFunc(list, m.belongs)]
}

// belongs reports whether a message is of a topic.
func (m Message) belongs(to Topic) bool {
	return slices.ContainsFunc(to.parts, func(part string) bool { return strings.Contains(m.Format, part) }) ||
		slices.ContainsFunc(to.folders, func(f string) bool { return f == "." || m.From == f || strings.HasPrefix(m.From, f+"/") })
}
