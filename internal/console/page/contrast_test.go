package page_test

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

// pairs are the colours that stand on each other, and the contrast that they
// need: 4.5 for text, 3 for shapes, borders of controls and the focus ring
// (WCAG 2.2 AA, 1.4.3 and 1.4.11).
var pairs = []struct {
	fore  string
	backs []string
	least float64
}{
	{"text", []string{"ground", "surface", "raised", "sunken", "hover", "selected", "diff-have-bg", "diff-did-bg"}, 4.5},
	{"muted", []string{"ground", "surface", "raised", "sunken", "hover", "selected"}, 4.5},
	{"accent", []string{"ground", "surface", "raised", "sunken", "hover", "selected"}, 4.5},
	{"on-fill", []string{"accent-fill", "danger-fill"}, 4.5},
	{"focus", []string{"ground", "surface", "raised", "sunken", "hover", "selected"}, 3},
	{"line-strong", []string{"ground", "surface", "raised", "sunken"}, 3},
	{"running-fg", []string{"running-bg", "ground", "surface", "hover", "selected"}, 4.5},
	{"completed-fg", []string{"completed-bg", "ground", "surface", "raised", "hover", "selected"}, 4.5},
	{"failed-fg", []string{"failed-bg", "ground", "surface", "raised", "hover", "selected"}, 4.5},
	{"stuck-fg", []string{"stuck-bg", "ground", "surface", "hover", "selected"}, 4.5},
	{"corrupt-fg", []string{"corrupt-bg", "ground", "surface", "hover", "selected", "sunken"}, 4.5},
	{"cancelled-fg", []string{"cancelled-bg", "ground", "surface", "hover", "selected"}, 4.5},
	{"terminated-fg", []string{"terminated-bg", "ground", "surface", "hover", "selected"}, 4.5},
	{"json-key", []string{"sunken", "surface"}, 4.5},
	{"json-string", []string{"sunken", "surface"}, 4.5},
	{"json-number", []string{"sunken", "surface"}, 4.5},
	{"json-word", []string{"sunken", "surface"}, 4.5},
}

var token = regexp.MustCompile(`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);`)

func TestColoursHaveTheContrastThatTheyNeedInBothThemes(t *testing.T) {
	t.Parallel()
	colours := map[string][2]string{}
	for _, m := range token.FindAllStringSubmatch(read(t)["styles/tokens.css"], -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for _, p := range pairs {
		for _, back := range p.backs {
			for i, theme := range []string{"light", "dark"} {
				a, b := colours[p.fore][i], colours[back][i]
				if a == "" || b == "" {
					t.Fatalf("styles/tokens.css has no --%s or no --%s", p.fore, back)
				}
				if got := contrast(t, a, b); got < p.least {
					t.Errorf("--%s (%s) on --%s (%s), %s: contrast %.2f, needs %.1f", p.fore, a, back, b, theme, got, p.least)
				}
			}
		}
	}
}

func TestContrastIsComputedAsWCAGDoes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#777777", "#ffffff", 4.48}, {"#ff0000", "#ffffff", 4.00}} {
		if got := contrast(t, c.a, c.b); math.Abs(got-c.want) > 0.01 {
			t.Errorf("contrast of %s and %s is %.3f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}
