package bench

// Record is one line of records.jsonl: a case with all its repeats. Every
// number of the report is read from here.
type Record struct {
	Key     string         `json:"key"` // of what was run: a record with another key is not this case's any more
	Suite   string         `json:"suite"`
	Case    string         `json:"case"`
	Group   string         `json:"group,omitempty"`
	Command string         `json:"command"` // what measures this case again
	Method  string         `json:"method"`
	Params  map[string]any `json:"params"`

	Data     string `json:"data"`
	DataHash string `json:"data_hash,omitempty"`
	Samples  int    `json:"samples,omitempty"`
	Features int    `json:"features,omitempty"`

	Backend string  `json:"backend,omitempty"`
	ISA     string  `json:"isa,omitempty"`
	Threads int     `json:"threads"`
	Machine Machine `json:"machine"`
	Version string  `json:"version"` // of the command
	Started string  `json:"started"` // RFC 3339
	Quick   bool    `json:"quick,omitempty"`

	Repeats    int                   `json:"repeats"`
	Seconds    map[string]Statistics `json:"seconds"`     // wall time: total and the phases
	CPUSeconds map[string]Statistics `json:"cpu_seconds"` // processor time of the same
	PeakBytes  int64                 `json:"peak_rss_bytes,omitempty"`

	Quality  map[string]Statistics `json:"quality,omitempty"`
	Accuracy []Accuracy            `json:"accuracy,omitempty"` // which of the qualities are errors that stand beside the seconds
	Series   map[string][]float64  `json:"series,omitempty"`   // of the last repeat
	Pictures map[string]string     `json:"pictures,omitempty"` // name: file beside the records, n × (2 + colour) as .npy

	Noise   string `json:"noise,omitempty"`   // why the figures may be off
	Note    string `json:"note,omitempty"`    // what the case said
	Missing string `json:"missing,omitempty"` // what was not there: the case did not run
	Error   string `json:"error,omitempty"`   // the case failed

	Line int `json:"-"` // of records.jsonl, as read by [ReadFolder]
}

// Statistics are of the repeats.
type Statistics struct {
	Median float64   `json:"median"`
	Spread float64   `json:"spread"` // half the interquartile range over the median; 0 for one repeat
	Values []float64 `json:"values"`
}

// Machine is where a record was made.
type Machine struct {
	Host   string `json:"host"`
	OS     string `json:"os"`
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
}

// Done says whether the case ran and came to an end.
func (r *Record) Done() bool { return r.Missing == "" && r.Error == "" }

// Records are the records of one suite, as its claims and sections see them.
type Records struct {
	Suite string
	List  []*Record // in the order of the suite's cases
}

// Get returns the record of a case, or nil where there is none or it did not run.
func (r *Records) Get(name string) *Record {
	for _, one := range r.List {
		if one.Case == name && one.Done() {
			return one
		}
	}
	return nil
}

// Quality returns the median of a measured quality of a case.
func (r *Records) Quality(name, key string) (value float64, found bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	s, found := one.Quality[key]
	return s.Median, found
}

// CPU returns the median processor seconds of a case.
func (r *Records) CPU(name string) (seconds float64, found bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	s, found := one.CPUSeconds["total"]
	return s.Median, found
}

// Lookup returns the record of a case, whether it ran or not, or nil.
func (r *Records) Lookup(name string) *Record {
	for _, one := range r.List {
		if one.Case == name {
			return one
		}
	}
	return nil
}
