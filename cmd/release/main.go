// Release makes the files of a release, and the lists that go with them (docs/releasing.md):
//
//	go run ./cmd/release OUT          # make release
//	go run ./cmd/release licences     # make licences: docs/licences.md, docs/third-party-licences.txt
//
// The same commit, Go and compilers give the same bytes.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("give the folder to write to, or: licences")
	}
	if _, err := os.Stat("go.mod"); err != nil {
		return fmt.Errorf("run it in the root of the repository: %w", err)
	}
	if args[0] == "licences" {
		table, texts, err := licensed(".")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.FromSlash(licenceTable), []byte(table), 0o644); err != nil {
			return err
		}
		return os.WriteFile(filepath.FromSlash(licenceTexts), []byte(texts), 0o644)
	}
	return release(args[0])
}

const (
	licenceTable = "docs/licences.md"
	licenceTexts = "docs/third-party-licences.txt"
)
