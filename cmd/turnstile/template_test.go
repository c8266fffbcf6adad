package main

import (
	"os"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
)

// A template of before with changes of its author's gets what has changed since, and
// keeps the author's; where both changed a line, it has both.
func TestTemplateUpgrade(t *testing.T) {
	newest, err := project.ReadFile("project/" + scaffold.TemplateFile)
	if err != nil {
		t.Fatal(err)
	}
	const description, resources = "\nDescription:", "\nResources:\n"
	before := strings.Replace(string(newest), resources, "\n# as it was\nResources:\n", 1)
	own := before + "\n  # A table of my own.\n"
	if before == string(newest) || !strings.Contains(before, description) {
		t.Fatal("the template has no such lines any more: choose others")
	}
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t)
	t.Chdir(t.TempDir())
	b.fails(exitUsage, []string{"no template.yaml in this folder"}, "template", "upgrade")
	write(scaffold.TemplateFile, own)
	b.fails(exitUsage, []string{"no template.base.yaml"}, "template", "upgrade")
	write(scaffold.TemplateBase, before)
	if out := b.ok("template", "upgrade", "--dry-run"); !strings.Contains(out, "\n-# as it was\n") || read(scaffold.TemplateFile) != own {
		t.Errorf("a dry run shows\n%s", out)
	}
	if r := b.run("template", "upgrade"); r.status != exitUsage || !strings.Contains(r.err, "--yes") || read(scaffold.TemplateFile) != own {
		t.Errorf("with nobody to ask: exit status %d, %s", r.status, r.err)
	}
	b.ok("template", "upgrade", "--yes")
	if got := read(scaffold.TemplateFile); got != string(newest)+"\n  # A table of my own.\n" || read(scaffold.TemplateBase) != string(newest) {
		t.Errorf("merged it is\n%s", got)
	}
	if out := b.ok("template", "upgrade"); out != "template.yaml is up to date\n" {
		t.Errorf("once more: %s", out)
	}
	write(scaffold.TemplateBase, before)
	write(scaffold.TemplateFile, strings.Replace(before, "# as it was", "# as I want it", 1))
	r := b.run("template", "upgrade", "--yes")
	if got := read(scaffold.TemplateFile); r.status != exitFailed || !strings.Contains(r.err, "1 place") || !strings.Contains(got, "<<<<<<< yours\n# as I want it\n") {
		t.Errorf("both changed a line: exit status %d, %s\n%s", r.status, r.err, got)
	}
}
