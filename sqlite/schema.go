package sqlite

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// migrations are what makes each version of the schema of the one before: the
// first makes it of nothing. What stands here has made databases that people
// have, and does not change.
type migrations []string

//go:embed schema/*.sql
var schemaFiles embed.FS

// schema are the migrations of this build.
func schema() (migrations, error) {
	var m migrations
	for {
		sql, err := schemaFiles.ReadFile(fmt.Sprintf("schema/%d.sql", len(m)+1))
		if errors.Is(err, fs.ErrNotExist) {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		m = append(m, string(sql))
	}
}

// applicationID says in a file's header that it is a database of Turnstile:
// "Turn".
const applicationID = 0x5475726e

// Offsets in the header of a database file, of big-endian 32-bit numbers:
// https://sqlite.org/fileformat2.html#the_database_header
const (
	headerSize        = 100
	headerUserVersion = 60
	headerApplication = 68
	headerMagic       = "SQLite format 3\x00"
)

// inspect looks at the header of a file, which it does not change, and says why
// this build can't use it. A file that is not there yet, or is empty, it can.
func (m migrations) inspect(path string) (err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unwritable(path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header := make([]byte, headerSize)
	n, err := io.ReadFull(f, header)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return unwritable(path, err)
	}
	number := func(at int) int {
		return int(header[at])<<24 | int(header[at+1])<<16 | int(header[at+2])<<8 | int(header[at+3])
	}
	switch {
	case n == 0:
		return nil
	case n < headerSize || !strings.HasPrefix(string(header), headerMagic):
		return fmt.Errorf("%w: %s is no SQLite database: move it away, or use another directory", ErrNotADatabase, path)
	case number(headerApplication) != applicationID:
		return fmt.Errorf("%w: %s belongs to another program (application id %#x): move it away, or use another directory", ErrNotADatabase, path, number(headerApplication))
	case number(headerUserVersion) > len(m):
		return &NewerError{File: path, Version: number(headerUserVersion), Known: len(m)}
	}
	return nil
}

// claim writes into a file that has nothing yet whose it is, ahead of all else:
// what is opened and not made, because the process died or the disk was full, is
// known the next time.
func claim(c *conn) error {
	id, err := c.number("PRAGMA application_id")
	if err != nil || id == applicationID {
		return err
	}
	return c.Exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID))
}

// migrate brings the schema to the newest version, in one transaction, and
// leaves the header in the file, where inspect finds it. What inspect has found may
// be older than what stands in the log.
func (m migrations) migrate(c *conn) (err error) {
	version, err := c.number("PRAGMA user_version")
	if err != nil {
		return err
	}
	from := int(version)
	if from > len(m) {
		return &NewerError{File: c.path, Version: from, Known: len(m)}
	}
	if from == len(m) {
		return nil
	}
	if err := c.Exec("BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	defer func() {
		if err != nil && !c.GetAutocommit() {
			err = errors.Join(err, c.Exec("ROLLBACK"))
		}
	}()
	for i, sql := range m[from:] {
		if err := c.Exec(sql); err != nil {
			return fmt.Errorf("migration to schema version %d: %w", from+i+1, err)
		}
	}
	if err := c.Exec(fmt.Sprintf("PRAGMA user_version = %d; COMMIT", len(m))); err != nil {
		return err
	}
	_, _, err = c.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
	return err
}
