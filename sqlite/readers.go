package sqlite

import (
	"errors"
	"fmt"
	"sync"

	"github.com/ncruces/go-sqlite3"
)

// maxReaders is how many reads run at the same time.
const maxReaders = 4

// readers are connections that read concurrently with the writer and with each other. Each sees the
// state that was committed when its read began.
type readers struct {
	path, vfs string

	mu     sync.Mutex
	idle   []*conn
	open   int
	closed bool
	// freed is signalled when a connection becomes idle.
	freed *sync.Cond
}

// read calls use with a connection that no other reader uses. The reads of use see one consistent
// state only if they are one statement or a transaction.
func (r *readers) read(use func(*conn) error) error {
	c, err := r.take()
	if err != nil {
		return err
	}
	err = use(c)
	r.give(c)
	if ofTheFile(err) {
		return explain(r.path, err)
	}
	return err
}

func (r *readers) take() (*conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed == nil {
		r.freed = sync.NewCond(&r.mu)
	}
	for !r.closed && len(r.idle) == 0 && r.open == maxReaders {
		r.freed.Wait()
	}
	if r.closed {
		return nil, ErrClosed
	}
	if n := len(r.idle); n > 0 {
		c := r.idle[n-1]
		r.idle = r.idle[:n-1]
		return c, nil
	}
	c, err := connect(r.path, r.vfs, sqlite3.OPEN_READWRITE)
	if err == nil {
		err = c.Exec("PRAGMA query_only = ON; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY")
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}
	if err != nil {
		return nil, explain(r.path, err)
	}
	r.open++
	return c, nil
}

func (r *readers) give(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, c)
	r.freed.Broadcast()
}

// close waits until all reads are done and closes all connections.
func (r *readers) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.freed == nil {
		return nil
	}
	r.freed.Broadcast()
	for len(r.idle) < r.open {
		r.freed.Wait()
	}
	var errs []error
	for _, c := range r.idle {
		if err := c.Close(); err != nil {
			errs = append(errs, fmt.Errorf("closing a connection: %w", err))
		}
	}
	r.idle, r.open = nil, 0
	return errors.Join(errs...)
}
