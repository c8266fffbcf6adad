//go:build unix

package sqlite

import "syscall"

// noSpaceErrors are the error numbers for a full disk.
var noSpaceErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
