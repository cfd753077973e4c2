package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/cmd/internal/values"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// streams are where a run reads and writes, apart from files.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// invocation is one run of the command: its streams, what the common flags say,
// and what is gathered on the way.
type invocation struct {
	streams
	command  string // as in "orthant embed"
	clock    *engine.Clock
	kernels  *blas.Kernels
	outputs  outputs
	warnings []string
	limits   limits.Limits
	most     byteSize       // of memory, whatever --memory says; 0: not known
	shared   *sharedFiles   // of the jobs of a batch; nil: it runs alone
	ownClock processorClock // of a run among others in this process; nil: it has the process to itself

	backend    string
	threads    int
	seed       uint64
	json       bool
	answered   bool // something is on standard output
	quiet      bool
	progress   string
	memory     byteSize
	heapBefore int64 // the first input
	verbose    bool
	float32    bool
	safeCSV    bool
	overwrite  bool
	text       textFlags
	images     *files.Images // that the samples are; nil: they are not images
	features   []string      // the names of the columns of the samples; nil: they have none
}

// processorClock returns the processor seconds that a run has taken among others in
// one process, where they are known.
type processorClock func() (seconds float64, known bool)

func newInvocation(s streams) *invocation {
	return &invocation{streams: s, command: "orthant", clock: engine.NewClock()}
}

// maxThreads bounds --threads: every worker has scratch of its own.
const maxThreads = 1024

// commonFlags are accepted by every subcommand.
func (inv *invocation) commonFlags(f *pflag.FlagSet) {
	f.StringVar(&inv.backend, "backend", "", "linear algebra by `NAME`: "+strings.Join(blas.Available(), ", ")+" (default: $ORTHANT_BLAS, else auto)")
	f.IntVar(&inv.threads, "threads", 0, "use at most `N` cores; results are the same for any number (default: $ORTHANT_NUM_THREADS, else $OMP_NUM_THREADS, else all)")
	f.Uint64Var(&inv.seed, "seed", 1, "`SEED` of whatever is random")
	f.Var(&inv.memory, "memory", "use at most `LIMIT` of memory, such as 4GiB, and refuse at once what needs more (default and maximum: the memory that is still available, see \"orthant info\")")
	f.BoolVar(&inv.json, "json", false, "print one JSON object on standard output, and nothing else there")
	f.BoolVarP(&inv.quiet, "quiet", "q", false, "print nothing but errors on standard error")
	f.StringVar(&inv.progress, "progress", "auto", "show progress `WHEN`: auto (on a terminal), always or never")
	f.BoolVar(&inv.overwrite, overwriteInput, false, "an output may replace a file that is read (default: that is an error)")
	f.BoolVarP(&inv.verbose, "verbose", "v", false, "first print what \"orthant info\" would say, on standard error")
}

// warn keeps a warning for the report and prints it at once.
func (inv *invocation) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	inv.warnings = append(inv.warnings, text)
	if !inv.quiet {
		printLine(inv.err, "warning: "+text)
	}
}

// say returns where the human report goes: nowhere with --json or --quiet.
func (inv *invocation) say() io.Writer {
	if inv.json || inv.quiet {
		return io.Discard
	}
	return inv.err
}

// writing are the options of outputs.
func (inv *invocation) writing() files.Options { return files.Options{Float32: inv.float32} }

// addGroup adds flags to a subcommand under a heading of its help.
func addGroup(cmd *cobra.Command, heading string, define func(f *pflag.FlagSet)) {
	f := pflag.NewFlagSet(heading, pflag.ContinueOnError)
	f.SortFlags = false
	define(f)
	f.VisitAll(func(flag *pflag.Flag) { flag.Annotations = map[string][]string{headingKey: {heading}} })
	cmd.Flags().SortFlags = false
	cmd.Flags().AddFlagSet(f)
}

// complete has the shell complete the value of a flag. Cobra keeps what it is given for
// the life of the process, and with it the flag and all that its command holds.
func (inv *invocation) complete(cmd *cobra.Command, flag string, values func() []string) {
	if inv.ownClock == nil {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return values(), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// The annotations of flags: the heading of the help, whether what they name is read or written
// (of a folder that is written also the files that go into it), and whether most people use them.
const (
	headingKey = "heading"
	fileKey    = "file"
	usualKey   = "usual"
)

// The annotations of commands whose arguments are inputs: what messages call them, and the file in them that is
// read, if they are folders.
const (
	argumentKey = "argument"
	withinKey   = "within"
)

// overwriteInput is the flag by which outputs replace inputs.
const overwriteInput = "overwrite-input"

// usual names the flags of a command that most people use: its --help explains these, and
// --help-all the others, too.
func usual(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		cmd.Flags().Lookup(name).Annotations[usualKey] = []string{"yes"}
	}
}

// reads reports which flags of a command name inputs.
func reads(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		namesFile(cmd, name, "read")
	}
}

// writes reports which flags of a command name outputs.
func writes(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		namesFile(cmd, name, "write")
	}
}

// writesInto reports that a flag of a command names a folder, and the patterns of the files
// that go into it.
func writesInto(cmd *cobra.Command, flag string, patterns ...string) {
	namesFile(cmd, flag, append([]string{"write"}, patterns...)...)
}

func namesFile(cmd *cobra.Command, flag string, purpose ...string) {
	cmd.Flags().Lookup(flag).Annotations[fileKey] = purpose
}

// isRead and isWritten say how the file that a flag names is used.
func isRead(f *pflag.Flag) bool    { return isFor(f, "read") }
func isWritten(f *pflag.Flag) bool { return isFor(f, "write") }

func isFor(f *pflag.Flag, purpose string) bool {
	said := f.Annotations[fileKey]
	return len(said) > 0 && said[0] == purpose
}

type (
	settings = values.Settings
	byteSize = values.ByteSize
)

// character is one character of a text.
type character byte

func (c *character) String() string {
	if *c == 0 {
		return ""
	}
	if *c == ' ' {
		return "blanks"
	}
	return string(rune(*c))
}

// Type names the expected value.
func (c *character) Type() string { return "character" }

// Set reads the value of a flag.
func (c *character) Set(text string) error {
	named := map[string]byte{"tab": '\t', `\t`: '\t', "comma": ',', "semicolon": ';', "pipe": '|', "blanks": ' ', " ": ' '}
	at, known := named[strings.ToLower(text)]
	if !known && len(text) == 1 {
		at = text[0]
	}
	if at == 0 || strings.ContainsRune("\"\r\n.+-", rune(at)) || at >= '0' && at <= '9' || at >= 0x80 {
		return errors.New("give one character that is in no number, such as ; or |, or the word tab or blanks")
	}
	*c = character(at)
	return nil
}

// textFlags say how tables of text are read.
type textFlags struct {
	delimiter character
	comment   string
	skipRows  int
	booleans  bool
	thousands thousandsMark
	samples   string   // the file that skipRows is about
	notes     []string // of readers, which were reported
}

// addFlags adds them to the flags of inputs.
func (t *textFlags) addFlags(f *pflag.FlagSet) {
	f.Var(&t.delimiter, "delimiter", "the `CHARACTER` between the fields of text inputs, such as ; or tab, or blanks: any number of blanks and tabs")
	f.StringVar(&t.comment, "comment", "", "lines of text inputs that begin with `MARK` are comments (default: # or % or //, if the file begins with one)")
	f.IntVar(&t.skipRows, "skip-rows", 0, "leave out the first `N` lines of --in, above the header")
	f.BoolVar(&t.booleans, "booleans", false, "read TRUE and FALSE in text inputs as 1 and 0")
	f.Var(&t.thousands, "thousands", "the `CHARACTER` that separates thousands in text inputs, , or .; the other one is the decimal mark")
}

// words are the flags as a job of a batch has them.
func (t *textFlags) words() map[string]any {
	words := map[string]any{}
	if t.delimiter != 0 {
		words["delimiter"] = t.delimiter.String()
	}
	if t.comment != "" {
		words["comment"] = t.comment
	}
	if t.skipRows > 0 {
		words["skip-rows"] = whole64(t.skipRows)
	}
	if t.booleans {
		words["booleans"] = true
	}
	if t.thousands != 0 {
		words["thousands"] = t.thousands.String()
	}
	return words
}

// readingOf are the options of an input with a path: the first lines are left out of the samples' file alone, for their
// numbers and for its columns of ids and classes.
func (inv *invocation) readingOf(path string) files.Options {
	o := inv.reading()
	if inv.text.skipRows != 0 && files.FileOf(path) == inv.text.samples {
		o.SkipRows = inv.text.skipRows
	}
	return o
}

// checkText refuses flags of texts that mean nothing, and keeps which file the samples are in.
func (inv *invocation) checkText(f *pflag.FlagSet) error {
	if in := f.Lookup("in"); in != nil {
		inv.text.samples = files.FileOf(in.Value.String())
	}
	if inv.text.skipRows < 0 {
		return wrong("--skip-rows is %d; give the number of lines above the header, 0 or more", inv.text.skipRows)
	}
	return nil
}

// noted warns once of what a reader did without being asked for.
func (inv *invocation) noted(text string) {
	if !slices.Contains(inv.text.notes, text) {
		inv.text.notes = append(inv.text.notes, text)
		inv.warn("%s", text)
	}
}

// thousandsMark separates thousands.
type thousandsMark byte

func (m *thousandsMark) String() string {
	if *m == 0 {
		return ""
	}
	return string(rune(*m))
}

// Type names the expected value.
func (m *thousandsMark) Type() string { return "character" }

// Set reads the value of a flag.
func (m *thousandsMark) Set(text string) error {
	if text != "," && text != "." {
		return errors.New("give , (as in 1,234.5) or . (as in 1.234,5)")
	}
	*m = thousandsMark(text[0])
	return nil
}
