//go:build mpi

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// hosts makes two hosts of network namespaces, which have a name and an address each and one
// cable between them, and returns mpirun on both: process 0 on the first, the others on the
// second. mpirun reaches that one by a script in the place of ssh.
func hosts(t *testing.T) func(processes int, env []string, args ...string) *exec.Cmd {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("LEFT OUT: hosts (only root makes network namespaces)")
	}
	for _, tool := range []string{"ip", "unshare"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("LEFT OUT: hosts (no command %s; Debian: iproute2, util-linux)", tool)
		}
	}
	const net = "10.213.71."
	first, second := fmt.Sprintf("ort%da", os.Getpid()), fmt.Sprintf("ort%db", os.Getpid())
	t.Cleanup(func() {
		exec.Command("ip", "netns", "del", first).Run()
		exec.Command("ip", "netns", "del", second).Run()
	})
	for _, args := range [][]string{
		{"netns", "add", first},
		{"netns", "add", second},
		{"link", "add", "cable", "netns", first, "type", "veth", "peer", "name", "cable", "netns", second},
		{"-n", first, "addr", "add", net + "1/24", "dev", "cable"},
		{"-n", second, "addr", "add", net + "2/24", "dev", "cable"},
		{"-n", first, "link", "set", "cable", "up"},
		{"-n", second, "link", "set", "cable", "up"},
		{"-n", first, "link", "set", "lo", "up"},
		{"-n", second, "link", "set", "lo", "up"},
	} {
		if said, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Skipf("LEFT OUT: hosts (no network namespaces here: ip %v: %s)", args, said)
		}
	}
	shell := filepath.Join(folder, "shell")
	script := fmt.Sprintf("#!/bin/sh\nshift\nexec ip netns exec %s unshare --uts sh -c \"hostname %s; $*\"\n", second, second)
	if err := os.WriteFile(shell, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return func(processes int, env []string, args ...string) *exec.Cmd {
		c := exec.Command("ip", append([]string{"netns", "exec", first, "mpirun", "-q", "-n", fmt.Sprint(processes),
			"--host", fmt.Sprintf("%s1:1,%s2:%d", net, net, max(processes-1, 1)), "--mca", "plm_rsh_agent", shell,
			"--mca", "btl_tcp_if_include", net + "0/24", "--mca", "oob_tcp_if_include", net + "0/24", together, "embed"}, args...)...)
		c.Env = append(append(os.Environ(), environment...), env...)
		return c
	}
}

// TestHosts: processes of two hosts find the coordinates of "orthant embed", and all end where
// one of the other host is killed.
func TestHosts(t *testing.T) {
	start := hosts(t)
	one, many := filepath.Join(folder, "one.npy"), filepath.Join(folder, "many.npy")
	for _, method := range []string{"ltsa", "neml"} {
		args := []string{"--method", method, "--in", roll, "--quiet"}
		if r := ended(t, exec.Command(orthant, append([]string{"embed", "--out", one}, args...)...)); r.status != 0 {
			t.Fatal(r)
		}
		if r := ended(t, start(3, nil, append(args, "--out", many)...)); r.status != 0 || r.err != "" {
			t.Fatalf("%+v", r)
		}
		if a := angle(t, many, one); !(a <= maxAngle) {
			t.Errorf("%s: the span is off by %.2g", method, a)
		}
	}
	if r := ended(t, start(2, nil, "-m", "ltsa", "-i", "nothere.npy", "-o", many)); r.status != 2 || len(lines(r.err)) != 1 {
		t.Errorf("a file that is not there: %+v", r)
	}
	killed(t, start)
}
