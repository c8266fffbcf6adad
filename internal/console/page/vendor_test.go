package page_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// vendored are the files of vendor/ and the SHA-256 of the file in the npm
// package that each is a copy of; vendor/README.md has the versions.
var vendored = []struct {
	file, sum string
	// The one change that was made: what the package's file has, and what stands
	// in its place.
	had, has string
}{
	{file: "vendor/preact/preact.js", sum: "bdcbd9abdf2c77c5c45326eab42191e949222d479d0d5f69467387a77040cb55"},
	{file: "vendor/preact/hooks.js", sum: "e862ab2973aa6455eaa0f77c5d832d2157d6be59a17c8ba546550a575b58c6b4", had: `from"preact"`, has: `from"./preact.js"`},
	{file: "vendor/htm/htm.js", sum: "ab33dd3f38059b9be4d5f5350128eefb2356639c4e0bbe9d9e8b3ba75847e9e4"},
}

func TestVendoredLibrariesAreThoseOfTheirPackages(t *testing.T) {
	t.Parallel()
	files := read(t)
	known := map[string]bool{"vendor/README.md": true, "vendor/preact/LICENSE": true, "vendor/htm/LICENSE": true}
	for name := range known {
		if files[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for _, v := range vendored {
		known[v.file] = true
		text := files[v.file]
		if v.has != "" {
			if strings.Count(text, v.has) != 1 {
				t.Errorf("%s has %q %d times, and should have it once", v.file, v.has, strings.Count(text, v.has))
			}
			text = strings.Replace(text, v.has, v.had, 1)
		}
		sum := sha256.Sum256([]byte(text))
		if got := hex.EncodeToString(sum[:]); got != v.sum {
			t.Errorf("%s is not the file of the package: SHA-256 is %s, want %s", v.file, got, v.sum)
		}
	}
	for name := range files {
		if strings.HasPrefix(name, "vendor/") && !known[name] {
			t.Errorf("%s: a vendored file that vendor_test.go and vendor/README.md do not name", name)
		}
	}
}
