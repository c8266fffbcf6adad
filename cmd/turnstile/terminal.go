package main

import (
	"io"
	"os"
)

// highlighted is a text in bold where that is shown.
func highlighted(w io.Writer, text string) string {
	file, isFile := w.(*os.File)
	if !isFile || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return text
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}
