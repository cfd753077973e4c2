package limits

import (
	"math"
	"path"
	"strconv"
	"strings"
)

// cgroup is a control group that this process is in, of one hierarchy: its folder and
// those above it up to the hierarchy's mount, each below the root.
type cgroup struct {
	version int // 1 or 2
	folders []string
}

// cgroups are those whose limits hold for this process where a controller matters:
// the hierarchy of version 2, and the version 1 hierarchy that has the controller. A hybrid
// system has both.
func (s System) cgroups(controller string) []cgroup {
	var found []cgroup
	mounts := s.cgroupMounts()
	for line := range strings.Lines(s.text("proc/self/cgroup")) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) != 3 {
			continue
		}
		version := 1
		if parts[0] == "0" && parts[1] == "" {
			version = 2
		} else if !listed(parts[1], controller) {
			continue
		}
		for _, m := range mounts {
			if m.version == version && (version == 2 || listed(m.options, controller)) {
				found = append(found, cgroup{version, m.folders(parts[2])})
				break // the same hierarchy may be mounted elsewhere, too
			}
		}
	}
	return found
}

// cgroupMount is where a hierarchy, or a part of it, is mounted.
type cgroupMount struct {
	version  int
	root, at string // the group that is mounted, and its folder
	options  string // controllers among them
}

// cgroupMounts reads the mounts of this process. A line is "id parent device root
// place options [more…] - type source options".
func (s System) cgroupMounts() []cgroupMount {
	var mounts []cgroupMount
	for line := range strings.Lines(s.text("proc/self/mountinfo")) {
		before, after, found := strings.Cut(line, " - ")
		place, kind := strings.Fields(before), strings.Fields(after)
		if !found || len(place) < 6 || len(kind) < 3 {
			continue
		}
		m := cgroupMount{root: unescaped(place[3]), at: unescaped(place[4]), options: kind[2]}
		switch kind[0] {
		case "cgroup":
			m.version = 1
		case "cgroup2":
			m.version = 2
		default:
			continue
		}
		mounts = append(mounts, m)
	}
	return mounts
}

// folders returns the folders of a group and of all groups above it. In a container that sees only
// a part of the hierarchy, the path of the group begins at that part or at the root of the whole; if
// the group is not within the part, the part itself is what can be seen.
func (m cgroupMount) folders(group string) []string {
	within := path.Clean("/" + group)
	if root := path.Clean("/" + m.root); root != "/" {
		switch {
		case within == root:
			within = "/"
		case strings.HasPrefix(within, root+"/"):
			within = strings.TrimPrefix(within, root)
		default:
			within = "/"
		}
	}
	if strings.HasPrefix(group, "/..") {
		within = "/"
	}
	at := strings.TrimPrefix(path.Clean("/"+m.at), "/")
	var folders []string
	for ; ; within = path.Dir(within) {
		folders = append(folders, strings.TrimPrefix(path.Join(at, within), "/"))
		if within == "/" {
			return folders
		}
	}
}

// listed reports whether a word is in a list with commas.
func listed(list, word string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one == word {
			return true
		}
	}
	return false
}

// unescaped puts back the characters that mountinfo writes as octal numbers.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+4 <= len(text) {
			if v, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(v))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Tasks is the number of processes and threads that the control groups of this process let start
// besides those that there are, and the file that says so. known is false if no group bounds them.
func (s System) Tasks() (free int64, file string, known bool) {
	free = math.MaxInt64
	for _, g := range s.cgroups("pids") {
		for _, folder := range g.folders {
			most, bounded := whole(s.text(folder + "/pids.max")) // "max" is not a number
			now, counted := whole(s.text(folder + "/pids.current"))
			if bounded && counted && max(most-now, 0) < free {
				free, file, known = max(most-now, 0), "/"+folder+"/pids.max", true
			}
		}
	}
	return free, file, known
}
