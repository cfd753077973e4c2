// Release makes the lists that go with a release (docs/releasing.md), whose files .ci/release makes:
//
//	go run ./cmd/release licences                        # make licences: docs/licences.md, docs/third-party-licences.txt
//	go run ./cmd/release provenance FOLDER TOOL=VERSION… # FOLDER/provenance.intoto.json: what was made of which commit by which tools
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
	if _, err := os.Stat("go.mod"); err != nil {
		return fmt.Errorf("run it in the root of the repository: %w", err)
	}
	switch {
	case len(args) == 1 && args[0] == "licences":
		table, texts, err := licensed(".")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.FromSlash(licenceTable), []byte(table), 0o644); err != nil {
			return err
		}
		return os.WriteFile(filepath.FromSlash(licenceTexts), []byte(texts), 0o644)
	case len(args) >= 2 && args[0] == "provenance":
		return provenance(args[1], args[2:])
	}
	return fmt.Errorf("give licences, or provenance with the folder of the release")
}

const (
	licenceTable = "docs/licences.md"
	licenceTexts = "docs/third-party-licences.txt"
)
