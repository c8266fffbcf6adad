package main

import (
	"errors"
	"flag"
	"io"
)

func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags
}

// parseFlags parses flags up to the first operand.
func parseFlags(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return usagef("%v", err)
	}
	return err
}

// parseMixed parses flags wherever they stand, and returns the operands. What
// is behind "--" is an operand, whatever it looks like.
func parseMixed(flags *flag.FlagSet, args []string) (operands []string, err error) {
	for {
		if err := parseFlags(flags, args); err != nil {
			return nil, err
		}
		rest := flags.Args()
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			return append(operands, rest...), nil
		}
		if len(rest) == 0 {
			return operands, nil
		}
		operands = append(operands, rest[0])
		args = rest[1:]
	}
}
