package main

import (
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	tag       = regexp.MustCompile(`<([a-z0-9]+)((?:\s+[a-zA-Z-]+(?:=(?:"[^"]*"|'[^']*'|[^\s>]+))?)*)\s*/?>`)
	attribute = regexp.MustCompile(`([a-zA-Z-]+)=(?:"([^"]*)"|'([^']*)'|([^\s>]+))`)
)

// check looks at every link of the built site: its file has to be there, and the anchor in
// it; and whatever a browser loads to show a page has to be the site's own. It returns how
// many links it looked at.
func check(site string) (int, error) {
	type reference struct{ from, to string }
	var links []reference
	anchors := map[string][]string{} // by the file of a page
	var problems []error
	err := filepath.WalkDir(site, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(site, name)
		if err != nil {
			return err
		}
		file := filepath.ToSlash(relative)
		if !strings.HasSuffix(file, ".html") {
			anchors[file] = nil
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		anchors[file] = []string{""}
		for _, t := range tag.FindAllStringSubmatch(string(text), -1) {
			for _, a := range attribute.FindAllStringSubmatch(t[2], -1) {
				value := html.UnescapeString(a[2] + a[3] + a[4])
				switch {
				case a[1] == "id":
					anchors[file] = append(anchors[file], value)
				case a[1] == "href" && t[1] == "a":
					links = append(links, reference{file, value})
				case a[1] == "src", a[1] == "srcset", a[1] == "href" && t[1] == "link":
					if strings.Contains(value, "//") {
						problems = append(problems, fmt.Errorf("%s loads %s from elsewhere", file, value))
						continue
					}
					links = append(links, reference{file, value})
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, l := range links {
		if strings.Contains(l.to, ":") {
			continue // Elsewhere.
		}
		name, anchor, _ := strings.Cut(l.to, "#")
		if unescaped, err := url.PathUnescape(anchor); err == nil {
			anchor = unescaped
		}
		to := l.from
		if name != "" {
			to = path.Join(path.Dir(l.from), name)
		}
		ids, there := anchors[to]
		switch {
		case !there:
			problems = append(problems, fmt.Errorf("%s links to %s, which is not there", l.from, l.to))
		case anchor != "" && !slices.Contains(ids, anchor):
			problems = append(problems, fmt.Errorf("%s links to %s, and %s has no such anchor", l.from, l.to, to))
		}
	}
	if len(links) < 500 {
		problems = append(problems, fmt.Errorf("found %d links only: the check has lost the pages", len(links)))
	}
	return len(links), errors.Join(problems...)
}
