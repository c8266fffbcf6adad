// Package document holds the parts of documents that tests make: what was counted
// is what the page says.
package document

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Hold fails the test if the part of a document that a command makes is not text;
// with update it writes it there. The part stands between two comments:
//
//	<!-- name: made by command -->
//
//	<!-- end of name -->
func Hold(t testing.TB, file, name, command, text string, update bool) {
	t.Helper()
	hold(t, file, name, command, text, update, func(got, want string) bool { return got == want })
}

// HoldAbout is Hold for figures that differ a little each time they are counted: a
// number may differ by such a part of it.
func HoldAbout(t testing.TB, file, name, command, text string, within float64, update bool) {
	t.Helper()
	hold(t, file, name, command, text, update, func(got, want string) bool { return about(got, want, within) })
}

var number = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?(e[+-][0-9]+)?`)

// about reports whether two texts are the same but for numbers that differ by no more
// than a part of them, or by one in their last digit.
func about(got, want string, within float64) bool {
	if number.ReplaceAllString(strings.ReplaceAll(got, "**", ""), "0") != number.ReplaceAllString(strings.ReplaceAll(want, "**", ""), "0") {
		return false
	}
	others := number.FindAllString(want, -1)
	for i, one := range number.FindAllString(got, -1) {
		a, errA := strconv.ParseFloat(strings.ReplaceAll(one, ",", ""), 64)
		b, errB := strconv.ParseFloat(strings.ReplaceAll(others[i], ",", ""), 64)
		if errA != nil || errB != nil || math.Abs(a-b) > within*math.Abs(b)+last(others[i]) {
			return false
		}
	}
	return true
}

// last is the worth of a number's last digit.
func last(number string) float64 {
	_, decimals, _ := strings.Cut(number, ".")
	return 1.001 * math.Pow(10, -float64(len(decimals)))
}

func hold(t testing.TB, file, name, command, text string, update bool, same func(got, want string) bool) {
	t.Helper()
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	start, end := "<!-- "+name+": made by "+command+" -->\n\n", "\n<!-- end of "+name+" -->"
	head, rest, found := strings.Cut(string(document), start)
	got, tail, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no part %q: it needs a line %q and one %q", file, name, strings.TrimSpace(start), strings.TrimSpace(end))
	case update:
		if err := os.WriteFile(file, []byte(head+start+text+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	case !same(got, text):
		t.Errorf("%s does not say what was counted (%s writes it):\n%s", file, command, text)
	}
}
