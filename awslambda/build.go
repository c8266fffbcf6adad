package awslambda

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/debug"
)

// buildName returns a name for the binary that runs in this process. Different binaries have
// different names. A name is derived from information that is available without reading the whole
// binary: the build id that Go's linker added, unless it was disabled, the versions of the modules,
// and the file's size and time. If two builds nevertheless get the same name, the later one tries
// stuck instances when they are due, not immediately.
func buildName() string {
	h := sha256.New()
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info)
	}
	path, err := os.Executable()
	if err != nil {
		return hex.EncodeToString(h.Sum(nil)[:8])
	}
	if f, err := os.Stat(path); err == nil {
		fmt.Fprintln(h, f.Size(), f.ModTime().UnixNano())
	}
	if f, err := elf.Open(path); err == nil {
		if note := f.Section(".note.go.buildid"); note != nil {
			if id, err := note.Data(); err == nil {
				h.Write(id)
			}
		}
		_ = f.Close()
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
