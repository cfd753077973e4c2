package bench

// Claim is a statement of a paper, or of this project, that records can judge.
type Claim struct {
	Name      string // unique in its suite
	Source    string // paper and figure, table or section; "orthant" for our own
	Statement string
	Paper     string // the paper's figure as printed, or what it shows
	Took      string // what the paper's run took and on which machine, as printed; empty where it does not say
	Check     func(r *Records) Finding
}

// Finding is what the records say of a claim.
type Finding struct {
	Verdict Verdict
	Ours    string   // our figure
	Why     string   // where the verdict needs a reason; always where nothing can be checked
	Cases   []string // the cases that the figure was read from
}

// Verdict is the outcome of checking a claim.
type Verdict string

// The verdicts.
const (
	Reproduces    Verdict = "reproduces"
	DoesNot       Verdict = "does not reproduce"
	CannotCheck   Verdict = "cannot be checked"
	NotRun        Verdict = "not run" // the records it needs are not there
	PartlyHolds   Verdict = "reproduces in part"
	TargetReached Verdict = "reached" // of a target of our own
	TargetMissed  Verdict = "missed"
)
