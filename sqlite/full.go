package sqlite

import (
	"errors"
	"slices"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// filesName is the name under which SQLite finds this file system.
const filesName = "turnstile"

func init() { vfs.Register(filesName, files{vfs.Find("")}) }

// files is a file system that reports a full disk to SQLite, and a database page that differs from the
// one that was written (sums.go). The driver's own file system reports a full disk only for bare error
// numbers; package os wraps them with the call and the file, and SQLite treats such an error like any
// other disk error.
type files struct{ vfs.VFS }

// OpenFilename implements vfs.VFSFilename.
func (fs files) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(fs.VFS, name, flags)
	if err != nil {
		return nil, flags, asFull(err)
	}
	if flags&vfs.OPEN_MAIN_DB != 0 {
		return &summed{file: &file{f}}, flags, nil
	}
	if flags&vfs.OPEN_WAL != 0 {
		return &logged{file: &file{f}, of: summedOf(name.DatabaseFile())}, flags, nil
	}
	return &file{f}, flags, nil
}

// file is an open file. Its optional methods have to be forwarded one by one.
type file struct{ vfs.File }

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, asFull(err)
}

func (f *file) SizeHint(size int64) error {
	return asFull(vfsutil.WrapSizeHint(f.File, size))
}

func (f *file) Unwrap() vfs.File               { return f.File }
func (f *file) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f *file) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f *file) HasMoved() (bool, error)        { return vfsutil.WrapHasMoved(f.File) }
func (f *file) PowersafeOverwrite() bool       { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *file) SetPowersafeOverwrite(on bool)  { vfsutil.WrapSetPowersafeOverwrite(f.File, on) }
func (f *file) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f *file) SetPersistWAL(on bool)          { vfsutil.WrapSetPersistWAL(f.File, on) }
func (f *file) BeginAtomicWrite() error        { return vfsutil.WrapBeginAtomicWrite(f.File) }
func (f *file) CommitAtomicWrite() error       { return asFull(vfsutil.WrapCommitAtomicWrite(f.File)) }
func (f *file) RollbackAtomicWrite() error     { return vfsutil.WrapRollbackAtomicWrite(f.File) }
func (f *file) SyncSuper(super string) error   { return vfsutil.WrapSyncSuper(f.File, super) }
func (f *file) CommitPhaseTwo() error          { return vfsutil.WrapCommitPhaseTwo(f.File) }
func (f *file) CheckpointStart()               { vfsutil.WrapCheckpointStart(f.File) }
func (f *file) CheckpointDone()                { vfsutil.WrapCheckpointDone(f.File) }

// asFull converts an error of the system for SQLite.
func asFull(err error) error {
	if noSpace(err) {
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return err
}

// noSpace reports whether an error of the system means that the disk is full or that this user's
// quota is used up.
func noSpace(err error) bool {
	number, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(noSpaceErrors, number)
}

// isFull reports whether an error of SQLite means that the disk is full. The shared-memory index of the
// log is not one of these files: an error from growing it has its own code, and a full disk is its only
// cause.
func isFull(err error) bool {
	return errors.Is(err, sqlite3.FULL) || errors.Is(err, sqlite3.IOERR_SHMSIZE) || errors.Is(err, sqlite3.CANTOPEN) && noSpace(err)
}
