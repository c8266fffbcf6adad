package sqlite

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// migrations are the steps that create each version of the schema from the one before; the first
// creates it from nothing. Existing databases were created with them, so they never change.
type migrations []string

//go:embed schema/*.sql
var schemaFiles embed.FS

// schema returns the migrations of this build.
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

// applicationID marks a file as a Turnstile database in its header: "Turn".
const applicationID = 0x5475726e

// Offsets in the header of a database file, of big-endian 32-bit numbers:
// https://sqlite.org/fileformat2.html#the_database_header
const (
	headerSize        = 100
	headerPageSize    = 16 // 16 bits
	headerReserved    = 20 // 8 bits
	headerUserVersion = 60
	headerApplication = 68
	headerMagic       = "SQLite format 3\x00"
)

// inspect reads the header of a file, without changing it, and returns an error if this build cannot
// use the file. A file that does not exist or is empty can be used.
func (m migrations) inspect(path string) (err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unwritable(path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	page := make([]byte, firstPage)
	n, err := io.ReadFull(f, page)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return unwritable(path, err)
	}
	page = page[:n]
	number := func(at int) int { return int(binary.BigEndian.Uint32(page[at:])) }
	magic := strings.HasPrefix(string(page), headerMagic)
	switch {
	case n == 0:
		return nil
	case n < headerSize && magic:
		return damaged(path, errors.New("its header is cut off"))
	case n < headerSize:
		return fmt.Errorf("%w: %s is not a SQLite database: move it away, or use another directory", ErrNotADatabase, path)
	case wasOurs(page):
		return damaged(path, errors.New("its header was changed"))
	case !magic:
		return fmt.Errorf("%w: %s is not a SQLite database: move it away, or use another directory", ErrNotADatabase, path)
	case number(headerApplication) != applicationID:
		return fmt.Errorf("%w: %s belongs to another program (application id %#x): move it away, or use another directory", ErrNotADatabase, path, number(headerApplication))
	case number(headerUserVersion) > len(m):
		if page[headerReserved] == sumSize && n == pageSize(page) && !intact(page, 0) {
			return damaged(path, errors.New("its header was changed"))
		}
		return &NewerError{File: path, Version: number(headerUserVersion), Known: len(m)}
	case page[headerReserved] != 0 && page[headerReserved] != sumSize:
		return damaged(path, fmt.Errorf("its pages keep %d bytes free", page[headerReserved]))
	}
	return checkLog(path, page)
}

// firstPage is the size of the first page of a new database.
const firstPage = 4096

// wasOurs reports whether a first page is damaged, and would be intact with the values that all
// Turnstile databases have in the header.
func wasOurs(page []byte) bool {
	if len(page) < firstPage {
		return false
	}
	was := bytes.Clone(page)
	copy(was, headerMagic)
	binary.BigEndian.PutUint16(was[headerPageSize:], firstPage)
	was[headerReserved] = sumSize
	binary.BigEndian.PutUint32(was[headerApplication:], applicationID)
	return !bytes.Equal(was, page) && binary.BigEndian.Uint32(sumIn(was)) != 0 && intact(was, 0)
}

// claim marks an empty file as a Turnstile database before anything else is written, so that a file
// that was opened but not completed, because the process died or the disk was full, is recognized the
// next time.
func claim(c *conn) error {
	id, err := c.number("PRAGMA application_id")
	if err != nil || id == applicationID {
		return err
	}
	return c.Exec(fmt.Sprintf("PRAGMA application_id = %d", applicationID))
}

// migrate upgrades the schema to the newest version in one transaction, and leaves the header in the
// file, where inspect reads it. The header that inspect has read may be older than the log.
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
