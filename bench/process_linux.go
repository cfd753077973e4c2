package bench

import (
	"os/exec"
	"syscall"
)

// endWithParent has a child killed when this program is.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
