package engine

// Protocol says which defaults hold, for methods whose paper sets other defaults than an expert would
// choose for general data. A method embeds it, and the fields that differ have a tag paper beside the
// tag default.
type Protocol struct {
	Protocol string `json:"protocol" default:"general" allowed:"general|paper" doc:"the defaults of all other parameters: general, for data of any kind, or those of the method's paper"`
}

// protocolOfPaper is the word for the defaults of the papers.
const protocolOfPaper = "paper"

// asksForPaper tells whether the field says that the defaults are those of the paper.
func (f field) asksForPaper() bool {
	return f.Key == "protocol" && f.value.String() == protocolOfPaper
}

// takePaper puts the paper's default in the place of the other one.
func (f *field) takePaper() {
	if f.paper != "" {
		f.text, f.Default = f.paper, f.Paper
	}
}
