// Command site builds the site of the users' pages: it takes the Markdown files as they
// stand in the repository, makes pages of the Go API, lets Hugo and Pagefind build, and
// fails if a link of the result leads nowhere or a page needs another site to be shown.
// site.sh installs what it runs.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../..", "the repository")
	work := flag.String("work", "../../.local/site", "folder for what is built")
	mermaid := flag.String("mermaid", "", "the script that draws diagrams; without it they stay text")
	flag.Parse()
	if err := buildSite(*root, *work, *mermaid); err != nil {
		log.Fatal("site: ", err)
	}
}

func buildSite(root, work, mermaid string) error {
	startedAt := time.Now()
	source, site := filepath.Join(work, "source"), filepath.Join(work, "public")
	for _, dir := range []string{source, site} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	pages, err := prepare(root, filepath.Join(source, "content"))
	if err != nil {
		return err
	}
	packages, err := writeAPI(root, filepath.Join(source, "content", "api"))
	if err != nil {
		return err
	}
	if err := lay(root, source, mermaid); err != nil {
		return err
	}
	if err := run(source, "hugo", "--quiet", "--destination", site, "--panicOnWarning"); err != nil {
		return err
	}
	if err := run(source, "python", "-m", "pagefind", "--site", site, "--quiet"); err != nil {
		return err
	}
	links, err := check(site)
	if err != nil {
		return err
	}
	fmt.Printf("site: %d pages and %d packages of the API, %d links checked, in %s: %s\n", pages, packages, links, time.Since(startedAt).Round(100*time.Millisecond), site)
	return nil
}

// lay puts beside the content what Hugo builds with: layouts, styles, pictures, the menu.
func lay(root, source, mermaid string) error {
	here := filepath.Join(root, "tools", "site")
	for from, to := range map[string]string{
		filepath.Join(here, "layouts"):        "layouts",
		filepath.Join(here, "static"):         "static",
		filepath.Join(root, "docs", "images"): filepath.Join("static", "images"),
	} {
		if err := os.CopyFS(filepath.Join(source, to), os.DirFS(from)); err != nil {
			return err
		}
	}
	config, err := os.ReadFile(filepath.Join(here, "hugo.toml"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(source, "hugo.toml"), config, 0o644); err != nil {
		return err
	}
	if err := writeMenu(filepath.Join(source, "data", "menu.json")); err != nil {
		return err
	}
	for file, style := range map[string]string{"code-light.css": "github", "code-dark.css": "github-dark"} {
		css, err := exec.Command("hugo", "gen", "chromastyles", "--style="+style).Output()
		if err != nil {
			return fmt.Errorf("hugo gen chromastyles: %w", err)
		}
		if err := os.WriteFile(filepath.Join(source, "static", file), css, 0o644); err != nil {
			return err
		}
	}
	if mermaid == "" {
		return nil
	}
	script, err := os.ReadFile(mermaid)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(source, "static", "mermaid.js"), script, 0o644)
}

func run(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
