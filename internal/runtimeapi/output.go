//go:build unix

package runtimeapi

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// MaxOutput is how many bytes of a bootstrap's output are kept.
const MaxOutput = 4 << 20

// tailSize is how much of the output an ExitError shows.
const tailSize = 4 << 10

// output collects what processes write.
type output struct {
	mu      sync.Mutex
	kept    []byte
	copy    io.Writer
	err     error
	changed chan struct{} // closed and replaced by each write
}

func newOutput(copy io.Writer) *output {
	return &output{copy: copy, changed: make(chan struct{})}
}

// Write never fails, so that a process is not stopped by a log that cannot be
// written; Close reports that.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, p...)
	if extra := len(o.kept) - MaxOutput; extra > 0 {
		o.kept = append(o.kept[:0], o.kept[extra:]...)
	}
	if o.copy != nil && o.err == nil {
		_, o.err = o.copy.Write(p)
	}
	close(o.changed)
	o.changed = make(chan struct{})
	return len(p), nil
}

// look says whether text was written, and returns a channel that is closed by
// the next write.
func (o *output) look(text string) (bool, <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Contains(o.kept, []byte(text)), o.changed
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.kept)
}

func (o *output) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.kept[max(0, len(o.kept)-tailSize):])
}

func (o *output) writeError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return fmt.Errorf("runtimeapi: copying output to Command.Log: %w", o.err)
	}
	return nil
}
