// Package scaffold creates the files of a new project, with a go.mod that requires the command's
// version of Turnstile, and merges a newer template into a project.
package scaffold

import (
	"io/fs"
	"path"
	"strings"
)

// The files of a project's template: the deployed one, which its authors may change, and the
// original from Turnstile, to distinguish their changes from later ones.
const (
	TemplateFile = "template.yaml"
	TemplateBase = "template.base.yaml"
)

// Files returns the files of a project except its go.mod, by name. They are read from the folder
// project of a file system. There, files that would be hidden or part of the embedding module have
// .txt after their names. {{name}} and {{module}} in them are replaced by those of the project.
func Files(project fs.ReadFileFS, module string) (map[string][]byte, error) {
	files := map[string][]byte{}
	words := strings.NewReplacer("{{name}}", path.Base(module), "{{module}}", module)
	err := fs.WalkDir(project, "project", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := project.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, "project/"), ".txt")
		if first, rest, _ := strings.Cut(name, "/"); first == "gitignore" || first == "github" {
			name = "." + path.Join(first, rest)
		}
		files[name] = []byte(words.Replace(string(data)))
		return nil
	})
	files[TemplateBase] = files[TemplateFile]
	return files, err
}
