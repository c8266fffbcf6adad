package local

import (
	"flag"
	"io"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite/internal/supervised"
)

// defaultData is the directory of the database, from where the program is run.
const defaultData = ".turnstile"

type flags struct {
	addr, data string
	reset      bool
	// supervised: `turnstile dev` has started it.
	supervised bool
}

// parse reads the command line; what `turnstile dev` has said is the default.
func parse(args []string, getenv func(string) string, out io.Writer) (flags, error) {
	f := flags{data: getenv(supervised.Data), supervised: getenv(supervised.Supervised) != ""}
	if f.data == "" {
		f.data = defaultData
	}
	set := flag.NewFlagSet(args[0], flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.addr, "addr", getenv(supervised.Addr), "where the console listens, as `HOST:PORT` of this machine; default "+embedded.ConsoleAddr+", or any port if that is taken")
	set.StringVar(&f.data, "data", f.data, "`DIR` of the database")
	set.BoolVar(&f.reset, "reset", getenv(supervised.Reset) != "", "begin with an empty database: all instances are forgotten")
	err := set.Parse(args[1:])
	if err == nil && set.NArg() > 0 {
		err = errArgument(set.Arg(0))
	}
	return f, err
}

type errArgument string

func (e errArgument) Error() string { return "there is no argument " + string(e) + ": see -help" }
