package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3/vfs"
)

// SQLite ignores a log (turnstile.db-wal) whose header it cannot read, and applies the log of another
// database, both without an error. Therefore the header of the database identifies its log by the
// random salts that SQLite puts into it: those of the newest log, and those that the log file had
// before, which it still has after a crash between the two writes. Opening the database compares them.
//
// The salts are stored where SQLite keeps zeros for later versions. SQLite never sees them, and the
// checksum of the page counts them as zeros. If a database has no salts, another program wrote it,
// and has already moved its log into the database file.

// Offsets in the header of a log: https://sqlite.org/fileformat2.html#the_write_ahead_log
const (
	logHeaderSize = 32
	logPageSize   = 8
	logSalts      = 16
	logChecksum   = 24
	saltsSize     = 8
)

// ownLogs to ownLogsEnd is where the header of a database identifies its logs.
const ownLogs, ownLogsEnd = 72, 72 + 2*saltsSize

// logged is the log of a database.
type logged struct {
	*file
	of *summed
}

// summedOf returns the database file that a log belongs to; nil if it is not a file of this file
// system.
func summedOf(f vfs.File) *summed {
	for {
		switch v := f.(type) {
		case *summed:
			return v
		case interface{ Unwrap() vfs.File }:
			f = v.Unwrap()
		default:
			return nil
		}
	}
}

// WriteAt records the log in the database before the log exists.
func (f *logged) WriteAt(p []byte, off int64) (int, error) {
	if off == 0 && len(p) == logHeaderSize && f.of != nil {
		if err := f.of.nameLog(f, p); err != nil {
			return 0, err
		}
	}
	return f.file.WriteAt(p, off)
}

// nameLog writes into the database the salts of its new log and of its previous log.
func (f *summed) nameLog(log *logged, header []byte) error {
	if size, err := f.file.Size(); err != nil || size < headerSize {
		return err
	}
	var names [2 * saltsSize]byte
	var was [logHeaderSize]byte
	if n, err := log.ReadAt(was[:], 0); n == logHeaderSize {
		copy(names[:], was[logSalts:logChecksum])
	} else if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	copy(names[saltsSize:], header[logSalts:logChecksum])
	if _, err := f.file.WriteAt(names[:], ownLogs); err != nil {
		return err
	}
	return f.file.Sync(vfs.SYNC_FULL)
}

// checkLog returns an error if the log next to a database, whose first page is given, is not its own. A
// log without a frame contains nothing that could be lost.
func checkLog(path string, page []byte) (err error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	f, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unwritable(path+"-wal", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header := make([]byte, logHeaderSize+1)
	if _, err := io.ReadFull(f, header); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	} else if err != nil {
		return unwritable(path+"-wal", err)
	}
	header = header[:logHeaderSize]
	if !validLog(header) || int(binary.BigEndian.Uint32(header[logPageSize:])) != pageSize(page) {
		return damaged(path, fmt.Errorf("the header of its log %s was changed", filepath.Base(f.Name())))
	}
	names, salts := string(page[ownLogs:ownLogsEnd]), string(header[logSalts:logChecksum])
	if names != string(make([]byte, 2*saltsSize)) && names[:saltsSize] != salts && names[saltsSize:] != salts {
		return damaged(path, fmt.Errorf("its log %s belongs to another database: if you have put this file in its place, move the log away", filepath.Base(f.Name())))
	}
	return nil
}

// validLog reports whether SQLite reads a log with this header.
func validLog(header []byte) bool {
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(header) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return false
	}
	var sum [2]uint32
	for at := 0; at < logChecksum; at += 8 {
		sum[0] += order.Uint32(header[at:]) + sum[1]
		sum[1] += order.Uint32(header[at+4:]) + sum[0]
	}
	const version = 3007000
	return binary.BigEndian.Uint32(header[4:]) == version &&
		binary.BigEndian.Uint32(header[logChecksum:]) == sum[0] && binary.BigEndian.Uint32(header[logChecksum+4:]) == sum[1]
}
