package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/console/page"
)

// static serves the files of the page.
type static map[string]*staticFile

type staticFile struct {
	kind, tag string
	// text, and the same compressed.
	text, zipped []byte
}

// contentTypes are the types of the page's files; no other file is served. The machine's own table
// could give a script a type that a browser does not run.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".json": "application/json; charset=utf-8", ".png": "image/png", ".woff2": "font/woff2",
}

var (
	served     static
	servedOnce sync.Once
)

// servedFiles returns the page's files. The first request for the page reads and compresses them,
// because most commands of the command line make a handler only for its API. They are not an
// initialized variable, because a program without the console would then link them.
func servedFiles() static {
	servedOnce.Do(func() {
		var err error
		if served, err = newPage(); err != nil {
			panic(fmt.Sprintf("console: the embedded files of the page cannot be read: %v", err))
		}
	})
	return served
}

func newPage() (static, error) {
	all := static{}
	return all, fs.WalkDir(page.Files(), ".", func(name string, entry fs.DirEntry, err error) error {
		kind := contentTypes[path.Ext(name)]
		if err != nil || entry.IsDir() || kind == "" {
			return err
		}
		text, err := page.Read(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		// Writing to a buffer cannot fail.
		_, _ = z.Write(text)
		_ = z.Close()
		all[name] = &staticFile{kind: kind, tag: hex.EncodeToString(sum[:8]), text: text, zipped: zipped.Bytes()}
		return nil
	})
}

func (s static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		refuse(w, api.Errorf(api.CodeMethodNotAllowed, "the page accepts GET, not %s", clip(r.Method, 20)))
		return
	case r.URL.Path == "":
		// The console is mounted under a path, and the request lacks the slash at the end, so
		// relative URLs would lead out of the path.
		w.Header().Set("Location", "./"+path.Base(requested(r))+"/")
		w.WriteHeader(http.StatusMovedPermanently)
		return
	case name == "":
		name = "index.html"
	}
	f := s[name]
	if f == nil {
		refuse(w, api.Errorf(api.CodeNoSuchRoute, "the console has no %q", clip(name, 100)))
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	// The browser revalidates the file each time, and gets it only if it has changed.
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	text := f.text
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		h.Set("ETag", `"`+f.tag+`-z"`)
		text = f.zipped
	} else {
		h.Set("ETag", `"`+f.tag+`"`)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// requested returns the path that the browser requested, before a prefix was stripped.
func requested(r *http.Request) string {
	p, _, _ := strings.Cut(r.RequestURI, "?")
	return p
}
