package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/turnstile-go/turnstile/sqlite"
)

// oddNames are names of folders with characters that mean something in a URI, a form, a shell or
// SQL.
var oddNames = []string{
	"a b", " ", "a+b", "100%", "%41", "%2F", "%zz", "what?", "a#b", "a&b=c", "it's", "semi;colon", "a=b", "[brackets]", "{braces}", "~tilde", "a:b", "@", "!", "$HOME",
	`"quoted"`, "`back`", `back\slash`, "a|b", "<a>", "*", "tab\tbed", "line\nbreak", "größe", "日本語", "🚂", "e\u0301", "file:x", "\xff",
}

// onWindows reports whether a folder of Windows can have the name.
func onWindows(name string) bool {
	return !strings.ContainsAny(name, "?<>|*\"\\:\t\n\xff") && name != " "
}

func TestADatabaseIsOpenedInAFolderOfAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range oddNames {
		if runtime.GOOS == "windows" && !onWindows(name) {
			continue
		}
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil && !isUTF8(name) {
			continue // A file system that takes only UTF-8.
		} else if err != nil {
			t.Fatal(err)
		}
		db, err := sqlite.Open(dir)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		copied := filepath.Join(dir, "a copy of "+strings.ReplaceAll(name, ":", "")+".db")
		if err := errors.Join(db.Backup(t.Context(), copied), db.Close()); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		for file := range files(t, dir) {
			if want := filepath.Base(copied); file != sqlite.FileName && file != want {
				t.Errorf("%q: there is a file %q", name, file)
			}
		}
		for _, file := range []string{filepath.Join(dir, sqlite.FileName), copied} {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
		if err := sqlite.Remove(dir); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func isUTF8(s string) bool { return strings.ToValidUTF8(s, "") == s }

// asked is a file system that keeps what SQLite asks it for.
type asked struct {
	vfs.VFS
	path, modeOf string
}

// FullPathname implements vfs.VFS.
func (a *asked) FullPathname(name string) (string, error) { return name, nil }

// OpenFilename implements vfs.VFSFilename.
func (a *asked) OpenFilename(name *vfs.Filename, _ vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	a.path, a.modeOf = name.String(), name.URIParameter("modeof")
	return nil, 0, sqlite3.CANTOPEN
}

// The paths of Windows are read as SQLite reads them, on every system.
func TestSQLiteReadsThePathOutOfTheURI(t *testing.T) {
	t.Parallel()
	at := &asked{VFS: vfs.Find("")}
	vfs.Register("asked + more", at)
	paths := []string{
		"/home/ann/turnstile.db", "C:/Users/Ann B/shop/turnstile.db", "C:/100% + #1 & co/größe/it's/turnstile.db", "//server/share/a b/turnstile.db", "//?/C:/long/turnstile.db",
	}
	for _, name := range oddNames {
		paths = append(paths, "/data/"+name+"/turnstile.db", "D:/"+name+"/turnstile.db")
	}
	for _, path := range paths {
		*at = asked{VFS: at.VFS}
		uri := sqlite.URI(path, "asked + more")
		if c, err := sqlite3.OpenFlags(uri, sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI); err == nil {
			t.Errorf("%q is open", path)
			_ = c.Close()
		}
		if at.path != path || at.modeOf != path {
			t.Errorf("%s: SQLite opens %q with the mode of %q, want %q", uri, at.path, at.modeOf, path)
		}
	}
}
