//go:build unix && !aix && !solaris && !illumos

package livetrace

import (
	"os"
	"syscall"
	"unsafe"
)

// terminalColumns asks the terminal; 0 if the terminal does not report its width.
func terminalColumns(f *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	raw, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	// Control does not fail for an open file; for a closed one, the size stays 0.
	_ = raw.Control(func(fd uintptr) {
		syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	})
	return int(size.columns)
}
