package scaffold

import (
	"fmt"
	"path/filepath"
	"regexp"
)

// Modules that a project requires.
const (
	OwnModule      = "github.com/turnstile-go/turnstile"
	DatabaseModule = OwnModule + "/sqlite"
)

var modulePath = regexp.MustCompile(`^[A-Za-z0-9_~][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// IsModule reports whether the go command takes a path for a module and for imports of its packages.
func IsModule(path string) bool { return modulePath.MatchString(path) }

// NoSourceError says that a folder does not hold the source of Turnstile.
type NoSourceError struct{ Folder string }

func (e *NoSourceError) Error() string {
	return fmt.Sprintf("%s: no source of Turnstile is there; name the folder whose go.mod says module %s", e.Folder, OwnModule)
}

// GoMod is the go.mod of a project, and which Turnstile that is, in words.
func GoMod(module, source string) (text []byte, from string, err error) {
	head := "module " + module + "\n\ngo 1.26\n"
	version := ReleasedVersion()
	if source == "" && version == "" {
		source = builtFrom()
	}
	switch {
	case source != "":
		if source, err = filepath.Abs(source); err != nil {
			return nil, "", err
		}
		if !isSource(source) {
			return nil, "", &NoSourceError{source}
		}
		for _, m := range []struct{ path, folder string }{{OwnModule, source}, {DatabaseModule, filepath.Join(source, "sqlite")}} {
			head += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %q\n", m.path, m.path, m.folder)
		}
		from = "the source of Turnstile in " + source
	case version != "":
		// Modules of one repository are released together.
		head += fmt.Sprintf("\nrequire (\n\t%s %s\n\t%s %s\n)\n", OwnModule, version, DatabaseModule, version)
		from = "Turnstile " + version
	default:
		// go mod tidy finds it.
		from = "the newest release of Turnstile"
	}
	return []byte(head), from, nil
}
