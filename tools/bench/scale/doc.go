// Package scale counts what a day of ten million instances takes, and at which rate
// which limit of AWS is met first: docs/scale.md is made from it.
//
//	go -C tools/bench test ./scale                     # holds the document against it
//	go -C tools/bench test ./scale -update             # writes its tables anew
//	go -C tools/bench test ./scale -instances 10000    # a larger sample, compared with that
package scale
