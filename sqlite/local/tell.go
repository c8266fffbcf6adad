package local

import (
	"fmt"
	"os"
	"path/filepath"
)

// tell writes the address of the console to files, for `turnstile list` and other commands; forget
// removes it again. A file without a name is skipped.
func tell(url string, files ...string) (forget func(), err error) {
	// If a file remains, its readers notice that nothing listens at the address.
	forget = func() {
		for _, file := range files {
			_ = os.Remove(file)
		}
	}
	for _, file := range files {
		if file == "" {
			continue
		}
		err := os.MkdirAll(filepath.Dir(file), 0o700)
		if err == nil {
			err = os.WriteFile(file, []byte(url+"\n"), 0o600)
		}
		if err != nil {
			forget()
			return nil, fmt.Errorf("writing the address of the console: %w", err)
		}
	}
	return forget, nil
}
