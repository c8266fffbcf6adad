// Package page is the browser's side of the console: plain files, embedded.
package page

import (
	"embed"
	"io/fs"
)

//go:embed *
var all embed.FS

// Files returns the files of the page, index.html at the root.
func Files() fs.FS { return all }
