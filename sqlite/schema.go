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

// inspect looks at the header of a file, which it does not change, and returns
// the version of its schema; 0 if there is no file yet, or an empty one.
func (m migrations) inspect(path string) (version int, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, unwritable(path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header := make([]byte, headerSize)
	n, err := io.ReadFull(f, header)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, unwritable(path, err)
	}
	number := func(at int) int {
		return int(header[at])<<24 | int(header[at+1])<<16 | int(header[at+2])<<8 | int(header[at+3])
	}
	switch {
	case n == 0:
		return 0, nil
	case n < headerSize || !strings.HasPrefix(string(header), headerMagic):
		return 0, fmt.Errorf("%w: %s is no SQLite database: move it away, or use another directory", ErrNotADatabase, path)
	case number(headerApplication) != applicationID:
		return 0, fmt.Errorf("%w: %s belongs to another program (application id %#x): move it away, or use another directory", ErrNotADatabase, path, number(headerApplication))
	case number(headerUserVersion) > len(m):
		return 0, &NewerError{File: path, Version: number(headerUserVersion), Known: len(m)}
	}
	return number(headerUserVersion), nil
}

// migrate brings the schema from a version to the newest, in one transaction,
// and leaves the header in the file, where inspect finds it.
func (m migrations) migrate(c *conn, from int) (err error) {
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
	if err := c.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", applicationID, len(m))); err != nil {
		return err
	}
	_, _, err = c.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
	return err
}
