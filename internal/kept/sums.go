package kept

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sums is the file in a build's folder with the SHA-256 of every other file, in the format of the command sha256sum.
const Sums = "SHA256SUMS"

// CheckSums compares the files in a build's folder with its sums. It returns an error for a file that has changed, is
// missing or has no sum.
func CheckSums(folder string) error {
	listed, err := listedSums(folder)
	if err != nil {
		return err
	}
	there, err := sums(folder)
	if err != nil {
		return err
	}
	for name, sum := range listed {
		switch there[name] {
		case sum:
		case "":
			return fmt.Errorf("%s: %s is missing", folder, name)
		default:
			return fmt.Errorf("%s: %s has changed, but kept files must never change", folder, name)
		}
	}
	for name := range there {
		if listed[name] == "" {
			return fmt.Errorf("%s: %s is not listed in %s", folder, name, Sums)
		}
	}
	return nil
}

// AddSums adds the sums of files that have none. It returns an error if a file with a sum has changed.
func AddSums(folder string) (added int, err error) {
	listed, err := listedSums(folder)
	if err != nil && !os.IsNotExist(err) {
		return 0, err
	}
	there, err := sums(folder)
	if err != nil {
		return 0, err
	}
	var lines []string
	for name, sum := range there {
		if old := listed[name]; old != "" && old != sum {
			return 0, fmt.Errorf("%s: %s has changed, but kept files must never change", folder, name)
		} else if old == "" {
			added++
		}
		lines = append(lines, sum+"  "+name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[sha256.Size*2:], b[sha256.Size*2:]) })
	return added, os.WriteFile(filepath.Join(folder, Sums), []byte(strings.Join(lines, "")), 0o644)
}

func listedSums(folder string) (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(folder, Sums))
	if err != nil {
		return nil, err
	}
	listed := map[string]string{}
	for line := range strings.Lines(string(data)) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return nil, fmt.Errorf("%s: %s has a line without a file name: %s", folder, Sums, line)
		}
		listed[name] = sum
	}
	return listed, nil
}

func sums(folder string) (map[string]string, error) {
	there := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == Sums {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		sum := sha256.Sum256(data)
		there[filepath.ToSlash(name)] = hex.EncodeToString(sum[:])
		return err
	})
	return there, err
}
