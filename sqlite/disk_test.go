package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/turnstile-go/turnstile/sqlite"
)

// disk is a file system of SQLite's, over that of this machine, which knows
// what has been synchronized and fails where it is told to.
type disk struct {
	vfs.VFS
	name string

	mu    sync.Mutex
	files map[string]*image
	// fails is asked before each "write" (with how many bytes it adds to the file)
	// and "sync".
	fails func(operation, file string, grows int64) error
	syncs int
}

// image is what is known of a file.
type image struct {
	synced []byte
	// pending is what was done since.
	pending []func([]byte) []byte
	size    int64
}

var disks atomic.Int64

// newDisk registers a disk until the test ends.
func newDisk(t testing.TB) *disk {
	d := &disk{VFS: vfs.Find("os"), name: fmt.Sprintf("disk-%d", disks.Add(1)), files: map[string]*image{}}
	vfs.Register(d.name, sqlite.Files(d))
	t.Cleanup(func() { vfs.Unregister(d.name) })
	return d
}

// failing has the disk fail from now on as f says; nil for never.
func (d *disk) failing(f func(operation, file string, grows int64) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = f
}

// synced returns how often something was synchronized.
func (d *disk) synced() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.syncs
}

func (d *disk) fail(operation, file string, grows int64) error {
	if d.fails == nil {
		return nil
	}
	return d.fails(operation, filepath.Base(file), grows)
}

func (d *disk) OpenFilename(of *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(d.VFS, of, flags)
	if err != nil {
		return nil, flags, err
	}
	name := of.String()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, flags, err
		}
		d.files[name] = &image{synced: content, size: int64(len(content))}
	}
	return &diskFile{File: f, disk: d, name: name}, flags, nil
}

func (d *disk) Delete(name string, syncDir bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.files, name)
	return d.VFS.Delete(name, syncDir)
}

// cut returns a directory with the files as they are after the machine has lost
// its power: of what was not synchronized, some, and one perhaps in part.
func (d *disk) cut(t testing.TB, random *rand.Rand) string {
	return d.copy(t, func(pending []func([]byte) []byte) []func([]byte) []byte {
		return slices.DeleteFunc(slices.Clone(pending), func(func([]byte) []byte) bool { return random.IntN(2) == 0 })
	})
}

// kill returns a directory with the files as they are after the process has
// died: with all that it wrote.
func (d *disk) kill(t testing.TB) string {
	return d.copy(t, func(pending []func([]byte) []byte) []func([]byte) []byte { return pending })
}

func (d *disk) copy(t testing.TB, left func([]func([]byte) []byte) []func([]byte) []byte) string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := t.TempDir()
	for name, i := range d.files {
		content := slices.Clone(i.synced)
		for _, change := range left(i.pending) {
			content = change(content)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type diskFile struct {
	vfs.File
	disk *disk
	name string
}

func (f *diskFile) WriteAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	i := f.disk.files[f.name]
	end := off + int64(len(p))
	if err := f.disk.fail("write", f.name, max(0, end-i.size)); err != nil {
		return 0, err
	}
	p = slices.Clone(p)
	i.size = max(i.size, end)
	i.pending = append(i.pending, func(content []byte) []byte {
		if int64(len(content)) < end {
			content = append(content, make([]byte, end-int64(len(content)))...)
		}
		copy(content[off:], p)
		return content
	})
	return f.File.WriteAt(p, off)
}

func (f *diskFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	i := f.disk.files[f.name]
	i.size = size
	i.pending = append(i.pending, func(content []byte) []byte { return content[:min(size, int64(len(content)))] })
	return f.File.Truncate(size)
}

func (f *diskFile) Sync(flags vfs.SyncFlag) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.fail("sync", f.name, 0); err != nil {
		return err
	}
	i := f.disk.files[f.name]
	for _, change := range i.pending {
		i.synced = change(i.synced)
	}
	i.pending = nil
	f.disk.syncs++
	return nil // Not for real: nobody cuts the power.
}

func (f *diskFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f *diskFile) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f *diskFile) HasMoved() (bool, error)        { return vfsutil.WrapHasMoved(f.File) }
func (f *diskFile) PowersafeOverwrite() bool       { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *diskFile) SetPowersafeOverwrite(on bool)  { vfsutil.WrapSetPowersafeOverwrite(f.File, on) }
func (f *diskFile) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f *diskFile) SetPersistWAL(on bool)          { vfsutil.WrapSetPersistWAL(f.File, on) }
