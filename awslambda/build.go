package awslambda

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/debug"
)

// buildName names what runs in this process: another binary has another name. It
// is made of what can be learned without reading the whole of it: the id that Go's
// linker gave it, unless it was told not to, the versions of its modules, and the
// file's size and time. Where two builds have the same name all the same, the later
// one tries what is stuck when it is due, and not at once.
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
