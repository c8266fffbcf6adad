package console_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func getenv(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

// A team's templates stand in variables, which go before what the program knows by itself.
func TestAboutHasTheTemplatesOfLinks(t *testing.T) {
	t.Parallel()
	own := console.WithLinks(api.Links{Logs: "https://cloudwatch/{instance*}"})
	for name, c := range map[string]struct {
		variables map[string]string
		want      api.Links
	}{
		"nothing is set": {nil, api.Links{Logs: "https://cloudwatch/{instance*}"}},
		"both are set": {map[string]string{"TURNSTILE_LOGS_LINK": "http://logs/{instance}?{from}-{to}&{request}", "TURNSTILE_TRACES_LINK": "https://traces/{trace}"},
			api.Links{Logs: "http://logs/{instance}?{from}-{to}&{request}", Traces: "https://traces/{trace}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := get[api.About](looking(t, own, console.WithLinksOf(getenv(c.variables))), "about").Links; got != c.want {
				t.Errorf("about has %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestATemplateThatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	for template, want := range map[string]string{
		"javascript:alert(1)": "must start with https://", "logs.example": "must start with https://", "https://logs/{id}": "unknown placeholder {id}",
		"https://logs/{Instance*}": "unknown placeholder {Instance*}",
	} {
		for _, name := range []string{"TURNSTILE_LOGS_LINK", "TURNSTILE_TRACES_LINK"} {
			_, err := console.Handler(w.Client, console.WithLinksOf(getenv(map[string]string{name: template})))
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s and %q", template, err, name, want)
			}
		}
	}
}
