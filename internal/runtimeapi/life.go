//go:build unix

package runtimeapi

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// outputGrace is how long the output of a process that ended is still waited
// for, where a child of its that escaped the process group holds it open.
const outputGrace = 500 * time.Millisecond

// life is one process from its start to its end, with the server it talks to.
type life struct {
	server   *server
	command  *exec.Cmd
	output   *output
	exited   chan struct{} // closed when the process, its output and its server are done
	closeErr error         // of the server; read after exited
}

func newLife(c Command, out *output) (*life, error) {
	server, err := newServer()
	if err != nil {
		return nil, err
	}
	command := exec.Command(c.Path, c.Args...)
	command.Dir = c.Dir
	command.Env = append(append([]string(nil), c.Env...), "AWS_LAMBDA_RUNTIME_API="+server.address)
	command.Stdout, command.Stderr = out, out // one pipe for both, so their order is kept
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.WaitDelay = outputGrace
	if err := command.Start(); err != nil {
		_ = server.close()
		return nil, fmt.Errorf("runtimeapi: starting %s: %w", c.Path, err)
	}
	l := &life{server: server, command: command, output: out, exited: make(chan struct{})}
	go l.wait()
	return l, nil
}

func (l *life) wait() {
	// Its error says how the process ended, which ProcessState tells too.
	_ = l.command.Wait()
	l.signalGroup()
	l.closeErr = l.server.close()
	close(l.exited)
}

// kill ends the process group and returns when it is gone.
func (l *life) kill() {
	select {
	case <-l.exited:
		return
	default:
	}
	l.signalGroup()
	<-l.exited
}

// signalGroup kills whatever is left of the process group. ESRCH says that
// nothing is.
func (l *life) signalGroup() { _ = syscall.Kill(-l.pid(), syscall.SIGKILL) }

func (l *life) pid() int { return l.command.Process.Pid }

func (l *life) exitError() *ExitError {
	return &ExitError{State: l.command.ProcessState, Output: l.output.tail()}
}
