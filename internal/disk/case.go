package disk

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
)

// SameName reports whether two absolute paths whose links are followed would be one file. Paths that differ by more
// than case are different. For others it is up to the file systems of their folders, which are
// asked: Windows and macOS have both kinds, and so has Linux, which can mount file systems of others. Files that are
// there already are compared by [os.SameFile].
func SameName(a, b string) bool {
	if a == b || !strings.EqualFold(a, b) {
		return a == b
	}
	in, other := filepath.Dir(a), filepath.Dir(b)
	if in == a || other == b { // such as C:\ and c:\
		return usuallyIgnored
	}
	return sameFolder(in, other) && (filepath.Base(a) == filepath.Base(b) || IgnoresCase(in))
}

func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	info, err := Files().Stat(a)
	there, other := Files().Stat(b)
	if err == nil && other == nil {
		return os.SameFile(info, there)
	}
	return SameName(a, b)
}

// IgnoresCase reports whether names that differ by case alone are one file in a folder, or in the nearest folder above
// it that is there. The answer is that of a file in the folder under a name of other case; of the folder itself where
// no name in it has letters; and that of new file systems of this operating system where neither can be asked.
func IgnoresCase(folder string) bool {
	for {
		if info, err := Files().Stat(folder); err == nil && info.IsDir() {
			break
		}
		above := filepath.Dir(folder)
		if above == folder {
			return usuallyIgnored
		}
		folder = above
	}
	entries, _ := Files().ReadDir(folder)
	for _, e := range entries {
		if same, known := asOther(folder, e.Name()); known {
			return same
		}
	}
	if same, known := asOther(filepath.Dir(folder), filepath.Base(folder)); known {
		return same
	}
	return usuallyIgnored
}

const usuallyIgnored = runtime.GOOS == "windows" || runtime.GOOS == "darwin" || runtime.GOOS == "ios"

// asOther reports whether a file of a folder is there under its name in other case as well. It is not known of names
// without letters, and of files that are gone.
func asOther(folder, name string) (same, known bool) {
	other := strings.Map(otherCase, name)
	if other == name {
		return false, false
	}
	info, err := Files().Lstat(filepath.Join(folder, name))
	if err != nil {
		return false, false
	}
	there, err := Files().Lstat(filepath.Join(folder, other))
	return err == nil && os.SameFile(info, there), true
}

// otherCase changes the case of the letters of ASCII, whose cases every file system pairs in the same way.
func otherCase(r rune) rune {
	switch {
	case r > unicode.MaxASCII:
		return r
	case unicode.IsUpper(r):
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
