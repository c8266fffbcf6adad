package awslambda

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A value that the template takes and the functions refuse ends every process of a stack.
func TestTheTemplateTakesTheTimesThatTheFunctionsTake(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Parameters map[string]struct {
			AllowedPattern string `yaml:"AllowedPattern"`
			Default        string `yaml:"Default"`
		} `yaml:"Parameters"`
	}
	if err := yaml.Unmarshal(raw, &template); err != nil {
		t.Fatal(err)
	}
	texts := []string{"0", "1", "-1s", "-0s", "s", "15", "1h", "1d", "15m1s", "15m00s", "m5s", "5s1m", " 2m", "2m ", "two", "1s1s"}
	for _, n := range []int{0, 1, 2, 9, 10, 14, 15, 16, 20, 59, 60, 61, 90, 99, 100, 101, 199, 200, 850, 899, 900, 901, 999, 1000, 9000} {
		texts = append(texts, fmt.Sprintf("%ds", n), fmt.Sprintf("%dm", n))
	}
	for _, minutes := range []int{0, 1, 2, 9, 10, 13, 14, 15, 16, 20, 100} {
		for _, seconds := range []int{0, 1, 9, 10, 19, 30, 59} {
			texts = append(texts, fmt.Sprintf("%dm%ds", minutes, seconds))
		}
	}
	// The functions take them in a form that the template does not.
	also := map[string]bool{"-0s": true, "15m00s": true, "1s1s": true, "5s1m": true}
	for parameter, variable := range map[string]string{"TimerBorder": "TURNSTILE_TIMER_BORDER", "TimerLeast": "TURNSTILE_TIMER_LEAST"} {
		p := template.Parameters[parameter]
		allowed := regexp.MustCompile("^(" + p.AllowedPattern + ")$")
		if !allowed.MatchString(p.Default) {
			t.Errorf("%s does not take its default %q", parameter, p.Default)
		}
		for _, text := range texts {
			variables := orchestratorVariables()
			variables[variable] = text
			_, err := orchestratorConfig(environ(variables))
			if takes := allowed.MatchString(text); takes != (err == nil) && (takes || !also[text]) {
				t.Errorf("%s %q: the template takes it: %v, the functions: %v", parameter, text, takes, err)
			}
		}
	}
}
