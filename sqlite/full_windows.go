package sqlite

import "golang.org/x/sys/windows"

// noSpaceErrors are the numbers by which the system says that there is no space.
var noSpaceErrors = []windows.Errno{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED}
