package term

import (
	"io"
	"os"
	"sync"
)

// Output is a writer that keeps its first error and writes nothing after it, so that a command need
// not check each write. It is safe for concurrent use.
type Output struct {
	// failed is called once, at the first error.
	failed func()
	to     io.Writer

	mu  sync.Mutex
	err error
}

// NewOutput returns a writer to that writer. It calls failed at the first error.
func NewOutput(to io.Writer, failed func()) *Output { return &Output{to: to, failed: failed} }

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	if err != nil {
		o.err = err
		o.failed()
	}
	return n, err
}

// Err returns the first error; nil if everything was written.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// Unwrapped returns the writer of an Output, and any other writer unchanged, so that a started
// program gets the file itself.
func Unwrapped(w io.Writer) io.Writer {
	if o, is := w.(*Output); is {
		return o.to
	}
	return w
}

// fileOf returns a writer or reader as a file, or the file that an Output writes to.
func fileOf(of any) (*os.File, bool) {
	if w, is := of.(io.Writer); is {
		of = Unwrapped(w)
	}
	file, is := of.(*os.File)
	return file, is
}
