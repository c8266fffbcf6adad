//go:build !windows

package embedded

import "os"

// syncFolder makes the list of files in a folder durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
