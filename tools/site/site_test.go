package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

func TestALinkLeadsToThePageOfTheSiteOrToTheForge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, to, want string }{
		{"README.md", "docs/guide/cost.md", "guide/cost.html"},
		{"README.md", "docs/images/order-dark.png", "images/order-dark.png"},
		{"docs/deploy.md", "guide/upgrade.md#roll-back", "guide/upgrade.html#roll-back"},
		{"docs/guide/stuck.md", "../troubleshooting.md#corrupt", "../troubleshooting.html#corrupt"},
		{"docs/guide/stuck.md", "../images/stuck-dark.png", "../images/stuck-dark.png"},
		{"docs/guide/cost.md", "../internal/performance.md#replay", forge + "blob/main/docs/internal/performance.md#replay"},
		{"docs/guide/errors.md", "../../examples/files", forge + "tree/main/examples/files"},
		{"docs/guide/errors.md", "#in-the-turn", "#in-the-turn"},
		{"docs/guide/errors.md", "https://example.com/a.md", "https://example.com/a.md"},
	} {
		if got := target(root, c.file, c.to); got != c.want {
			t.Errorf("%s links to %s: got %s, want %s", c.file, c.to, got, c.want)
		}
	}
	const code = "```go\nm[\"a\"](b.md)\n```\n"
	if got := links(root, "docs/deploy.md", "[a](cli.md)\n\n"+code+"[b](cli.md)\n"); got != "[a](cli.html)\n\n"+code+"[b](cli.html)\n" {
		t.Errorf("links around code came to\n%s", got)
	}
}

func TestABrokenLinkFails(t *testing.T) {
	t.Parallel()
	site := t.TempDir()
	for name, text := range map[string]string{
		"index.html":   `<a href="guide/a.html#there">a</a> <a href="guide/a.html#gone">b</a> <a href='guide/none.html'>c</a>` + strings.Repeat(`<a href="guide/a.html">d</a>`, 500),
		"guide/a.html": `<h2 id="there">There</h2> <a href=../index.html>up</a> <script src="https://example.com/x.js"></script>`,
	} {
		if err := write(filepath.Join(site, name), text); err != nil {
			t.Fatal(err)
		}
	}
	n, err := check(site)
	if err == nil || n != 504 {
		t.Fatalf("looked at %d links: %v", n, err)
	}
	for _, want := range []string{"guide/a.html has no such anchor", "guide/none.html, which is not there", "loads https://example.com/x.js from elsewhere"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%v", want, err)
		}
	}
	if lines := strings.Count(err.Error(), "\n") + 1; lines != 3 {
		t.Errorf("%d problems:\n%v", lines, err)
	}
}

func TestThePageOfAPackageHasItsDeclarationsAndLinks(t *testing.T) {
	t.Parallel()
	text, err := api(root, public[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# package turnstile", "## type Activity {#Activity}", "## func Activity.Call {#Activity.Call}", "[NewActivity](#NewActivity)", "```go\nfunc Sleep("} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, p := range public {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p.dir))); err != nil {
			t.Error(err)
		}
	}
}
