// Package supervised is what `turnstile dev` and the program that it runs have
// agreed on. The two may be of different releases, so what stands here stays as
// it is.
package supervised

// Variables of the program's environment.
const (
	// Supervised is set, to 1: the program is to end when its standard input
	// does, and leaves an interrupt (Ctrl-C reaches both) to who started it.
	Supervised = "TURNSTILE_DEV"
	// Addr is where the console is to listen.
	Addr = "TURNSTILE_ADDR"
	// Data is the directory of the database.
	Data = "TURNSTILE_DATA"
	// Reset is set, to 1, if the database is to be emptied first.
	Reset = "TURNSTILE_RESET"
	// Replay is a file with exported histories: the program only replays them, says
	// on its standard output what does not agree, and ends.
	Replay = "TURNSTILE_REPLAY"
)

// Waits is what a line begins with by which a program that replays says where the code of
// an execution waits, if all agree: behind it stands JSON, as the console's API has it.
const Waits = "turnstile waits "

// ConsoleFile is the file in the directory of the database that has the address of
// the console while the program runs: where `turnstile list` and others find it.
const ConsoleFile = "console.url"

// Exit statuses of the program. With any other, and if it is killed, it is
// started again.
const (
	// Failed: the application cannot run. Another build may.
	Failed = 1
	// Refused: the address or the database cannot be had. No build helps.
	Refused = 3
	// Disagrees: the code does not do what a history says (Replay).
	Disagrees = 4
)
