package dev

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// sources are the places that a program is built from, but for the standard
// library and modules that cannot change: those of a version.
type sources struct {
	// folders of packages, of which Go files count.
	folders []string
	// files that count besides: go.mod and go.sum, and what is embedded.
	files []string
	// tree, if not empty, is a folder below which every Go file counts.
	tree string
}

// listed is what go list prints of a package.
type listed struct {
	Dir        string
	Name       string
	Standard   bool
	EmbedFiles []string
	Module     *struct {
		Path, Version, Dir, GoMod string
		Main                      bool
		Replace                   *struct{ Version string }
	}
}

// changeable reports whether a package is of a module that is being worked on:
// the program's own, one of its workspace, or one replaced by a folder.
func (p *listed) changeable() bool {
	m := p.Module
	return !p.Standard && m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// findSources asks the go command. What cannot be loaded, such as a file that
// does not parse, does not keep it from answering.
func findSources(ctx context.Context, dir, pkg string) (sources, error) {
	list := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-json=Dir,Name,Standard,EmbedFiles,Module", "--", pkg)
	list.Dir = dir
	var out, problems bytes.Buffer
	list.Stdout, list.Stderr = &out, &problems
	if err := list.Run(); err != nil {
		return sources{}, fmt.Errorf("go list %s: %w\n%s", pkg, err, bytes.TrimSpace(problems.Bytes()))
	}
	var s sources
	for decoder := json.NewDecoder(&out); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return sources{}, fmt.Errorf("output of go list %s: %w", pkg, err)
		}
		if p.Dir == "" || !p.changeable() {
			continue
		}
		s.folders = append(s.folders, p.Dir)
		for _, file := range p.EmbedFiles {
			s.files = append(s.files, filepath.Join(p.Dir, file))
		}
		if mod := p.Module.GoMod; mod != "" {
			s.files = append(s.files, mod, strings.TrimSuffix(mod, ".mod")+".sum")
		}
	}
	slices.Sort(s.files)
	s.files = slices.Compact(s.files)
	return s, nil
}

// snapshot says how the files are: by their paths, when they were written and
// how long they are.
type snapshot map[string]stamp

type stamp struct{ modified, size int64 }

// look takes a snapshot. What cannot be read is not there.
func (s *sources) look() snapshot {
	now := snapshot{}
	for _, folder := range s.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			if counts(entry.Name()) && !entry.IsDir() {
				now.add(filepath.Join(folder, entry.Name()))
			}
		}
	}
	for _, file := range s.files {
		now.add(file)
	}
	if s.tree != "" {
		now.addTree(s.tree)
	}
	return now
}

// addTree adds the Go files below a folder, but for those in folders that the go
// command leaves out.
func (s snapshot) addTree(root string) {
	// What cannot be read is left out.
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // The root may be gone, and have no entry.
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && path != root && (name[0] == '.' || name[0] == '_' || name == "testdata" || name == "node_modules"):
			return fs.SkipDir
		case !entry.IsDir() && counts(name):
			s.add(path)
		}
		return nil
	})
}

// counts reports whether a file of a package's folder is built into the program.
// Names that begin with a dot or an underscore are those of editors, which the
// go command leaves out too.
func counts(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name[0] != '.' && name[0] != '_'
}

func (s snapshot) add(path string) {
	if info, err := os.Stat(path); err == nil {
		s[path] = stamp{info.ModTime().UnixNano(), info.Size()}
	}
}

// changed returns the paths that two snapshots differ in, sorted.
func (s snapshot) changed(since snapshot) []string {
	var paths []string
	for path, now := range s {
		if before, there := since[path]; !there || before != now {
			paths = append(paths, path)
		}
	}
	for path := range since {
		if _, there := s[path]; !there {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
