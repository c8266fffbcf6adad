package schedule_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

var minutes = flag.Int("minutes", 60, "how many minutes lie between two ticks of the year")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
