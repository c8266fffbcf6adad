// Package page holds the files of the console's page: plain ES modules, styles
// and two small libraries, as they are served. There is no build step. Every
// address in them is relative, so that the page works under any path that ends
// in a slash.
package page

import (
	"embed"
	"io/fs"
)

//go:embed index.html icon.svg *.js actions components instance styles views vendor
var files embed.FS

// Files returns the files, index.html at the top; no Go files are among them.
func Files() fs.FS { return files }
