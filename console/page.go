package console

import (
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/turnstile-go/turnstile/console/api"
	"github.com/turnstile-go/turnstile/console/page"
)

// static serves the files of the browser's side.
type static struct{ files fs.FS }

func newPage() http.Handler { return &static{page.Files()} }

func (p *static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		refuse(w, api.Errorf(api.CodeMethodNotAllowed, "the page takes GET, not %s", clip(r.Method, 20)))
		return
	case r.URL.Path == "":
		// Mounted under a path, and asked for without the slash at its end:
		// relative addresses would lead out of it.
		w.Header().Set("Location", "./"+path.Base(requested(r))+"/")
		w.WriteHeader(http.StatusMovedPermanently)
		return
	case name == "":
		name = "index.html"
	}
	info, err := fs.Stat(p.files, name)
	if err != nil || info.IsDir() || strings.HasSuffix(name, ".go") {
		refuse(w, api.Errorf(api.CodeNoSuchRoute, "the console has no %q", clip(name, 100)))
		return
	}
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, p.files, name)
}

// requested is the path as the browser asked for it, before a prefix was
// stripped.
func requested(r *http.Request) string {
	p, _, _ := strings.Cut(r.RequestURI, "?")
	return p
}
