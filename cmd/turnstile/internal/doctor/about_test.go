package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

func TestDoctorJudgesAConsole(t *testing.T) {
	epoch := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	t.Parallel()
	about := api.About{Now: epoch, Build: api.Build{Version: "v1.2.0"}, Actions: true}
	own := api.Build{Version: "v1.2.0"}
	levels := func() string {
		var out []string
		for _, f := range About(&about, own, epoch) {
			out = append(out, f.Area+" "+f.Level)
		}
		return strings.Join(out, ", ")
	}
	if got := levels(); got != "access ok, versions ok, clock ok" {
		t.Error(got)
	}
	own.Version, about.Actions, about.Now = "v1.3.0", false, epoch.Add(time.Hour)
	if got := levels(); got != "access ok, access warning, versions warning, clock problem" {
		t.Error(got)
	}
}
