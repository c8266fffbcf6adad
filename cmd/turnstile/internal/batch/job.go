package batch

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Job is what is done to which instances.
type Job struct {
	// ID names the job, to go on with it.
	ID string `json:"id"`
	// Verb is the command: "wake", "cancel", "terminate", "purge".
	Verb string `json:"verb"`
	// Reason, Force, Children and Version are its flags.
	Reason   string `json:"reason,omitempty"`
	Force    bool   `json:"force,omitempty"`
	Children bool   `json:"children,omitempty"`
	Version  string `json:"version,omitempty"`
	// Place is where the instances are, as it was found: a job goes on in no other.
	Place string `json:"place"`
	// MadeAt is when the instances were selected.
	MadeAt time.Time `json:"made_at"`
	// Count of instances, which stand in the file behind this, one a line.
	Count     int      `json:"count"`
	Instances []string `json:"-"`
}

// Folder keeps jobs that are not done: a file of what is to be done each, and one of
// how far that came.
type Folder string

// NotThereError says that a folder has no such job.
type NotThereError struct{ ID string }

func (e *NotThereError) Error() string {
	return fmt.Sprintf("there is no unfinished batch %q on this machine: it is done, or was begun by another user or elsewhere; select the instances again, which is harmless", e.ID)
}

// idForm is what an id looks like; anything else names no file.
var idForm = regexp.MustCompile(`^[a-z]+-[0-9]{8}-[0-9]{6}-[a-z0-9]{4}$`)

// Create writes a job down, and gives it its id.
func (f Folder) Create(j *Job) error {
	j.ID = fmt.Sprintf("%s-%s-%s", j.Verb, j.MadeAt.UTC().Format("20060102-150405"), strings.ToLower(rand.Text()[:4]))
	j.Count = len(j.Instances)
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(f.file(j.ID), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(file)
	e := json.NewEncoder(w)
	err = e.Encode(j)
	for _, instance := range j.Instances {
		err = errors.Join(err, e.Encode(instance))
	}
	return errors.Join(err, w.Flush(), file.Sync(), file.Close())
}

// Open reads a job, and how many of its instances are done. *NotThereError if there
// is none.
func (f Folder) Open(id string) (j Job, done int, err error) {
	if !idForm.MatchString(id) {
		return j, 0, &NotThereError{id}
	}
	file, err := os.Open(f.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return j, 0, &NotThereError{id}
	}
	if err != nil {
		return j, 0, err
	}
	defer file.Close()
	d := json.NewDecoder(file)
	if err := d.Decode(&j); err != nil {
		return j, 0, fmt.Errorf("batch %s cannot be read: %w", id, err)
	}
	for range j.Count {
		var instance string
		if err := d.Decode(&instance); err != nil {
			return j, 0, fmt.Errorf("batch %s is incomplete: select the instances again: %w", id, err)
		}
		j.Instances = append(j.Instances, instance)
	}
	text, err := os.ReadFile(f.progress(id))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return j, 0, err
	}
	// What cannot be read is nothing done: doing it again is harmless.
	done, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	return j, min(max(done, 0), len(j.Instances)), nil
}

// Note writes down that the first so many instances are done.
func (f Folder) Note(id string, done int) error {
	next := f.progress(id) + ".new"
	if err := os.WriteFile(next, []byte(strconv.Itoa(done)+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(next, f.progress(id))
}

// Remove forgets a job.
func (f Folder) Remove(id string) error {
	err := os.Remove(f.progress(id))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(f.file(id)))
}

// IDs are the jobs that are not done.
func (f Folder) IDs() []string {
	found, _ := filepath.Glob(filepath.Join(string(f), "*.jobs"))
	for i := range found {
		found[i] = strings.TrimSuffix(filepath.Base(found[i]), ".jobs")
	}
	return found
}

func (f Folder) file(id string) string     { return filepath.Join(string(f), id+".jobs") }
func (f Folder) progress(id string) string { return filepath.Join(string(f), id+".done") }
