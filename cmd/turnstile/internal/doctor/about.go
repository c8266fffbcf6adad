package doctor

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// released reports whether a version is one that was released: what was built from
// a checkout cannot be compared.
func released(version string) bool {
	return version != "(devel)" && version != "v0.0.0" && version != ""
}

// About judges what a console says of itself; own is the build of this command.
func About(about *api.About, own api.Build, now time.Time) []api.Finding {
	out := []api.Finding{{Area: "access", Level: OK, Text: fmt.Sprintf("a console answers: %s %s", about.Place.Kind, about.Place.Settings["file"])}}
	if !about.Actions {
		out = append(out, api.Finding{Area: "access", Level: Warning, Text: "this console allows no actions", Advice: "Commands that act are refused: start it with actions allowed."})
	}
	version := api.Finding{Area: "versions", Level: OK, Text: fmt.Sprintf("it is of Turnstile %s, this command of %s", about.Build.Version, own.Version)}
	if about.Build.Version != own.Version && released(own.Version) && released(about.Build.Version) {
		version.Level, version.Advice = Warning, "What one of them does not know it leaves out: use releases that are the same."
	}
	return append(append(out, version), Clock(about.Now.Sub(now))...)
}

// Deployed judges the status of a CloudFormation stack.
func Deployed(name, status string) api.Finding {
	f := api.Finding{Area: "access", Level: OK, Text: fmt.Sprintf("stack %s is %s", name, status)}
	switch status {
	case "CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE":
	case "UPDATE_ROLLBACK_COMPLETE":
		f.Level, f.Advice = Warning, "The last deployment failed and was taken back; the events of the stack say why."
	case "CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS":
		f.Level, f.Advice = Warning, "A deployment is under way: look again when it is done."
	default:
		f.Level, f.Advice = Problem, "The events of the stack say why."
	}
	return f
}
