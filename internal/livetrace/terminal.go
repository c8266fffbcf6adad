package livetrace

import "os"

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// columns returns the current number of columns of a terminal.
func columns(f *os.File) int {
	if n := terminalColumns(f); n > 0 {
		return max(n, narrowest)
	}
	return usual
}
