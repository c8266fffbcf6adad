package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// ownModule is the path of the root's module; the others are below it.
const ownModule = "github.com/turnstile-go/turnstile"

// module of the repository, by its folder: "" is the root's.
type module string

// released are the modules that are tagged together: whoever requires several of
// them requires one version.
var released = []module{"", "sqlite", "lint", "otel", "cmd/turnstile"}

// others require them, and are for those who work on the repository.
var others = []module{"tools/bench", "tools/browsertest", "tools/smoke"}

func (m module) path() string { return path.Join(ownModule, string(m)) }

// tag is the name under which the go command looks for a version of the module.
func (m module) tag(version string) string { return path.Join(string(m), version) }

// repository is a checkout of it.
type repository struct {
	root string
	// version that its modules require of each other: the one to be released.
	version string
}

func open(root string) (*repository, error) {
	r := &repository{root: root}
	for _, m := range append(released[1:], others...) {
		f, err := r.goMod(m)
		if err != nil {
			return nil, err
		}
		for _, required := range f.Require {
			switch {
			case !own(required.Mod.Path):
			case r.version == "":
				r.version = required.Mod.Version
			case required.Mod.Version != r.version:
				return nil, fmt.Errorf("%s requires %s, others require %s: run `release set VERSION`", f.Syntax.Name, required.Mod, r.version)
			}
		}
		if len(f.Replace) > 0 {
			return nil, fmt.Errorf("%s has a replace directive, so it cannot be installed: replace modules in go.work", f.Syntax.Name)
		}
	}
	return r, nil
}

func own(modulePath string) bool {
	return modulePath == ownModule || strings.HasPrefix(modulePath, ownModule+"/")
}

func (r *repository) goMod(m module) (*modfile.File, error) {
	name := filepath.Join(r.root, string(m), "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}

// set writes the version into each go.mod, and into go.work.
func (r *repository) set(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("%q is no version: write it like v0.2.0", version)
	}
	if major := semver.Major(version); major != "v0" && major != "v1" {
		return fmt.Errorf("%s would have to stand in the paths of all modules (%s/%s): rename them first", version, ownModule, major)
	}
	for _, m := range append(released[1:], others...) {
		f, err := r.goMod(m)
		if err != nil {
			return err
		}
		for _, required := range f.Require {
			if own(required.Mod.Path) {
				if err := f.AddRequire(required.Mod.Path, version); err != nil {
					return err
				}
			}
		}
		data, err := f.Format()
		if err != nil {
			return err
		}
		if err := os.WriteFile(f.Syntax.Name, data, 0o644); err != nil {
			return err
		}
	}
	return r.setWorkspace(version)
}

func (r *repository) setWorkspace(version string) error {
	name := filepath.Join(r.root, "go.work")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return err
	}
	for _, replaced := range f.Replace {
		if !own(replaced.Old.Path) {
			continue
		}
		replaced.Old.Version = version
		for i, word := range replaced.Syntax.Token {
			if semver.IsValid(word) {
				replaced.Syntax.Token[i] = version
			}
		}
	}
	return os.WriteFile(name, modfile.Format(f.Syntax), 0o644)
}
