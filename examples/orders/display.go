package main

import (
	"fmt"
	"io"
	"net/url"
	"strings"
)

// title prints what is about to happen.
func title(out io.Writer, f flags, console, tracked string) {
	time := "real time"
	if f.virtual {
		time = "virtual time, waits are skipped"
	}
	approval := fmt.Sprintf("approved after %s", f.approveAfter)
	if !f.approve {
		approval = "never approved"
	}
	if console != "" {
		fmt.Fprintf(out, "console    %s\nthis order %s#/instances/%s\ncustomer   %s?order=%s\n\n", console, console, url.PathEscape(f.instance), tracked, url.QueryEscape(f.instance))
		if f.approve {
			approval += `, or by you: raise "approved" there`
		}
	}
	lines := []string{
		fmt.Sprintf("orders: embedded in this process, %s.", time),
		fmt.Sprintf("Order %s for %s, to be approved within %s: %s.", f.order.ID, f.order.Customer, f.order.ApproveWithin, approval),
		"",
		"Each block is one turn: the events that arrived, the operations that the code started,",
		"and the messages that were sent after the commit.",
	}
	fmt.Fprintln(out, strings.Join(lines, "\n"))
}

// hint prints the input of -keep.
func hint(out io.Writer) {
	lines := []string{
		"",
		"Enter work items, one per line. Ctrl-D ends the input, Ctrl-C the program. For example:",
		`  {"kind":"StartOrchestration","instance":"order-7","name":"Fulfil","input":` + sampleJSON() + `}`,
		`  {"kind":"ExternalRaised","instance":"order-7","name":"approved","data":{"by":"you","approved":true}}`,
		`  {"kind":"CancelInstance","instance":"order-7","reason":"changed my mind"}`,
	}
	fmt.Fprintln(out, strings.Join(lines, "\n"))
}
