package main

import (
	"os"
	"testing"
)

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}
