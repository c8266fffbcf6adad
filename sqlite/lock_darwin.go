package sqlite

// setOpenFileLock is F_OFD_SETLK, which package unix does not define on this system:
// https://github.com/apple/darwin-xnu/blob/main/bsd/sys/fcntl.h
const setOpenFileLock = 90
