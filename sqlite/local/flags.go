package local

import (
	"flag"
	"io"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
)

// defaultData is the directory of the database, relative to the working directory.
const defaultData = ".turnstile"

type flags struct {
	addr, data string
	reset      bool
	// supervised is set if `turnstile dev` started the program.
	supervised bool
}

// parse parses the command line; the variables that `turnstile dev` sets are the defaults.
func parse(args []string, getenv func(string) string, out io.Writer) (flags, error) {
	f := flags{data: getenv(supervised.Data), supervised: getenv(supervised.Supervised) != ""}
	if f.data == "" {
		f.data = defaultData
	}
	set := flag.NewFlagSet(args[0], flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.addr, "addr", getenv(supervised.Addr), "address of the console, as `HOST:PORT` of this machine; default "+embedded.ConsoleAddr+", or any port if that is taken")
	set.StringVar(&f.data, "data", f.data, "`DIR` of the database")
	set.BoolVar(&f.reset, "reset", getenv(supervised.Reset) != "", "start with an empty database: all instances are lost")
	err := set.Parse(args[1:])
	if err == nil && set.NArg() > 0 {
		err = errArgument(set.Arg(0))
	}
	return f, err
}

type errArgument string

func (e errArgument) Error() string { return "there is no argument " + string(e) + ": see -help" }
