package param

import "github.com/orthant-go/orthant/internal/presets"

// ProtocolOfPaper selects the defaults of the papers; it is accepted until 1.0.
const ProtocolOfPaper = "paper"

// asksForPaper reports whether the field selects the defaults of the paper.
func (f Field) asksForPaper() bool {
	return f.Key == "protocol" && f.Value.String() == ProtocolOfPaper
}

// takePaper replaces defaults by those of the paper of a method.
func takePaper(all []Field, m any) {
	printed := presets.OfPaper[m.(interface{ Name() string }).Name()]
	for i := range all {
		if text, found := printed[all[i].Key]; found {
			all[i].text, all[i].Default = text, all[i].defaultOf(text)
		}
	}
}
