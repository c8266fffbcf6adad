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

// findings gathers what is found in an area.
type findings struct {
	area string
	all  []api.Finding
}

func (f *findings) add(level, advice, format string, args ...any) {
	f.all = append(f.all, api.Finding{Area: f.area, Level: level, Text: fmt.Sprintf(format, args...), Advice: advice})
}

// deploy is what to do about a setting that the template has right.
const deploy = "The template has it right: deploy today's template.yaml, and change nothing by hand."
