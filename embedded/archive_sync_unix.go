//go:build !windows

package embedded

import "os"

// syncFolder makes durable which files are in a folder.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
