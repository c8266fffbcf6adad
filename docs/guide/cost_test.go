package guide_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A workflow of ten steps costs ten steps, a start and an end, by the numbers of the
// page's own table; the README says the same.
func TestThePriceOfAWorkflowFollowsFromTheTable(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("cost.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	price := func(row string) (cents int) {
		m := regexp.MustCompile(`(?m)^\| ` + row + ` \| \w+ \| \*\*\$(\d+)\.(\d\d)\*\* \|$`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("cost.md has no price of %q", row)
		}
		cents, err := strconv.Atoi(m[1] + m[2])
		if err != nil {
			t.Fatal(err)
		}
		return cents
	}
	dollars := func(cents int) string { return fmt.Sprintf("$%d.%02d", cents/100, cents%100) }
	step, ends := price("chain, one instance"), price("instance without a step, start to end")
	if want := fmt.Sprintf("10 × %s + %s = %s per million", dollars(step), dollars(ends), dollars(10*step+ends)); !strings.Contains(page, want) {
		t.Errorf("cost.md does not say %q", want)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{dollars(step), dollars(ends), dollars(10*step + ends)} {
		if !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not say %s", want)
		}
	}
}
