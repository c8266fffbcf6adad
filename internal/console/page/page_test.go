package page_test

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/page"
)

// read returns all files of the page by their paths.
func read(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(page.Files(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(page.Files(), p)
		files[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// served reports whether a browser loads the file: licences are not.
func served(name string) bool {
	return slices.Contains([]string{".html", ".js", ".css", ".svg"}, path.Ext(name))
}

// ours reports whether the file is a script of the page itself.
func ours(name string) bool {
	return path.Ext(name) == ".js" && !strings.HasPrefix(name, "vendor/")
}

func TestPageAndLibrariesStayUnder150KBCompressed(t *testing.T) {
	t.Parallel()
	const limit = 150 << 10
	total := 0
	for name := range read(t) {
		if !served(name) {
			continue
		}
		text, err := page.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		total += b.Len()
	}
	t.Logf("%d bytes compressed, of %d", total, limit)
	if total > limit || total < 10<<10 {
		t.Errorf("the page has %d bytes compressed; it has to stay under %d (and cannot have less than 10 KB)", total, limit)
	}
}

// What is served has the code of the files, on the same lines. A line of a template that
// begins like a comment would be lost; a number of backquotes before it that is odd gives it away.
func TestCommentsAreNotServed(t *testing.T) {
	t.Parallel()
	lost := 0
	for name, text := range read(t) {
		served, err := page.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		if path.Ext(name) == ".css" {
			rules := ""
			for rest := text; rest != ""; {
				before, after, _ := strings.Cut(rest, "/*")
				rules += before
				_, rest, _ = strings.Cut(after, "*/")
			}
			if string(served) != rules || strings.Contains(rules, "*/") || len(rules) == len(text) {
				t.Errorf("%s is not served without its comments", name)
			}
			continue
		}
		if !ours(name) {
			if string(served) != text {
				t.Errorf("%s is not served as it is", name)
			}
			continue
		}
		from, to := strings.Split(text, "\n"), strings.Split(string(served), "\n")
		if len(from) != len(to) {
			t.Fatalf("%s has %d lines, and %d as it is served", name, len(from), len(to))
		}
		quotes := 0
		for i := range from {
			switch {
			case from[i] == to[i]:
				quotes += strings.Count(from[i], "`") - strings.Count(from[i], "\\`")
			case !strings.HasPrefix(strings.TrimSpace(from[i]), "//") || to[i] != "":
				t.Errorf("%s:%d is served as %q: %s", name, i+1, to[i], from[i])
			case quotes%2 != 0:
				t.Errorf("%s:%d is left out, and stands in a template: %s", name, i+1, from[i])
			default:
				lost++
			}
		}
	}
	if lost < 500 {
		t.Errorf("only %d comments were left out", lost)
	}
}

func TestEveryFileOfTheFolderIsEmbedded(t *testing.T) {
	t.Parallel()
	files := read(t)
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(p) != ".go" && files[p] == "" {
			t.Errorf("%s is not embedded: name its folder in page.go", p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if path.Ext(name) == ".go" {
			t.Errorf("%s is embedded, and would be served", name)
		}
	}
}

var imported = regexp.MustCompile(`(?m)(?:^(?:import|export)\b[^;"']*\bfrom\s*|\bimport\(\s*)["']([^"']+)["']`)

func TestEveryImportIsAnExistingRelativeFile(t *testing.T) {
	t.Parallel()
	files := read(t)
	seen := 0
	for name, text := range files {
		if path.Ext(name) != ".js" {
			continue
		}
		for _, m := range imported.FindAllStringSubmatch(text, -1) {
			seen++
			target := path.Join(path.Dir(name), m[1])
			if !strings.HasPrefix(m[1], ".") || files[target] == "" {
				t.Errorf("%s imports %q, which is no file of the page", name, m[1])
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d imports were found", seen)
	}
}

func TestEveryFileThatTheDocumentNamesExists(t *testing.T) {
	t.Parallel()
	files := read(t)
	names := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(files["index.html"], -1)
	if len(names) < 8 {
		t.Fatalf("only %d addresses were found", len(names))
	}
	for _, m := range names {
		if files[m[1]] == "" {
			t.Errorf("index.html names %q, which is no file of the page", m[1])
		}
	}
}

// The content security policy refuses these in a browser; here it is said which
// file has them. What a template puts between ${ and } is never markup.
func TestNothingNeedsInlineScriptsOrStyles(t *testing.T) {
	t.Parallel()
	banned := map[string]*regexp.Regexp{
		"markup made of text":  regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc`),
		"code made of text":    regexp.MustCompile(`\beval\(|new Function|javascript:`),
		"a style attribute":    regexp.MustCompile(`\sstyle="|\sstyle=\$\{["'` + "`" + `]|setAttribute\(["']style`),
		"an inline handler":    regexp.MustCompile(`<[^>]*\son[a-z]+="`),
		"an inline stylesheet": regexp.MustCompile(`<style\b`),
		"an inline script":     regexp.MustCompile(`<script\b[^>]*>\s*[^<\s]`),
		"another host":         regexp.MustCompile(`https?://(?:[^w]|w[^w])`),
	}
	// Where a link may lead: nothing is fetched from there.
	linked := map[string]string{"docs.js": "https://github.com/turnstile-go/turnstile/"}
	for name, text := range read(t) {
		if !ours(name) && name != "index.html" {
			continue
		}
		if to := linked[name]; to != "" {
			text = strings.ReplaceAll(text, to, "")
		}
		for what, pattern := range banned {
			if at := pattern.FindStringIndex(text); at != nil {
				t.Errorf("%s:%d has %s: %s", name, 1+strings.Count(text[:at[0]], "\n"), what, text[at[0]:at[1]])
			}
		}
	}
}

// What the page can do, a program can: only api.js and live.js speak with the server, and they by
// addresses of the API alone. That each is in openapi.json the browser's tests find.
func TestThePageCallsNothingButTheAPI(t *testing.T) {
	t.Parallel()
	speaks := regexp.MustCompile(`\bfetch\(|new EventSource\(|XMLHttpRequest|sendBeacon|WebSocket`)
	for name, text := range read(t) {
		if ours(name) && speaks.MatchString(text) && name != "api.js" && name != "live.js" {
			t.Errorf("%s speaks with the server by %s: use api.js", name, speaks.FindString(text))
		}
	}
	for name, want := range map[string]string{"api.js": `new URL("api/v1/" + path, document.baseURI)`, "live.js": `url("live"`} {
		if !strings.Contains(read(t)[name], want) {
			t.Errorf("%s has no %s: the test has lost where addresses are made", name, want)
		}
	}
}
