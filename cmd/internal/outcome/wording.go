package outcome

// flags are those of the parameters that have one of their own; the others are set by --set.
var flags = map[string]string{
	"labels": "--labels", "memory": "--memory", "missing": "--missing", "standardize": "--scale", "neighbors": "--neighbors", "dim": "--dim",
	"neighbors_method": "--neighbors-method", "certified": "--certify", "next": "--report", "init_w": "--init-w", "init_h": "--init-h",
	"given_graph": "--graph", "given_distances": "--distances", "radius": "--radius", "denoise": "--denoise", "iterations": "--iterations", "tolerance": "--tolerance",
	"delimiter": "--delimiter", "resize": "--resize",
}

// Flags words a parameter as the command line has it, for package wording: --dim 3,
// --set components=largest.
func Flags(key, value string) string {
	switch flag := flags[key]; {
	case key == "call":
		return `"orthant ` + value + `"`
	case flag != "" && value == "":
		return flag
	case flag != "":
		return flag + " " + value
	case value == "":
		return key
	}
	return "--set " + key + "=" + value
}
