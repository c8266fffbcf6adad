package scaffold

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// ReleasedVersion returns the version of Turnstile that this command was installed
// with; empty for one that was built from source.
func ReleasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == OwnModule && module.Replace == nil && strings.HasPrefix(module.Version, "v") {
			return module.Version
		}
	}
	return ""
}

// builtFrom returns the folder with the source that this command was built from; empty if the
// folder no longer exists, or the command was built with -trimpath.
func builtFrom() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	if folder := filepath.Dir(filepath.Join(filepath.Dir(file), "../../..")); isSource(folder) { // of cmd/turnstile/internal/scaffold/source.go
		return folder
	}
	return ""
}

// isSource reports whether a folder has the source of Turnstile.
func isSource(folder string) bool {
	data, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	return err == nil && strings.HasPrefix(string(data), "module "+OwnModule+"\n")
}

// WorkspaceOf returns the go.work of a parent folder, because of which the go command would treat
// the folder as a part of another project.
func WorkspaceOf(folder string) (file string, found bool) {
	for {
		folder = filepath.Dir(folder)
		file = filepath.Join(folder, "go.work")
		if _, err := os.Stat(file); err == nil {
			return file, true
		}
		if folder == filepath.Dir(folder) {
			return "", false
		}
	}
}
