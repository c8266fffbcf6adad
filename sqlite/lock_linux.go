package sqlite

import "golang.org/x/sys/unix"

// setOpenFileLock is F_OFD_SETLK.
const setOpenFileLock = unix.F_OFD_SETLK
