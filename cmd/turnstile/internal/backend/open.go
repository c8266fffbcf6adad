package backend

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/address"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/dev"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/usage"
	"github.com/turnstile-go/turnstile/internal/supervised"
)

// Open returns the target of a command, the first of: --local, --console, the stack that --stack or
// the environment names, the `turnstile dev` of this folder. It makes no request.
func Open(s *Settings) Backend {
	switch stack := s.Stack != "" || s.Getenv(address.OrchestratorURL.Variable) != ""; {
	case s.Local:
		folder, at, err := devProject()
		return server{s, at, "turnstile dev", folder, err}
	case s.Console != "":
		return server{s, s.Console, "the console", "", CheckURL(s.Console)}
	case !stack:
		if folder, at, err := devProject(); err == nil {
			return server{s, at, "turnstile dev", folder, nil}
		}
	}
	return NewAWS(s)
}

// CheckURL checks the URL of --console.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return usage.Errorf("--console %q: must be the URL of a console, such as http://127.0.0.1:8876/", text)
	}
	return nil
}

// DevAddress returns the console address of the `turnstile dev` that runs the project of this folder.
func DevAddress() (string, error) {
	_, at, err := devProject()
	return at, err
}

// devProject returns the folder of the project and the console address of its `turnstile dev`.
func devProject() (project, at string, err error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	for here := folder; ; here = filepath.Dir(here) {
		data := filepath.Join(here, dev.Data)
		text, err := os.ReadFile(filepath.Join(data, supervised.ConsoleFile))
		switch {
		case err == nil:
			at = strings.TrimSpace(string(text))
			return here, at, CheckURL(at)
		case !errors.Is(err, fs.ErrNotExist):
			return "", "", err
		}
		if _, err := os.Stat(data); err == nil {
			return "", "", fmt.Errorf("`turnstile dev` is not running in %s: start it there", here)
		}
		if here == filepath.Dir(here) {
			return "", "", fmt.Errorf("`turnstile dev` is not running in %s or a parent folder: there is no %s", folder, filepath.Join(dev.Data, supervised.ConsoleFile))
		}
	}
}
