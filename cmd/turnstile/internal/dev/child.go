package dev

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// child is the program while it runs.
type child struct {
	cmd *exec.Cmd
	// leash is the program's standard input: it ends when this process does, in
	// whatever way, and the program with it.
	leash io.Closer
	began time.Time
	// ended gets the end of the program, once.
	ended chan end
}

// end says how a program ended.
type end struct {
	// status, -1 if a signal ended it.
	status int
	// text: "exit status 2", "signal: killed".
	text string
}

func start(cmd *exec.Cmd) (*child, error) {
	leash, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// For output that somebody else, started by the program, still holds open.
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, leash: leash, began: time.Now(), ended: make(chan end, 1)}
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

// stop asks the program to end and waits until it has. It reports whether it
// had to be killed, which it is after grace.
func (c *child) stop(grace time.Duration) (killed bool) {
	// Where there are no signals, the end of its input tells it.
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
