package limits

import "strings"

// Memory is one bound of the memory.
type Memory struct {
	Source string `json:"source"`
	File   string `json:"file,omitempty"` // that says so
	Limit  int64  `json:"limit_bytes"`
	Free   int64  `json:"free_bytes"` // the rest of it, at least 1
}

// The share of RLIMIT_AS and RLIMIT_DATA that the runtime takes in addition to the work: the heap grows
// by pieces of 64 MiB, and threads have stacks of 8 MiB where there is C. Beyond the
// limit it ends the process. Small work fits into the piece that it begins with.
const (
	ofRuntime    = 96 << 20
	alreadyThere = 8 << 20
)

func (m Memory) bound() int64 { return m.Free }

// endless is a number of bytes that no machine has: version 1 of control groups says
// the largest number where there is no limit.
const endless = int64(1) << 60

// asked is the source of a bound of memory that somebody gave.
const asked = "--memory"

// Memory lists what bounds the memory of this process, the number of bytes that was
// asked for (0: none) first.
func (s System) Memory(bytes int64) []Memory {
	found := []Memory{}
	add := func(source, file string, limit, used int64) {
		found = append(found, Memory{source, file, limit, max(limit-max(used, 0), 1)})
	}
	if bytes > 0 {
		add(asked, "", bytes, 0)
	}
	for _, g := range s.cgroups("memory") {
		for _, folder := range g.folders {
			if file, limit, used := s.cgroupMemory(g.version, folder); limit >= 0 {
				add("cgroup", "/"+file, limit, used)
			}
		}
	}
	for _, r := range []struct{ source, name, used string }{
		{"RLIMIT_AS", "Max address space", "VmSize:"},
		{"RLIMIT_DATA", "Max data size", "VmData:"},
	} {
		if soft := strings.Fields(s.field("proc/self/limits", r.name)); len(soft) > 0 {
			if limit, known := whole(soft[0]); known && limit < endless {
				free := limit - s.kibibytes("proc/self/status", r.used) - ofRuntime
				found = append(found, Memory{r.source, "/proc/self/limits", limit, max(free, min(alreadyThere, limit))})
			}
		}
	}
	if free := s.kibibytes("proc/meminfo", "MemAvailable:"); free > 0 {
		found = append(found, Memory{"available", "/proc/meminfo", max(s.kibibytes("proc/meminfo", "MemTotal:"), free), free})
	}
	if s.Calls != nil {
		found = append(found, s.Calls()...)
	}
	return found
}

// cgroupMemory is the limit of a group, -1 where it has none, and what its processes
// take of it. Files that the kernel keeps in memory it gives up when need be.
func (s System) cgroupMemory(version int, folder string) (file string, limit, used int64) {
	names := struct{ limit, used, prefix string }{"memory.max", "memory.current", ""}
	if version == 1 {
		names.limit, names.used, names.prefix = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"
	}
	file = folder + "/" + names.limit
	limit, known := whole(s.text(file))
	if !known || limit >= endless {
		return file, -1, 0
	}
	used, known = whole(s.text(folder + "/" + names.used))
	if !known {
		return file, limit, 0
	}
	for _, kept := range []string{"inactive_file ", "active_file "} {
		if v, known := whole(s.field(folder+"/memory.stat", names.prefix+kept)); known {
			used -= v
		}
	}
	return file, limit, used
}

// Free is what new work may take of the memory, in bytes; 0: not known.
func (s System) Free() int64 {
	least, _ := minOf(s.Memory(0), Memory.bound)
	return least.Free
}
