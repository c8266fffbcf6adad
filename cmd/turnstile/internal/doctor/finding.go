package doctor

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// The levels of findings.
const (
	OK      = "ok"
	Warning = "warning"
	Problem = "problem"
	Unknown = "unknown"
)

// findings collects the findings of an area.
type findings struct {
	area string
	all  []api.Finding
}

func (f *findings) add(level, advice, format string, args ...any) {
	f.all = append(f.all, api.Finding{Area: f.area, Level: level, Text: fmt.Sprintf(format, args...), Advice: advice})
}

// deploy is the advice for a setting that the template sets correctly.
const deploy = "Deploy the current template.yaml, which has the right setting, and do not change settings by hand."
