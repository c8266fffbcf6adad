package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/turnstile-go/turnstile/internal/exports"
	"github.com/turnstile-go/turnstile/store"
)

// ArchiveFolder returns an archive in a folder of the file system, and creates the folder if it
// does not exist. Each execution is a file, <instance>/<execution>.json, which the console and
// `turnstile replay` open. In the folder's name, bytes of the instance id other than lower-case
// letters, digits, "-", "_" and "~" are escaped as in a URL. A name that would have more than 200
// bytes is replaced by "sha256-" and the hash of the id in hex.
//
// A file is written under a temporary name, flushed to the disk, and renamed. The error, an
// [*os.PathError], means that the folder cannot be created or is not writable.
func ArchiveFolder(folder string) (store.Archive, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("embedded: folder %q of the archive cannot be created; use a folder that this process may create and write to: %w", folder, err)
	}
	probe, err := os.CreateTemp(folder, ".probe-*")
	if err != nil {
		return nil, notWritable(folder, err)
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return nil, notWritable(folder, err)
	}
	return archiveFolder(folder), nil
}

func notWritable(folder string, err error) error {
	return fmt.Errorf("embedded: folder %q of the archive is not writable; grant this process write access, or use another folder: %w", folder, err)
}

type archiveFolder string

func (root archiveFolder) Keep(_ context.Context, instance string, executionID int64, document []byte) (err error) {
	file := filepath.Join(string(root), filepath.FromSlash(exports.Name(instance, executionID)))
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("embedded: archive: %w", err)
	}
	f, err := os.CreateTemp(dir, ".writing-*")
	if err != nil {
		return fmt.Errorf("embedded: archive: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("embedded: archive: %w", err)
		}
	}()
	if _, err := f.Write(document); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return err
	}
	for _, made := range []string{dir, string(root)} {
		if err := syncFolder(made); err != nil {
			return err
		}
	}
	return nil
}
