// Package release says which version of orthant this is. The number is here alone;
// the command, the C library, the Python and the R package, CHANGELOG.md and CITATION.cff
// are held to it by the package's test.
package release

import (
	"runtime/debug"
	"strings"
)

// Version is the release, or the one that comes next, as semantic versions have it.
const Version = "0.10.0"

// Text is the version of a program with the commit that it was made from: that which was
// linked (-ldflags "-X main.version=…"), else what the build recorded, else what is known.
// A module that was fetched as a release is that release.
func Text(linked string) string {
	if linked != "" {
		return linked
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version + "+devel"
	}
	if v := info.Main.Version; strings.HasPrefix(v, "v") {
		return strings.TrimPrefix(v, "v")
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 7 {
			return Version + "+" + s.Value[:7]
		}
	}
	return Version + "+devel"
}
