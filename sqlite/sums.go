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

// sumSize is how many bytes at the end of each page of a database are its
// checksum: CRC-32C, begun with the number of the page, of what stands in front. SQLite
// leaves them alone, because the header says that so many are reserved.
//
// Zero is no checksum. A page has none in memory and in the log, so what another
// program takes from there into a file (a copy, a restored log, a checkpoint after
// a crash) is read as it is, and gets its checksum when it is written here.
const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumOf is the checksum of the page that stands at an offset.
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

// changing are the parts of the header that a program which copies the pages
// changes: counters of changes, and its version. SQLite trusts none of them alone. So do the
// names of the logs (log.go), which count as the zeros that SQLite has there.
var changing = []struct{ from, to int }{{24, 28}, {40, 44}, {ownLogs, ownLogsEnd}, {92, 100}}

// sumIn is the place of a page's checksum.
func sumIn(page []byte) []byte { return page[len(page)-sumSize:] }

// intact reports whether a page is as it was written, as far as can be told.
func intact(page []byte, off int64) bool {
	sum := binary.BigEndian.Uint32(sumIn(page))
	return sum == 0 || sum == sumOf(page, off)
}

// summed is the file of a database, whose pages have checksums.
type summed struct {
	*file
	// page is the size of its pages; 0 as long as they have no checksums.
	page int
}

// see takes the size of pages from the header.
func (f *summed) see(p []byte, off int64) {
	if off != 0 || len(p) < headerSize || !strings.HasPrefix(string(p[:len(headerMagic)]), headerMagic) {
		return
	}
	f.page = 0
	if p[headerReserved] == sumSize {
		f.page = pageSize(p)
	}
}

// pageSize is what the header of a database says; 0 where that cannot be.
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

// logsIn is where what is read or written at an offset names the logs; empty if it does not.
func logsIn(p []byte, off int64) []byte {
	if off != 0 || len(p) < headerSize {
		return nil
	}
	return p[ownLogs:ownLogsEnd]
}

func (f *summed) WriteAt(p []byte, off int64) (int, error) {
	f.see(p, off)
	if names := logsIn(p, off); names != nil {
		// SQLite does not know them, and has zeros there.
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

// DeviceCharacteristics has SQLite read whole pages.
func (f *summed) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return f.file.DeviceCharacteristics() &^ vfs.IOCAP_SUBPAGE_READ
}

// reserve has pages keep room for their checksums: at once in a file that has
// nothing yet, otherwise by writing it anew, as one has to be that sqlite3 has
// made of what it saved from a damaged one.
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

// rewrite writes the whole database anew, with checksums.
func rewrite(c *conn) error {
	if err := c.Exec("VACUUM"); err != nil {
		return err
	}
	_, _, err := c.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
	return err
}
