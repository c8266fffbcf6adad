// Package page holds the files of the console's page: plain ES modules, styles and two small
// libraries. There is no build step; Read leaves out comments. Every URL in them is relative, so
// that the page works under any path that ends in a slash.
package page

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

//go:embed index.html icon.svg *.js actions components instance styles views vendor
var files embed.FS

// Files returns the files, without Go files; index.html is at the top.
func Files() fs.FS { return files }

// Read returns a file as it is served: without the comments in our own scripts and styles, a seventh of
// what a browser loads. The lines of scripts stay, empty, so that an error gives the correct line of the
// file.
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile(name)
	if err == nil && path.Ext(name) == ".css" {
		return regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAll(text, nil), nil
	}
	if err != nil || path.Ext(name) != ".js" || strings.HasPrefix(name, "vendor/") {
		return text, err
	}
	// A line that has only a comment. This is not a package variable, because a program without the
	// console would then link it, and the page with it.
	comment := regexp.MustCompile(`(?m)^[ \t]*//.*$`)
	return comment.ReplaceAll(text, nil), nil
}
