package livetrace

import "os"

// isTerminal reports whether what is written to a file reaches a person.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// columns returns how many columns a terminal has now.
func columns(f *os.File) int {
	if n := terminalColumns(f); n > 0 {
		return max(n, narrowest)
	}
	return usual
}
