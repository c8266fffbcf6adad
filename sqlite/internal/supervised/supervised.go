// Package supervised is the protocol between `turnstile dev` and the program that it runs. The two may
// be of different releases, so the protocol never changes. The root module has a copy for the command
// line, and a test compares them, because a user who upgrades only one of the modules must still be
// able to build.
package supervised

// Environment variables of the program.
const (
	// Supervised is set, to 1, if the program must end when its standard input does, and must leave an
	// interrupt (Ctrl-C reaches both) to the process that started it.
	Supervised = "TURNSTILE_DEV"
	// Addr is the address at which the console listens.
	Addr = "TURNSTILE_ADDR"
	// Data is the directory of the database.
	Data = "TURNSTILE_DATA"
	// Console is a second file for the address of the console, if the database is not in the project's
	// folder.
	Console = "TURNSTILE_CONSOLE_FILE"
	// Reset is set, to 1, if the database must be emptied first.
	Reset = "TURNSTILE_RESET"
	// Replay is a file with exported histories: the program only replays them, prints disagreements to
	// its standard output, and ends.
	Replay = "TURNSTILE_REPLAY"
)

// Waits begins a line in which a program that replays prints where the code of an execution waits, if
// all histories agree. JSON follows it, in the format of the console's API.
const Waits = "turnstile waits "

// ConsoleFile is the file in the directory of the database that contains the address of the console
// while the program runs. `turnstile list` and other commands read it.
const ConsoleFile = "console.url"

// Exit statuses of the program. With any other status, and if it is killed, it is started again.
const (
	// Failed means that the application cannot run. Another build may be able to.
	Failed = 1
	// Refused means that the address or the database is not available. No other build helps.
	Refused = 3
	// Disagrees means that the code disagrees with a history (Replay).
	Disagrees = 4
)
