package main

import (
	"strings"
	"testing"
)

// What is sent with a command is a flag's: who types it as an operand is told which.
func TestAPayloadAsAnOperandNamesItsFlag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command  *command
		operands []string
		want     string
	}{
		{raiseCommand(), []string{"order-17", "paid", "100"}, "raise takes only [INSTANCE] EVENT: pass the data as --data '100'"},
		{startCommand(), []string{"Fulfil", `{"id":7}`}, `start takes only NAME: pass the data as --input '{"id":7}'`},
		{completeCommand(), []string{"token", "true"}, "complete takes only TOKEN: pass the data as --result 'true'"},
		{raiseCommand(), []string{"order-17", "paid", "100", "200"}, `unexpected operand "100"`},
	} {
		if err := c.command.checkOperands(c.operands); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.command.name, c.operands, err, c.want)
		}
	}
}
