package sqlite

import "golang.org/x/sys/windows"

// noSpaceErrors are the error numbers for a full disk.
var noSpaceErrors = []windows.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
