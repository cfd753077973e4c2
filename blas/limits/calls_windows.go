package limits

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32             = windows.NewLazySystemDLL("kernel32.dll")
	globalMemoryStatusEx = kernel32.NewProc("GlobalMemoryStatusEx")
	processMemoryInfo    = kernel32.NewProc("K32GetProcessMemoryInfo")
)

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                                                                uint32
	totalPhysical, freePhysical, totalCommit, freeCommit, total, free, extended uint64
}

// memoryCounters is PROCESS_MEMORY_COUNTERS.
type memoryCounters struct {
	size, faults                                                                               uint32
	peakResident, resident, peakPaged, paged, peakNonPaged, nonPaged, committed, peakCommitted uintptr
}

// memoryByCalls lists the memory that is available, which is both in physical memory and within what the system
// promises in all (its commit limit), and the limits of the process's job object.
func memoryByCalls() (found []Memory) {
	if limit, used := jobMemory(); limit > 0 {
		found = append(found, Memory{"job object", "", limit, max(limit-used, 1)})
	}
	if total, free := PhysicalMemory(); free > 0 {
		found = append(found, Memory{"available", "", total, free})
	}
	return found
}

// PhysicalMemory is the memory of the machine and what of it new work may take, in bytes; 0: not known.
func PhysicalMemory() (total, free int64) {
	s := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if done, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&s))); done == 0 {
		return 0, 0
	}
	return int64(s.totalPhysical), int64(min(s.freePhysical, s.freeCommit))
}

// jobMemory is the least limit of the job object of this process, and what of it is taken; 0: none.
func jobMemory() (limit, used int64) {
	var job windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	if windows.QueryInformationJobObject(0, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&job)), uint32(unsafe.Sizeof(job)), nil) != nil {
		return 0, 0
	}
	flags := job.BasicLimitInformation.LimitFlags
	for _, m := range []struct {
		flag  uint32
		limit uintptr
	}{{windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY, job.ProcessMemoryLimit}, {windows.JOB_OBJECT_LIMIT_JOB_MEMORY, job.JobMemoryLimit}} {
		if flags&m.flag != 0 && m.limit > 0 && (limit == 0 || int64(m.limit) < limit) {
			limit = int64(m.limit)
		}
	}
	if c, known := counters(windows.CurrentProcess()); known {
		used = int64(c.committed)
	}
	return limit, used
}

// ResidentMemory is what a process has in physical memory, and its peak, in bytes; 0: not known.
func ResidentMemory(pid int) (now, peak int64) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, 0
	}
	defer windows.CloseHandle(process)
	c, _ := counters(process)
	return int64(c.resident), int64(c.peakResident)
}

func counters(process windows.Handle) (c memoryCounters, known bool) {
	c.size = uint32(unsafe.Sizeof(c))
	done, _, _ := processMemoryInfo.Call(uintptr(process), uintptr(unsafe.Pointer(&c)), unsafe.Sizeof(c))
	return c, done != 0
}

// ProcessorSeconds are the seconds that all threads of this process have taken so far, user and system.
func ProcessorSeconds() float64 {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return 0
	}
	const unit = 100 * time.Nanosecond
	units := func(t windows.Filetime) float64 { return float64(uint64(t.HighDateTime)<<32 | uint64(t.LowDateTime)) }
	return float64(units(kernel)+units(user)) * unit.Seconds()
}
