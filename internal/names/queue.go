package names

import "fmt"

// DefaultQueue is how the activity queue that has no name is called where one is needed.
const DefaultQueue = "default"

// maxQueue is the longest name of an activity queue: the names of AWS resources are made
// of it.
const maxQueue = 40

// Queue returns the problem with the name of an activity queue; "" if there is none.
func Queue(name string) string {
	switch {
	case name == "":
		return "is empty: name the queue, or leave the option out for the queue without a name"
	case len(name) > maxQueue:
		return fmt.Sprintf("%.50q has %d characters; the maximum is %d", name, len(name), maxQueue)
	}
	for i := range len(name) {
		c := name[i]
		if c >= 'a' && c <= 'z' || i > 0 && (c >= '0' && c <= '9' || c == '-' && i < len(name)-1) {
			continue
		}
		return fmt.Sprintf("%q is not lower-case letters, digits and hyphens, beginning with a letter and not ending with a hyphen", name)
	}
	return ""
}
