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

// sources are the files and folders that a program is built from, except the standard library and
// versioned modules, which do not change.
type sources struct {
	// folders are the packages' folders, whose source files count.
	folders []string
	// files are other files that count, whether they exist or not: go.mod, go.sum, go.work and so on.
	files []string
	// embeds are patterns of embedded files. New files count too.
	embeds []embed
	// tree, if not empty, is a folder in which every source file at any depth counts.
	tree string
}

// embed is a pattern of a go:embed directive in a package's folder.
type embed struct{ folder, pattern string }

// listed is the output of go list for a package.
type listed struct {
	Dir           string
	Name          string
	Standard      bool
	EmbedPatterns []string
	Module        *struct {
		Path, Version, Dir, GoMod string
		Main                      bool
		Replace                   *struct{ Version string }
	}
}

// changeable reports whether a package's module can change: the main module, a module of the workspace,
// or one replaced by a folder.
func (p *listed) changeable() bool {
	m := p.Module
	return !p.Standard && m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// findSources finds the sources with go list. It ignores packages that cannot be loaded, such as those
// with syntax errors.
func findSources(ctx context.Context, dir, pkg string) (sources, error) {
	list := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-json=Dir,Name,Standard,EmbedPatterns,Module", "--", pkg)
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
			return sources{}, fmt.Errorf("decoding the output of go list %s: %w", pkg, err)
		}
		if p.Dir == "" || !p.changeable() {
			continue
		}
		s.folders = append(s.folders, p.Dir)
		for _, pattern := range p.EmbedPatterns {
			s.embeds = append(s.embeds, embed{p.Dir, pattern})
		}
		if mod := p.Module.GoMod; mod != "" {
			s.files = append(s.files, mod, strings.TrimSuffix(mod, ".mod")+".sum", filepath.Join(filepath.Dir(mod), "vendor", "modules.txt"))
		}
	}
	work, err := workspaces(dir)
	if err != nil {
		return sources{}, err
	}
	s.files = append(s.files, work...)
	slices.Sort(s.files)
	s.files = slices.Compact(s.files)
	return s, nil
}

// workspaces returns the go.work files that can apply to a folder: $GOWORK, or go.work in the folder or
// a parent folder, and their go.work.sum.
func workspaces(folder string) (files []string, err error) {
	add := func(file string) { files = append(files, file, file+".sum") }
	if file := os.Getenv("GOWORK"); file != "" {
		if file != "off" {
			add(file)
		}
		return files, nil
	}
	at, err := filepath.Abs(folder)
	for err == nil {
		add(filepath.Join(at, "go.work"))
		if at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return files, err
}

// snapshot maps paths of files to their modification times and sizes.
type snapshot map[string]stamp

type stamp struct{ modified, size int64 }

// look takes a snapshot. It omits unreadable files.
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
	for _, e := range s.embeds {
		now.addEmbedded(e)
	}
	if s.tree != "" {
		now.addTree(s.tree)
	}
	return now
}

// addEmbedded adds the files that a pattern embeds: matching files, and all files in matching folders,
// without hidden ones unless the pattern starts with all:.
func (s snapshot) addEmbedded(e embed) {
	pattern, hidden := strings.CutPrefix(e.pattern, "all:")
	folder := os.DirFS(e.folder)
	matches, _ := fs.Glob(folder, pattern) // An invalid pattern fails the build.
	for _, match := range matches {
		// What cannot be read is left out.
		_ = fs.WalkDir(folder, match, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir
			}
			skip := path != match && !hidden && (entry.Name()[0] == '.' || entry.Name()[0] == '_')
			switch {
			case skip && entry.IsDir():
				return fs.SkipDir
			case !skip && !entry.IsDir():
				s.add(filepath.Join(e.folder, filepath.FromSlash(path)))
			}
			return nil
		})
	}
}

// addTree adds the source files below a folder, except those in folders that the go command ignores.
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

// counts reports whether a file in a package's folder is built into the program. Names that start with a
// dot or an underscore belong to editors; the go command ignores them too.
func counts(name string) bool {
	return slices.Contains(built, filepath.Ext(name)) && !strings.HasSuffix(name, "_test.go") && name[0] != '.' && name[0] != '_'
}

// built lists the extensions of files that the go command builds: Go, assembly, and C with cgo.
var built = []string{".go", ".s", ".S", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".m", ".syso"}

func (s snapshot) add(path string) {
	if info, err := os.Stat(path); err == nil {
		s[path] = stamp{info.ModTime().UnixNano(), info.Size()}
	}
}

// changed returns the paths in which two snapshots differ, sorted.
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
