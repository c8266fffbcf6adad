// Package contexts stores named targets, such as a stack or a server, in a file of the user, so that a
// command line can name one with a word.
package contexts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Context is a named target. It has either a stack or a console.
type Context struct {
	Name    string `json:"name"`
	Stack   string `json:"stack,omitempty"`
	Region  string `json:"region,omitempty"`
	Profile string `json:"profile,omitempty"`
	Console string `json:"console,omitempty"`
	// KeyFile is the path of the file with the keys of encrypted payloads.
	KeyFile string `json:"keyFile,omitempty"`
	// Current is the context for commands that name no target.
	Current bool `json:"current,omitempty"`
}

// ErrUnknown reports that no context has the given name.
var ErrUnknown = errors.New("the context does not exist")

// named matches names of contexts, which need no quotes in a shell.
var named = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// IsName reports whether a context can have this name.
func IsName(name string) bool { return named.MatchString(name) }

// File is the path of the file with the contexts.
type File string

// OfUser returns the file in the user's configuration folder.
func OfUser() (File, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding your configuration folder: %w", err)
	}
	return File(filepath.Join(folder, "turnstile", "contexts.json")), nil
}

// content is the content of the file.
type content struct {
	Current  string             `json:"current,omitempty"`
	Contexts map[string]Context `json:"contexts"`
}

// All returns the contexts in the order of their names; none if there is no file.
func (f File) All() ([]Context, error) {
	c, err := f.read()
	if err != nil {
		return nil, err
	}
	all := []Context{}
	for _, name := range slices.Sorted(maps.Keys(c.Contexts)) {
		one := c.Contexts[name]
		one.Name, one.Current = name, name == c.Current
		all = append(all, one)
	}
	return all, nil
}

// Put adds a context, or replaces the one with the same name.
func (f File) Put(one Context) error {
	return f.change(func(c *content) error {
		name := one.Name
		if one.Current {
			c.Current = name
		}
		one.Name, one.Current = "", false // The map's key and content.Current store them.
		c.Contexts[name] = one
		return nil
	})
}

// Use makes a context the current one. An empty name unsets the current context.
func (f File) Use(name string) error {
	return f.change(func(c *content) error {
		if _, is := c.Contexts[name]; !is && name != "" {
			return ErrUnknown
		}
		c.Current = name
		return nil
	})
}

// Remove removes a context. If it was the current one, no context is current afterwards.
func (f File) Remove(name string) error {
	return f.change(func(c *content) error {
		if _, is := c.Contexts[name]; !is {
			return ErrUnknown
		}
		delete(c.Contexts, name)
		if c.Current == name {
			c.Current = ""
		}
		return nil
	})
}

func (f File) read() (*content, error) {
	c := &content{}
	text, err := os.ReadFile(string(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("reading the contexts: %w", err)
	default:
		if err := json.Unmarshal(text, c); err != nil {
			return nil, fmt.Errorf("reading the contexts in %s: %w", f, err)
		}
	}
	if c.Contexts == nil {
		c.Contexts = map[string]Context{}
	}
	return c, nil
}

// change replaces the file atomically, by renaming a temporary file. Only the user may read the file,
// because it names the files with keys.
func (f File) change(do func(*content) error) error {
	c, err := f.read()
	if err != nil {
		return err
	}
	if err := do(c); err != nil {
		return err
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	folder := filepath.Dir(string(f))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("writing the contexts: %w", err)
	}
	beside, err := os.CreateTemp(folder, ".contexts-*") // Only the user can read it.
	if err != nil {
		return fmt.Errorf("writing the contexts: %w", err)
	}
	defer os.Remove(beside.Name())
	_, err = beside.Write(append(text, '\n'))
	if err = errors.Join(err, beside.Close()); err == nil {
		err = os.Rename(beside.Name(), string(f))
	}
	if err != nil {
		return fmt.Errorf("writing the contexts: %w", err)
	}
	return nil
}
