package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// conn is a connection that keeps its prepared statements. Only one goroutine may use it at a time.
type conn struct {
	*sqlite3.Conn
	prepared map[string]*sqlite3.Stmt
	// path of the file, for errors.
	path string
}

func connect(path, vfs string, flags sqlite3.OpenFlag) (*conn, error) {
	c, err := sqlite3.OpenFlags(uri(filepath.ToSlash(path), vfs), flags|sqlite3.OPEN_URI)
	if err != nil {
		return nil, err
	}
	if err := fts5.Register(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &conn{Conn: c, prepared: map[string]*sqlite3.Stmt{}, path: path}, nil
}

// uri returns the URI with which SQLite opens a file, whose path has slashes. Files that SQLite creates
// next to it get its mode. SQLite decodes %XX and does not change a plus. It treats the text after "//"
// as a host, so a path that begins with a slash gets an empty host: https://sqlite.org/uri.html. For
// other paths the driver opens everything after "file:", so a Windows drive gets no slash.
func uri(path, vfs string) string {
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	host := ""
	if strings.HasPrefix(path, "/") {
		host = "//"
	}
	return "file:" + host + strings.ReplaceAll(escape(path), "%2F", "/") + "?modeof=" + escape(path) + "&vfs=" + escape(vfs)
}

// query runs a statement and calls row, unless it is nil, for each row of the result; an error from row
// ends the query. row may read columns only until it returns, and must not run the same statement.
func (c *conn) query(row func(*sqlite3.Stmt) error, sql string, args ...any) (err error) {
	s, err := c.statement(sql)
	if err != nil {
		return err
	}
	defer func() {
		if rerr := s.Reset(); err == nil {
			err = rerr
		}
	}()
	if err := bind(s, args); err != nil {
		return err
	}
	for s.Step() {
		if row != nil {
			if err := row(s); err != nil {
				return err
			}
		}
	}
	return s.Err()
}

// exec runs a statement that has no result.
func (c *conn) exec(sql string, args ...any) error { return c.query(nil, sql, args...) }

// one runs a statement and calls row for its first row; found is false if there is none.
func (c *conn) one(row func(*sqlite3.Stmt) error, sql string, args ...any) (found bool, err error) {
	err = c.query(func(s *sqlite3.Stmt) error {
		if found {
			return nil
		}
		found = true
		return row(s)
	}, sql, args...)
	return found, err
}

// atOnce makes all statements of read see the same committed state.
func (c *conn) atOnce(read func() error) (err error) {
	if err := c.exec("BEGIN"); err != nil {
		return err
	}
	defer func() {
		if c.GetAutocommit() {
			return // An error may have ended the transaction.
		}
		if cerr := c.exec("ROLLBACK"); err == nil {
			err = cerr
		}
	}()
	return read()
}

// number runs a statement whose result is one number; 0 if the result is empty.
func (c *conn) number(sql string, args ...any) (n int64, err error) {
	_, err = c.one(func(s *sqlite3.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}, sql, args...)
	return n, err
}

func (c *conn) statement(sql string) (*sqlite3.Stmt, error) {
	if s := c.prepared[sql]; s != nil {
		return s, nil
	}
	s, _, err := c.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT)
	if err != nil {
		return nil, fmt.Errorf("%w, in %s", err, sql)
	}
	c.prepared[sql] = s
	return s, nil
}

// Close closes the statements and the connection.
func (c *conn) Close() error {
	var errs []error
	for _, s := range c.prepared {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// bind binds the arguments to a statement; nil and an empty []byte are NULL.
func bind(s *sqlite3.Stmt, args []any) error {
	for i, a := range args {
		var err error
		switch v := a.(type) {
		case nil:
			err = s.BindNull(i + 1)
		case int64:
			err = s.BindInt64(i+1, v)
		case int:
			err = s.BindInt(i+1, v)
		case float64:
			err = s.BindFloat(i+1, v)
		case bool:
			err = s.BindBool(i+1, v)
		case string:
			err = s.BindText(i+1, v)
		case []byte:
			if len(v) == 0 {
				err = s.BindNull(i + 1)
			} else {
				err = s.BindBlob(i+1, v)
			}
		default:
			err = fmt.Errorf("sqlite: argument %d is a %T", i+1, a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text returns s, or NULL if it is empty.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}
