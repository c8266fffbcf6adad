package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// forge is where files are that are no pages of the site.
const forge = "https://github.com/turnstile-go/turnstile/"

// section is a heading of the menu with its pages, each by its file in the repository.
type section struct {
	Title string
	Pages []page
}

type page struct {
	Title, File string
}

// menu is every page of the site, in its order. docs/site_test.go
// holds that no page of docs and docs/guide is missing.
var menu = []section{
	{"Learn", []page{
		{"Turnstile", "README.md"}, {"Concepts", "docs/guide/concepts.md"}, {"Getting started", "docs/guide/getting-started.md"},
		{"Determinism", "docs/guide/determinism.md"}, {"From Temporal", "docs/guide/from-temporal.md"}, {"From Step Functions", "docs/guide/from-step-functions.md"},
		{"From durable functions", "docs/guide/from-durable-functions.md"}, {"From DBOS", "docs/guide/from-dbos.md"},
	}},
	{"Write", []page{
		{"Errors and retries", "docs/guide/errors.md"}, {"Concurrency", "docs/guide/concurrency.md"}, {"Events", "docs/guide/events.md"},
		{"Children", "docs/guide/children.md"}, {"Schedules", "docs/guide/schedules.md"}, {"Restart", "docs/guide/restart.md"}, {"Redrive", "docs/guide/redrive.md"}, {"Suspend", "docs/guide/suspend.md"},
		{"Search attributes", "docs/guide/search.md"}, {"Interceptors", "docs/guide/interceptors.md"}, {"Limits", "docs/guide/limits.md"},
		{"Limits over instances", "docs/guide/limits-over-instances.md"}, {"Queues", "docs/guide/queues.md"}, {"Recipes", "docs/guide/recipes.md"}, {"Lint", "docs/lint.md"},
		{"Testing", "docs/guide/testing.md"}, {"Versions", "docs/guide/versions.md"},
	}},
	{"Deploy", []page{
		{"Deploy", "docs/deploy.md"}, {"Upgrade and roll back", "docs/guide/upgrade.md"}, {"Settings", "docs/settings.md"},
		{"Customer key", "docs/guide/customer-key.md"}, {"AWS on your machine", "docs/local.md"}, {"One machine", "docs/guide/one-machine.md"},
	}},
	{"Operate", []page{
		{"Stuck instances", "docs/guide/stuck.md"}, {"Troubleshooting", "docs/troubleshooting.md"}, {"Operations", "docs/operations.md"},
		{"Delete data, retention", "docs/guide/retention.md"}, {"Events about instances", "docs/guide/instance-events.md"}, {"Command line", "docs/cli.md"}, {"Console", "docs/console.md"}, {"Agents", "docs/guide/agents.md"}, {"Telemetry", "docs/telemetry.md"},
	}},
	{"Decide", []page{
		{"Cost", "docs/guide/cost.md"}, {"Reliability", "docs/reliability.md"}, {"Security", "docs/security.md"},
		{"Performance", "docs/performance.md"}, {"Scale", "docs/scale.md"},
	}},
	{"Look up", []page{{"Messages", "docs/messages.md"}, {"Console API", "docs/console-api.md"}}},
}

// address is where a file of the repository is on the site, "" if it is not.
func address(file string) string {
	for _, s := range menu {
		for _, p := range s.Pages {
			if p.File == file {
				if file == "README.md" {
					return "index.html"
				}
				return strings.TrimSuffix(strings.TrimPrefix(file, "docs/"), ".md") + ".html"
			}
		}
	}
	return ""
}

// prepare writes the pages of the menu as Hugo takes them, and returns how many.
func prepare(root, content string) (int, error) {
	n := 0
	for _, s := range menu {
		for _, p := range s.Pages {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.File)))
			if err != nil {
				return n, err
			}
			name := strings.TrimSuffix(address(p.File), ".html") + ".md"
			if p.File == "README.md" {
				name = "_index.md"
			}
			if err := write(filepath.Join(content, filepath.FromSlash(name)), front(p.Title)+links(root, p.File, string(text))); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

func front(title string) string { return fmt.Sprintf("+++\ntitle = %q\n+++\n", title) }

var (
	fence = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")
	// link is the target of a link or picture of Markdown, outside code.
	link = regexp.MustCompile(`(\]\()([^)\s]+)(\))`)
	// source is a picture in a <picture> of the forge.
	source = regexp.MustCompile(`((?:src|srcset)=")([^"]+)(")`)
)

// links rewrites the links of a page: to other pages of the site, else to the forge.
func links(root, file, text string) string {
	rewrite := func(s string) string {
		for _, r := range []*regexp.Regexp{link, source} {
			s = r.ReplaceAllStringFunc(s, func(m string) string {
				part := r.FindStringSubmatch(m)
				return part[1] + target(root, file, part[2]) + part[3]
			})
		}
		return s
	}
	var b strings.Builder
	rest := text
	for _, at := range fence.FindAllStringIndex(text, -1) {
		b.WriteString(rewrite(rest[:at[0]-(len(text)-len(rest))]))
		b.WriteString(text[at[0]:at[1]])
		rest = text[at[1]:]
	}
	b.WriteString(rewrite(rest))
	return b.String()
}

// target is what a link in a file of the repository becomes on the site.
func target(root, file, to string) string {
	if strings.HasPrefix(to, "#") || strings.Contains(to, ":") {
		return to
	}
	name, anchor, _ := strings.Cut(to, "#")
	if anchor != "" {
		anchor = "#" + anchor
	}
	full := path.Join(path.Dir(file), name)
	if picture, ok := strings.CutPrefix(full, "docs/images/"); ok {
		return relative(address(file), "images/"+picture)
	}
	if a := address(full); a != "" {
		return relative(address(file), a) + anchor
	}
	kind := "blob/main/"
	if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(full))); err == nil && info.IsDir() {
		kind = "tree/main/"
	}
	return forge + kind + full + anchor
}

// relative is the way from one address of the site to another.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// writeMenu writes what the layout makes the menu of.
func writeMenu(file string) error {
	type entry struct{ Title, Address string }
	type part struct {
		Title string
		Pages []entry
	}
	var all []part
	for _, s := range menu {
		p := part{Title: s.Title}
		for _, one := range s.Pages {
			p.Pages = append(p.Pages, entry{one.Title, address(one.File)})
		}
		all = append(all, p)
	}
	api := part{Title: "Go API"}
	for _, one := range public {
		api.Pages = append(api.Pages, entry{one.name, "api/" + one.page() + ".html"})
	}
	text, err := json.MarshalIndent(append(all, api), "", "  ")
	if err != nil {
		return err
	}
	return write(file, string(text))
}
