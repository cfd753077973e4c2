package limits

import "math"

// Tasks is the number of processes and threads that the control groups of this process let start
// besides those that there are, and the file that says so. known is false if no group bounds them.
func (s System) Tasks() (free int64, file string, known bool) {
	free = math.MaxInt64
	for _, g := range s.cgroups("pids") {
		for _, folder := range g.folders {
			most, bounded := whole(s.text(folder + "/pids.max")) // "max" is no number
			now, counted := whole(s.text(folder + "/pids.current"))
			if bounded && counted && max(most-now, 0) < free {
				free, file, known = max(most-now, 0), "/"+folder+"/pids.max", true
			}
		}
	}
	return free, file, known
}
