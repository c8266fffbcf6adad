package kept

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// A bundle is a .tar.gz with the files of several runs, one folder each.

// WriteBundle writes runs to a bundle. It fails if the file exists, because kept files never change.
func WriteBundle(file string, runs []*Run) error {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	bundle := tar.NewWriter(zip)
	for _, r := range runs {
		files, err := r.files()
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := bundle.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), Format: tar.FormatPAX}); err != nil {
				return err
			}
			if _, err := bundle.Write(files[name]); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(bundle.Close(), zip.Close()); err != nil {
		return err
	}
	return WriteNew(file, out.Bytes())
}

// WriteNew writes a file that does not exist yet.
func WriteNew(file string, data []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w: kept files must never change; use a new folder for this build", err)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// ReadBundle reads the runs of a bundle, in order.
func ReadBundle(file string) ([]*Run, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var names []string
	files := map[string]map[string][]byte{}
	for bundle := tar.NewReader(zip); ; {
		head, err := bundle.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		data, err := io.ReadAll(bundle)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, head.Name, err)
		}
		run, name := path.Split(head.Name)
		run = strings.TrimSuffix(run, "/")
		if files[run] == nil {
			names, files[run] = append(names, run), map[string][]byte{}
		}
		files[run][name] = data
	}
	var runs []*Run
	for _, name := range names {
		r, err := readRun(name, files[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}
