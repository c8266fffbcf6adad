package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// platform is one that the command line is built for.
type platform struct{ system, processor string }

var platforms = []platform{{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func (p platform) String() string { return p.system + "-" + p.processor }

// dist builds the command line for the platforms, as `go install …@version` would.
// One commit gives the same bytes everywhere: paths are trimmed, and files in
// archives have the time of the commit.
func (r *repository) dist(ctx context.Context, directory string, of []platform) error {
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return err
	}
	at, err := r.committed(ctx)
	if err != nil {
		return err
	}
	s, err := r.newShelf(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	sums := map[string][32]byte{}
	keep := func(name string, data []byte) error {
		sums[name] = sha256.Sum256(data)
		return os.WriteFile(filepath.Join(directory, name), data, 0o644)
	}
	for _, p := range of {
		binary, err := s.install(ctx, "cmd/turnstile", p)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("turnstile-%s-%s", r.version, p)
		archive, suffix, err := r.archive(binary, p, at)
		if err != nil {
			return err
		}
		if err := keep(name+suffix, archive); err != nil {
			return err
		}
		materials, err := materials(binary, r.version, at)
		if err != nil {
			return err
		}
		if err := keep(name+".cdx.json", materials); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(directory, "checksums.txt"), checksums(sums), 0o644)
}

// archive packs the binary and the licence: as a zip file for Windows, as a
// compressed tar file else.
func (r *repository) archive(binary string, p platform, at time.Time) (data []byte, suffix string, err error) {
	var out bytes.Buffer
	files := []string{binary, filepath.Join(r.root, "LICENSE")}
	if p.system == "windows" {
		z := zip.NewWriter(&out)
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, "", err
			}
			f, err := z.CreateHeader(&zip.FileHeader{Name: filepath.Base(file), Method: zip.Deflate, Modified: at})
			if err != nil {
				return nil, "", err
			}
			if _, err := f.Write(content); err != nil {
				return nil, "", err
			}
		}
		err := z.Close()
		return out.Bytes(), ".zip", err
	}
	compressed := gzip.NewWriter(&out)
	t := tar.NewWriter(compressed)
	for i, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, "", err
		}
		mode := int64(0o644)
		if i == 0 {
			mode = 0o755
		}
		if err := t.WriteHeader(&tar.Header{Name: filepath.Base(file), Mode: mode, Size: int64(len(content)), ModTime: at}); err != nil {
			return nil, "", err
		}
		if _, err := t.Write(content); err != nil {
			return nil, "", err
		}
	}
	if err := t.Close(); err != nil {
		return nil, "", err
	}
	if err := compressed.Close(); err != nil {
		return nil, "", err
	}
	return out.Bytes(), ".tar.gz", nil
}

// checksums are in the format that sha256sum -c reads.
func checksums(sums map[string][32]byte) []byte {
	var lines []string
	for name, sum := range sums {
		lines = append(lines, fmt.Sprintf("%x  %s\n", sum, name))
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a[66:], b[66:]) })
	return []byte(strings.Join(lines, ""))
}
