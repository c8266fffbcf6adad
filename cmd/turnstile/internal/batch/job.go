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

// Job is an action and the instances to take it on.
type Job struct {
	// ID names the job for --resume.
	ID string `json:"id"`
	// Verb is the command: "wake", "cancel", "terminate", "purge".
	Verb string `json:"verb"`
	// Reason, Force, Children and Version are its flags.
	Reason   string `json:"reason,omitempty"`
	Force    bool   `json:"force,omitempty"`
	Children bool   `json:"children,omitempty"`
	Version  string `json:"version,omitempty"`
	// Place is the target with the instances. A job can only continue on the same target.
	Place string `json:"place"`
	// MadeAt is the time of the selection.
	MadeAt time.Time `json:"made_at"`
	// Count is the number of instances, which follow in the file, one per line.
	Count     int      `json:"count"`
	Instances []string `json:"-"`
}

// Folder stores unfinished jobs. Each job has a file with its instances and a file with its progress.
type Folder string

// NotThereError reports that a folder does not contain a job.
type NotThereError struct{ ID string }

func (e *NotThereError) Error() string {
	return fmt.Sprintf("there is no unfinished batch %q on this machine: it is complete, or was started by another user or on another machine; select the instances again, which is safe", e.ID)
}

// idForm matches ids of jobs, so that an id cannot name another file.
var idForm = regexp.MustCompile(`^[a-z]+-[0-9]{8}-[0-9]{6}-[a-z0-9]{4}$`)

// Create stores a job and sets its id.
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

// Open reads a job, and the number of its instances that are done. It returns *NotThereError if the
// job does not exist.
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
		return j, 0, fmt.Errorf("reading batch %s: %w", id, err)
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
	// Without readable progress, start from the beginning: repeating an action is safe.
	done, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	return j, min(max(done, 0), len(j.Instances)), nil
}

// Note records that the first done instances are done.
func (f Folder) Note(id string, done int) error {
	next := f.progress(id) + ".new"
	if err := os.WriteFile(next, []byte(strconv.Itoa(done)+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(next, f.progress(id))
}

// Remove deletes a job.
func (f Folder) Remove(id string) error {
	err := os.Remove(f.progress(id))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.Remove(f.file(id)))
}

// IDs returns the ids of the unfinished jobs.
func (f Folder) IDs() []string {
	found, _ := filepath.Glob(filepath.Join(string(f), "*.jobs"))
	for i := range found {
		found[i] = strings.TrimSuffix(filepath.Base(found[i]), ".jobs")
	}
	return found
}

func (f Folder) file(id string) string     { return filepath.Join(string(f), id+".jobs") }
func (f Folder) progress(id string) string { return filepath.Join(string(f), id+".done") }
