package main

// target is a system that the command is built for.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string {
	if t.os == "darwin" {
		return "macos-" + t.arch
	}
	return t.os + "-" + t.arch
}

// binary is the name of the command's file.
func (t target) binary() string {
	if t.os == "windows" {
		return "orthant.exe"
	}
	return "orthant"
}

// environment is that of a build without C.
func (t target) environment() []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch}
}
