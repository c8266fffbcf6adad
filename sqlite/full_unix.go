//go:build unix

package sqlite

import "syscall"

// noSpaceErrors are the numbers by which the system says that there is no space.
var noSpaceErrors = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
