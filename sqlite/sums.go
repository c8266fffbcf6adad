package sqlite

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// sumSize is the size of the checksum at the end of each page of a database: CRC-32C of the rest of the
// page, seeded with the number of the page. SQLite does not use these bytes, because the header
// declares them reserved.
//
// Zero means no checksum. Pages in memory and in the log have none. So pages that another program
// copies from memory or the log into a file (a copy, a restored log, a checkpoint after a crash)
// are accepted without a checksum, and get a checksum when this file system next writes them.
const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumOf returns the checksum of the page at an offset.
func sumOf(page []byte, off int64) uint32 {
	sum, from := uint32(off/int64(len(page))), 0
	if off == 0 {
		for _, c := range changing {
			sum = crc32.Update(sum, castagnoli, page[from:c.from])
			from = c.to
			if c.from == ownLogs {
				sum = crc32.Update(sum, castagnoli, make([]byte, ownLogsEnd-ownLogs))
			}
		}
	}
	return max(crc32.Update(sum, castagnoli, page[from:len(page)-sumSize]), 1)
}

// changing are the parts of the header that change when a program copies the pages: change counters,
// and the version of that program. SQLite does not rely on any of them alone. The names of the logs
// (log.go) are also left out, because SQLite has zeros there.
var changing = []struct{ from, to int }{{24, 28}, {40, 44}, {ownLogs, ownLogsEnd}, {92, 100}}

// sumIn returns the part of a page that holds its checksum.
func sumIn(page []byte) []byte { return page[len(page)-sumSize:] }

// intact reports whether a page is as it was written, as far as can be detected.
func intact(page []byte, off int64) bool {
	sum := binary.BigEndian.Uint32(sumIn(page))
	return sum == 0 || sum == sumOf(page, off)
}

// summed is the file of a database, whose pages have checksums.
type summed struct {
	*file
	// page is the page size of the file; 0 as long as its pages have no checksums.
	page int
}

// see reads the page size from the header.
func (f *summed) see(p []byte, off int64) {
	if off != 0 || len(p) < headerSize || !strings.HasPrefix(string(p[:len(headerMagic)]), headerMagic) {
		return
	}
	f.page = 0
	if p[headerReserved] == sumSize {
		f.page = pageSize(p)
	}
}

// pageSize returns the size of pages that the header of a database gives; 0 if it is invalid.
func pageSize(header []byte) int {
	n := int(binary.BigEndian.Uint16(header[headerPageSize:]))
	if n == 1 {
		n = 1 << 16
	}
	if n < 512 || n&(n-1) != 0 {
		return 0
	}
	return n
}

func (f *summed) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	f.see(p[:n], off)
	if n == 0 || len(p) != f.page {
		clear(logsIn(p[:n], off))
		return n, err
	}
	if n < len(p) || !intact(p, off) {
		return 0, sqlite3.IOERR_DATA
	}
	clear(sumIn(p))
	clear(logsIn(p, off))
	return n, err
}

// logsIn returns the part of a read or a write at an offset that names the logs; empty if it does not
// include it.
func logsIn(p []byte, off int64) []byte {
	if off != 0 || len(p) < headerSize {
		return nil
	}
	return p[ownLogs:ownLogsEnd]
}

func (f *summed) WriteAt(p []byte, off int64) (int, error) {
	f.see(p, off)
	if names := logsIn(p, off); names != nil {
		// SQLite does not know them, and writes zeros there.
		if _, err := f.file.ReadAt(names, ownLogs); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		defer clear(names)
	}
	if len(p) != f.page {
		return f.file.WriteAt(p, off)
	}
	binary.BigEndian.PutUint32(sumIn(p), sumOf(p, off))
	n, err := f.file.WriteAt(p, off)
	clear(sumIn(p))
	return n, err
}

// DeviceCharacteristics makes SQLite read whole pages.
func (f *summed) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return f.file.DeviceCharacteristics() &^ vfs.IOCAP_SUBPAGE_READ
}

// reserve makes pages reserve room for their checksums: immediately in an empty file, otherwise by
// rewriting it. A file that sqlite3 recovered from a damaged file has to be rewritten.
func reserve(c *conn) (rewrite bool, err error) {
	reserved, err := c.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES)
	if err != nil || reserved == sumSize {
		return false, err
	}
	if _, err := c.FileControl("main", sqlite3.FCNTL_RESERVE_BYTES, sumSize); err != nil {
		return false, err
	}
	pages, err := c.number("PRAGMA page_count")
	return pages > 0, err
}

// rewrite rewrites the whole database, with checksums.
func rewrite(c *conn) error {
	if err := c.Exec("VACUUM"); err != nil {
		return err
	}
	_, _, err := c.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
	return err
}
