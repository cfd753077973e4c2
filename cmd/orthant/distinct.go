package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// namedFile is a file that a command line reads or writes, or a folder that it writes
// files into.
type namedFile struct {
	flag   string   // what messages call it, such as --in
	path   string   // as given, without what is selected of it
	within []string // of a folder: patterns of the paths that are written below it

	resolved string      // absolute, links followed; "" where that is not known
	info     fs.FileInfo // of a regular file or a pipe that exists, else nil
	shared   bool        // a device, which several outputs may name, or a folder
}

// lookUp finds which file a path of the command line means. "-" is the file behind the
// standard stream.
func lookUp(flag, path string, stream any, within ...string) namedFile {
	f, _ := new(fileNames).lookUp(flag, path, stream, within...) // the command itself reports an error of it
	return f
}

// is reports whether both are one file, by their names or by links, or whether one is, or
// would be, among the files of the other, a folder.
func (f namedFile) is(other namedFile) bool {
	switch {
	case f.info != nil && other.info != nil && os.SameFile(f.info, other.info):
		return true
	case f.resolved == "" || other.resolved == "" || f.shared || other.shared:
		return false
	case disk.SameName(f.resolved, other.resolved):
		return true
	}
	return f.covers(other) || other.covers(f)
}

// covers reports whether the other is one of the files that go into this folder.
func (f namedFile) covers(other namedFile) bool {
	return slices.ContainsFunc(f.within, func(pattern string) bool {
		return matches(f.resolved, pattern, other.resolved) ||
			matches(strings.ToLower(f.resolved), strings.ToLower(pattern), strings.ToLower(other.resolved)) && disk.IgnoresCase(filepath.Dir(other.resolved))
	})
}

// matches reports whether a path has the pattern below a folder.
func matches(folder, pattern, path string) bool {
	below, err := filepath.Rel(folder, path)
	if err != nil {
		return false
	}
	matched, _ := filepath.Match(pattern, filepath.ToSlash(below))
	return matched
}

// shown names the file as the command line has it.
func (f namedFile) shown() string { return strings.TrimSpace(f.flag + " " + f.path) }

// replaces reports whether the file, an output, is an input, or would be one of its images or a file of its folder of 10x.
func (f namedFile) replaces(in namedFile) bool {
	return f.is(in) || f.resolved != "" && !f.shared && (files.IsImages(in.path) && files.MeansImage(in.path, f.resolved) || files.MeansTenx(in.path, f.resolved))
}

// checkDistinct refuses an output that is an input, unless it is to replace it, and two outputs
// that are one file.
func checkDistinct(inputs, outputs []namedFile, overwrite bool) error {
	for i, out := range outputs {
		at := slices.IndexFunc(inputs, out.replaces)
		switch {
		case at < 0:
		case out.path == "-": // the shell has emptied it already
			return fmt.Errorf("%s would replace its input, %s: they are the same file; give the output another name", out.shown(), inputs[at].shown())
		case !overwrite:
			return fmt.Errorf("%s would replace its input, %s: they are the same file; give the output another name, or type --%s to replace the input", out.shown(), inputs[at].shown(), overwriteInput)
		}
		for _, other := range outputs[:i] {
			if out.is(other) {
				return fmt.Errorf("%s and %s are the same file; give each output its own", other.shown(), out.shown())
			}
		}
	}
	return nil
}

// checkFlagFiles is checkDistinct of the files that the flags of a command name. It refuses a
// named pipe of a table, too, whose second reading would wait for ever.
func (inv *invocation) checkFlagFiles(cmd *cobra.Command, args []string) error {
	inputs, outputs := inv.flagFiles(cmd)
	if what, reads := cmd.Annotations[argumentKey]; reads {
		for _, path := range args {
			inputs = append(inputs, lookUp(what, filepath.Join(path, cmd.Annotations[withinKey]), inv.in))
		}
	}
	for _, in := range inputs {
		if in.info != nil && in.info.Mode()&fs.ModeNamedPipe != 0 && in.path != "-" && files.HasColumns(in.path) {
			return wrong("%s is a pipe, and a table is read more than once; write it to a file first, or send .npy through the pipe", in.shown())
		}
	}
	if err := checkDistinct(inputs, outputs, inv.overwrite); err != nil {
		return &inputError{Err: err}
	}
	return nil
}

// flagFiles are the files that the flags of a command name.
func (inv *invocation) flagFiles(cmd *cobra.Command) (inputs, outputs []namedFile) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !isRead(f) && !isWritten(f) {
			return
		}
		paths := []string{f.Value.String()}
		if several, is := f.Value.(pflag.SliceValue); is {
			paths = several.GetSlice()
		}
		for _, path := range paths {
			switch {
			case path == "" || strings.HasPrefix(path, ":"): // a column of the input
			case isRead(f):
				inputs = append(inputs, lookUp("--"+f.Name, path, inv.in))
			default:
				outputs = append(outputs, lookUp("--"+f.Name, path, inv.out, f.Annotations[fileKey][1:]...))
			}
		}
	})
	return inputs, outputs
}

// fileNames finds the one name of a file that has several, for the many paths of a batch.
type fileNames struct {
	links files.Resolver
	hard  map[fileStamp][]namedFile // by what hard links have in common
	new   map[string]string         // the first path of a file that is not there yet, by that path in lower case
}

type fileStamp struct{ size, modified int64 }

// lookUp is [lookUp]; its error is that of a path that leads nowhere.
func (n *fileNames) lookUp(flag, path string, stream any, within ...string) (f namedFile, err error) {
	f = namedFile{flag: flag, path: path, within: within}
	var info fs.FileInfo
	var failed error
	if path == "-" {
		file, is := stream.(*os.File)
		if !is {
			return f, nil
		}
		info, failed = file.Stat()
	} else {
		f.path = files.FileOf(path)
		if f.resolved, err = n.links.Resolve(f.path); err != nil {
			f.resolved = ""
		}
		info, failed = disk.Files().Stat(f.path)
	}
	switch {
	case failed != nil: // it does not exist yet, or the command will say what is wrong
	case info.Mode()&(fs.ModeDevice|fs.ModeDir) != 0:
		f.shared = len(within) == 0
	default:
		f.info = info
	}
	return f, err
}

// resolve finds the name of the file of a path.
func (n *fileNames) resolve(path string) (string, error) {
	f, err := n.lookUp("", path, nil)
	return n.name(f), err
}

// name is the first path that it met of a file, after all symbolic links; standard input
// has the path "-".
func (n *fileNames) name(f namedFile) string {
	path := cmp.Or(f.resolved, f.path)
	if f.info == nil {
		return n.newName(path)
	}
	stamp := fileStamp{f.info.Size(), f.info.ModTime().UnixNano()}
	for _, known := range n.hard[stamp] {
		if os.SameFile(known.info, f.info) {
			return known.path
		}
	}
	if n.hard == nil {
		n.hard = map[fileStamp][]namedFile{}
	}
	n.hard[stamp] = append(n.hard[stamp], namedFile{path: path, info: f.info})
	return path
}

// newName is the first path that it met of a file that is not there yet, which differs by case alone where the file
// system ignores case.
func (n *fileNames) newName(path string) string {
	lower := strings.ToLower(path)
	first, met := n.new[lower]
	switch {
	case met && disk.SameName(first, path):
		return first
	case met:
		return path
	case n.new == nil:
		n.new = map[string]string{}
	}
	n.new[lower] = path
	return path
}
