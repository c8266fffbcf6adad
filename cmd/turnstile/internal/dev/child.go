package dev

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// child is a running program.
type child struct {
	cmd *exec.Cmd
	// leash is the program's standard input. It is closed when this process ends for any reason,
	// and the program then ends too.
	leash     io.Closer
	startedAt time.Time
	// ended receives the end of the program, once.
	ended chan end
}

// end describes how a program ended.
type end struct {
	// status is the exit status; -1 if a signal ended the program.
	status int
	// text is the description, such as "exit status 2" or "signal: killed".
	text string
}

func start(cmd *exec.Cmd) (*child, error) {
	leash, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// Do not wait for processes that the program started and that keep its output open.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, leash: leash, startedAt: time.Now(), ended: make(chan end, 1)}
	go func() {
		err := cmd.Wait()
		e := end{status: cmd.ProcessState.ExitCode(), text: cmd.ProcessState.String()}
		if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited && !errors.Is(err, exec.ErrWaitDelay) {
			e.text = err.Error()
		}
		c.ended <- e
	}()
	return c, nil
}

// stop asks the program to end and waits for it. After grace it kills the program. It reports whether
// the program was killed.
func (c *child) stop(grace time.Duration) (killed bool) {
	// On systems without signals, the end of its input ends the program.
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	_ = c.leash.Close()
	last := time.NewTimer(grace)
	defer last.Stop()
	select {
	case <-c.ended:
		return false
	case <-last.C:
	}
	err := c.cmd.Process.Kill()
	<-c.ended
	return !errors.Is(err, os.ErrProcessDone)
}
