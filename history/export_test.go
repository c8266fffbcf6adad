package history

// What the tests of the encoding look at from outside.
var (
	AppendEvent     = appendEvent
	AppendEvents    = appendEvents
	DecodeAppend    = decodeAppend
	SearchMillisOf  = searchMillisOf
	CheckSearchName = checkSearchName
)

const FormatVersion = formatVersion
