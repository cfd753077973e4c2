package limits_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/orthant-go/orthant/blas/limits"
)

// tree is a root with files of the given texts.
func tree(files map[string]string) fs.FS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// with adds files to others.
func with(files map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for name, text := range files {
		all[name] = text
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

const (
	meminfo   = "MemTotal:       16000000 kB\nMemFree:  100 kB\nMemAvailable:    8000000 kB\n"
	status    = "Name:\tx\nVmSize:\t  100000 kB\nVmData:\t   50000 kB\nCpus_allowed_list:\t0-3,8\n"
	unlimited = "Limit  Soft Limit  Hard Limit  Units\nMax data size             unlimited            unlimited            bytes\nMax address space         unlimited            unlimited            bytes\n"
	hugeV1    = "9223372036854771712\n"

	mountV2  = "24 1 0:20 / /proc rw - proc proc rw\n30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
	mountsV1 = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n" +
		"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	v1 = "sys/fs/cgroup/memory/"
	v2 = "sys/fs/cgroup/"
)

var (
	bare    = map[string]string{"proc/meminfo": meminfo, "proc/self/status": status, "proc/self/limits": unlimited}
	nested  = with(bare, "proc/self/cgroup", "0::/pod/box\n", "proc/self/mountinfo", mountV2)
	older   = with(bare, "proc/self/cgroup", "4:memory:/pod/box\n2:cpu,cpuacct:/pod\n1:name=systemd:/\n", "proc/self/mountinfo", mountsV1)
	hybrid  = with(older, "proc/self/cgroup", "4:memory:/pod/box\n0::/pod\n", "proc/self/mountinfo", mountsV1+"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")
	mapped  = with(bare, "proc/self/cgroup", "4:memory:/docker/abc\n", "proc/self/mountinfo", "35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n")
	escaped = with(bare, "proc/self/cgroup", "0::/a b\n", "proc/self/mountinfo", `30 23 0:26 / /my\040groups rw - cgroup2 cgroup2 rw`)
)

// The memory of a process is the least over every group it is in and all above it, the
// limits of the process and what the machine has.
func TestMemory(t *testing.T) {
	const mib = 1 << 20
	bytes := func(n int64) string { return fmt.Sprintln(n) }
	for name, c := range map[string]struct {
		files  map[string]string
		asked  int64
		source string
		free   int64
	}{
		"nothing is known":            {nil, 0, "not known", 0},
		"no group":                    {bare, 0, "available", 8000000 << 10},
		"asked":                       {bare, mib, "--memory", mib},
		"asked for more than there":   {bare, 1 << 50, "available", 8000000 << 10},
		"v2":                          {with(nested, v2+"pod/box/memory.max", bytes(300*mib)), 0, "cgroup", 300 * mib},
		"v2, the group above":         {with(nested, v2+"pod/box/memory.max", "max\n", v2+"pod/memory.max", bytes(200*mib)), 0, "cgroup", 200 * mib},
		"v2, the less of both":        {with(nested, v2+"pod/box/memory.max", bytes(300*mib), v2+"pod/memory.max", bytes(200*mib)), 0, "cgroup", 200 * mib},
		"v2, the root of a container": {with(nested, "proc/self/cgroup", "0::/\n", v2+"memory.max", bytes(300*mib)), 0, "cgroup", 300 * mib},
		"v2, outside what is seen":    {with(nested, "proc/self/cgroup", "0::/../other\n", v2+"memory.max", bytes(300*mib)), 0, "cgroup", 300 * mib},
		"v2, max":                     {with(nested, v2+"pod/box/memory.max", "max\n"), 0, "available", 8000000 << 10},
		"v2, some in use": {with(nested, v2+"pod/box/memory.max", bytes(300*mib), v2+"pod/box/memory.current", bytes(120*mib),
			v2+"pod/box/memory.stat", "anon 1\ninactive_file 10485760\nactive_file 10485760\n"), 0, "cgroup", 200 * mib},
		"v2, all in use": {with(nested, v2+"pod/box/memory.max", bytes(300*mib), v2+"pod/box/memory.current", bytes(310*mib)), 0, "cgroup", 1},
		"v2, less asked": {with(nested, v2+"pod/box/memory.max", bytes(300*mib)), mib, "--memory", mib},
		"v2, more asked": {with(nested, v2+"pod/box/memory.max", bytes(300*mib)), 1000 * mib, "cgroup", 300 * mib},
		"v1":             {with(older, v1+"pod/box/memory.limit_in_bytes", bytes(300*mib), v1+"memory.limit_in_bytes", hugeV1), 0, "cgroup", 300 * mib},
		"v1, nested":     {with(older, v1+"pod/box/memory.limit_in_bytes", hugeV1, v1+"pod/memory.limit_in_bytes", bytes(250*mib)), 0, "cgroup", 250 * mib},
		"v1, none":       {with(older, v1+"pod/box/memory.limit_in_bytes", hugeV1), 0, "available", 8000000 << 10},
		"v1, some in use": {with(older, v1+"pod/box/memory.limit_in_bytes", bytes(300*mib), v1+"pod/box/memory.usage_in_bytes", bytes(120*mib),
			v1+"pod/box/memory.stat", "inactive_file 7\ntotal_inactive_file 10485760\ntotal_active_file 10485760\n"), 0, "cgroup", 200 * mib},
		"v1, a part mounted":          {with(mapped, v1+"memory.limit_in_bytes", bytes(300*mib)), 0, "cgroup", 300 * mib},
		"v1 next to v2":               {with(hybrid, v1+"pod/box/memory.limit_in_bytes", bytes(300*mib)), 0, "cgroup", 300 * mib},
		"v2 next to v1":               {with(hybrid, v1+"pod/box/memory.limit_in_bytes", hugeV1, v2+"unified/pod/memory.max", bytes(100*mib)), 0, "cgroup", 100 * mib},
		"a mount with a space":        {with(escaped, "my groups/a b/memory.max", bytes(300*mib)), 0, "cgroup", 300 * mib},
		"RLIMIT_AS":                   {with(bare, "proc/self/limits", "Max address space         1024000000           unlimited            bytes\n"), 0, "RLIMIT_AS", 1024000000 - 100000<<10 - 96*mib},
		"RLIMIT_DATA":                 {with(bare, "proc/self/limits", "Max data size             512000000            unlimited            bytes\n"), 0, "RLIMIT_DATA", 512000000 - 50000<<10 - 96*mib},
		"RLIMIT_AS below what is had": {with(bare, "proc/self/limits", "Max address space         1024                 unlimited            bytes\n"), 0, "RLIMIT_AS", 1024},
		"RLIMIT_AS nearly had":        {with(bare, "proc/self/limits", "Max address space         104857600            unlimited            bytes\n"), 0, "RLIMIT_AS", 8 * mib},
		"garbage": {map[string]string{"proc/meminfo": "MemAvailable: lots\nMemTotal:\n", "proc/self/status": "VmSize:\n\x00", "proc/self/limits": "Max address space",
			"proc/self/cgroup": "0::\n:::\nx\n4:memory", "proc/self/mountinfo": " - cgroup2\n - \n1 2 3 4 5 6 - cgroup2 a b\n30 23 0:26 / /sys/fs/cgroup\\9 rw - cgroup2 cgroup2 rw\n"}, 0, "not known", 0},
		"garbage in a group":      {with(nested, v2+"pod/box/memory.max", "lots\n", v2+"pod/memory.max", ""), 0, "available", 8000000 << 10},
		"garbage next to a limit": {with(nested, v2+"pod/box/memory.max", bytes(mib), v2+"pod/box/memory.current", "-7\n"), 0, "cgroup", mib},
		"a negative limit":        {with(nested, v2+"pod/box/memory.max", "-1\n"), 0, "available", 8000000 << 10},
	} {
		s := limits.System{Root: tree(c.files)}
		l, err := s.Limits(0, c.asked)
		if err != nil || l.MemoryFrom != c.source || l.MemoryBytes != c.free {
			t.Errorf("%s: %d bytes from %s (%v); want %d from %s. All: %+v", name, l.MemoryBytes, l.MemoryFrom, err, c.free, c.source, l.Bounds.Memory)
		}
		if c.asked == 0 && s.Free() != c.free {
			t.Errorf("%s: %d bytes free", name, s.Free())
		}
	}
}

// Every bound is reported with the file that sets it.
func TestMemorySaysWhere(t *testing.T) {
	s := limits.System{Root: tree(with(nested, v2+"pod/box/memory.max", "1000\n", v2+"pod/memory.max", "5000\n", v2+"pod/memory.current", "500\n"))}
	want := []limits.Memory{
		{Source: "--memory", Limit: 7, Free: 7},
		{Source: "cgroup", File: "/sys/fs/cgroup/pod/box/memory.max", Limit: 1000, Free: 1000},
		{Source: "cgroup", File: "/sys/fs/cgroup/pod/memory.max", Limit: 5000, Free: 4500},
		{Source: "available", File: "/proc/meminfo", Limit: 16000000 << 10, Free: 8000000 << 10},
	}
	if got := s.Memory(7); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// The requested number comes first, then the environment, but nothing exceeds the mask and the
// quotas.
func TestThreads(t *testing.T) {
	cpu1 := "sys/fs/cgroup/cpu,cpuacct/pod/"
	half := with(older, cpu1+"cpu.cfs_quota_us", "150000\n", cpu1+"cpu.cfs_period_us", "100000\n")
	for name, c := range map[string]struct {
		files       map[string]string
		environment string
		asked       int
		source      string
		count       int
	}{
		"nothing is known":            {nil, "", 0, "affinity mask", 8},
		"the mask":                    {bare, "", 0, "affinity mask", 5},
		"a broken mask":               {map[string]string{"proc/self/status": "Cpus_allowed_list:\t3-1,x\n"}, "", 0, "affinity mask", 8},
		"a mask of more":              {map[string]string{"proc/self/status": "Cpus_allowed_list:\t0-63\n"}, "", 0, "affinity mask", 8},
		"asked":                       {bare, "ORTHANT_NUM_THREADS=2", 3, "--threads", 3},
		"asked for too many":          {bare, "", 64, "affinity mask", 5},
		"ORTHANT first":               {bare, "OMP_NUM_THREADS=2 ORTHANT_NUM_THREADS=3", 0, "ORTHANT_NUM_THREADS", 3},
		"ORTHANT too many":            {bare, "ORTHANT_NUM_THREADS=64", 0, "affinity mask", 5},
		"OMP":                         {bare, "OMP_NUM_THREADS=2", 0, "OMP_NUM_THREADS", 2},
		"OMP of nested levels":        {bare, "OMP_NUM_THREADS=4,2,1", 0, "OMP_NUM_THREADS", 4},
		"OMP that is none":            {bare, "OMP_NUM_THREADS=all", 0, "affinity mask", 5},
		"v2 quota":                    {with(nested, v2+"pod/box/cpu.max", "200000 100000\n"), "", 0, "cgroup", 2},
		"v2 quota above":              {with(nested, v2+"pod/box/cpu.max", "max 100000\n", v2+"pod/cpu.max", "300000 100000\n"), "", 0, "cgroup", 3},
		"v2 quota and asked":          {with(nested, v2+"pod/box/cpu.max", "200000 100000\n"), "", 4, "cgroup", 2},
		"v2 quota, ORTHANT":           {with(nested, v2+"pod/box/cpu.max", "200000 100000\n"), "ORTHANT_NUM_THREADS=4", 0, "cgroup", 2},
		"v2 no quota":                 {with(nested, v2+"pod/box/cpu.max", "max 100000\n"), "", 0, "affinity mask", 5},
		"v2 less than a core":         {with(nested, v2+"pod/box/cpu.max", "50000 100000\n"), "", 0, "cgroup", 1},
		"v2 garbage":                  {with(nested, v2+"pod/box/cpu.max", "x 0 1\n", v2+"pod/cpu.max", "0 0\n"), "", 0, "affinity mask", 5},
		"v1 quota, a core and a half": {half, "", 0, "cgroup", 1},
		"v1 no quota":                 {with(half, cpu1+"cpu.cfs_quota_us", "-1\n"), "", 0, "affinity mask", 5},
	} {
		s := limits.System{Root: tree(c.files), CPUs: 8, Getenv: environment(c.environment)}
		l, err := s.Limits(c.asked, 0)
		if err != nil || l.ThreadsFrom != c.source || l.Threads != c.count {
			t.Errorf("%s: %d from %s (%v); want %d from %s. All: %+v", name, l.Threads, l.ThreadsFrom, err, c.count, c.source, l.Bounds.Threads)
		}
	}
	s := limits.System{CPUs: 8, Procs: 2}
	if l, _ := s.Limits(0, 0); l.Threads != 2 || l.ThreadsFrom != "GOMAXPROCS" {
		t.Errorf("GOMAXPROCS=2: %+v", l)
	}
	if l, _ := (limits.System{}).Limits(0, 0); l.Threads != 1 || l.ThreadsFrom != "not known" {
		t.Errorf("nothing known: %+v", l)
	}
}

// A number of threads that is none is an error that names the variable; whoever goes on
// goes on without it.
func TestInvalidVariable(t *testing.T) {
	for _, text := range []string{"abc", "0", "-1", "2.5", "1,2", "99999999999999999999"} {
		s := limits.System{CPUs: 8, Getenv: environment("ORTHANT_NUM_THREADS=" + text + " OMP_NUM_THREADS=2")}
		l, err := s.Limits(0, 0)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("ORTHANT_NUM_THREADS is %q; give", text)) {
			t.Errorf("%q: %v", text, err)
		}
		if l.Threads != 2 || l.ThreadsFrom != "OMP_NUM_THREADS" {
			t.Errorf("%q: %d from %s", text, l.Threads, l.ThreadsFrom)
		}
		if _, err := s.Limits(3, 0); err != nil {
			t.Errorf("%q with --threads: %v", text, err)
		}
	}
}

// environment is the environment that a text of NAME=value pairs describes.
func environment(text string) func(string) string {
	return func(name string) string {
		for pair := range strings.FieldsSeq(text) {
			if n, value, _ := strings.Cut(pair, "="); n == name {
				return value
			}
		}
		return ""
	}
}

func TestForProcess(t *testing.T) {
	t.Setenv("OMP_NUM_THREADS", "")
	t.Setenv("ORTHANT_NUM_THREADS", "")
	all := limits.ForProcess(0)
	if most := min(runtime.NumCPU(), runtime.GOMAXPROCS(0)); all < 1 || all > most {
		t.Errorf("%d threads where there are %d", all, most)
	}
	if n := limits.ForProcess(1 << 20); n > runtime.NumCPU() {
		t.Errorf("%d threads where there are %d cores", n, runtime.NumCPU())
	}
	t.Setenv("OMP_NUM_THREADS", "1")
	if n := limits.ForProcess(0); n != 1 {
		t.Errorf("OMP_NUM_THREADS=1: %d", n)
	}
	limits.Choose(1 << 20)
	defer limits.Choose(0)
	if n := limits.ForProcess(0); n < all {
		t.Errorf("all are chosen above the environment: %d of %d", n, all)
	}
}
