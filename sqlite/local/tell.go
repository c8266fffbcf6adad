package local

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
)

// tell writes down where the console is, for `turnstile list` and others in this
// folder; forget takes that away again.
func tell(data, url string) (forget func(), err error) {
	file := filepath.Join(data, supervised.ConsoleFile)
	if err := os.WriteFile(file, []byte(url+"\n"), 0o600); err != nil {
		return nil, fmt.Errorf("where the console is: %w", err)
	}
	// One that stays says that nothing answers there.
	return func() { _ = os.Remove(file) }, nil
}
