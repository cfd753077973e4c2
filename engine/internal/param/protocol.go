package param

import "github.com/orthant-go/orthant/internal/presets"

// ProtocolOfPaper is the word for the defaults of the papers, which is taken until 1.0.
const ProtocolOfPaper = "paper"

// asksForPaper reports whether the field says that the defaults are those of the paper.
func (f Field) asksForPaper() bool {
	return f.Key == "protocol" && f.Value.String() == ProtocolOfPaper
}

// takePaper puts what the paper of a method sets in the place of the other defaults.
func takePaper(all []Field, m any) {
	printed := presets.OfPaper[m.(interface{ Name() string }).Name()]
	for i := range all {
		if text, found := printed[all[i].Key]; found {
			all[i].text, all[i].Default = text, all[i].defaultOf(text)
		}
	}
}
