package history

// Identifiers that the tests in package history_test need.
var (
	AppendEvent     = appendEvent
	AppendEvents    = appendEvents
	DecodeAppend    = decodeAppend
	SearchMillisOf  = searchMillisOf
	CheckSearchName = checkSearchName
)

const FormatVersion = formatVersion
