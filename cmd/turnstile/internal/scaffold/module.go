package scaffold

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Modules that a project requires.
const (
	OwnModule      = "github.com/turnstile-go/turnstile"
	DatabaseModule = OwnModule + "/sqlite"
)

var modulePath = regexp.MustCompile(`^[A-Za-z0-9_~][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`)

// ofWindows matches an element of a path that Windows reserves for a device.
var ofWindows = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// shortName matches the end of an element that could be a short file name on Windows.
var shortName = regexp.MustCompile(`~[0-9]+$`)

// ModuleProblem returns why the go command does not accept a path for a module and imports of its
// packages; "" if it does.
func ModuleProblem(path string) string {
	if !modulePath.MatchString(path) {
		return "it may have only ASCII letters, digits and -._~ between slashes"
	}
	switch path {
	case "go", "toolchain", "std", "cmd":
		return "the go command reserves this name"
	}
	for element := range strings.SplitSeq(path, "/") {
		switch {
		case element == "vendor":
			return "a package in a folder named vendor cannot be imported"
		case strings.HasSuffix(element, "."), shortName.MatchString(element), ofWindows.MatchString(element):
			return fmt.Sprintf("the go command rejects %q, because Windows does not allow a folder with this name", element)
		}
	}
	return ""
}

// NoSourceError is returned if a folder does not have the source of Turnstile.
type NoSourceError struct{ Folder string }

func (e *NoSourceError) Error() string {
	return fmt.Sprintf("%s does not have the source of Turnstile: give the folder whose go.mod has module %s", e.Folder, OwnModule)
}

// GoMod returns the go.mod of a project, and a description of the Turnstile that it requires.
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
