// Package compiled lets tests type-check sources against packages that the go command has compiled,
// which takes milliseconds where a build takes seconds.
package compiled

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Importer compiles the packages, named as for the go command in dir ("" is the directory of the
// test), and returns an importer of them and of all that they import. It imports nothing else.
func Importer(t testing.TB, files *token.FileSet, dir string, packages ...string) types.Importer {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, packages...)...)
	list.Dir = dir
	var complaints bytes.Buffer
	list.Stderr = &complaints
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &complaints)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	return importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("go list reports no compiled package %q", path)
		}
		return os.Open(exports[path])
	})
}
