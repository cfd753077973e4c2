package messages

import (
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// commonWords are what Windows says of files, in the language of its user, and what the list of messages has in place of it.
var commonWords = func() *strings.Replacer {
	var pairs []string
	for text, codes := range map[string][]syscall.Errno{
		"no such file or directory": {windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND},
		"permission denied":         {windows.ERROR_ACCESS_DENIED},
		"no space left on device":   {windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL},
		"file exists":               {windows.ERROR_FILE_EXISTS, windows.ERROR_ALREADY_EXISTS},
		"too many open files":       {windows.ERROR_TOO_MANY_OPEN_FILES},
		"read-only file system":     {windows.ERROR_WRITE_PROTECT},
		"not a directory":           {windows.ERROR_DIRECTORY},
	} {
		for _, code := range codes {
			pairs = append(pairs, code.Error(), text)
		}
	}
	return strings.NewReplacer(pairs...)
}()

// ofSystem replaces what the system says by what the list has.
func ofSystem(text string) string { return commonWords.Replace(text) }
