package dynamo

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Limits of DynamoDB, in bytes of ItemSize.
const (
	// MaxItem is the greatest size of an item, attribute names included.
	MaxItem = 400 << 10
	// MaxTransaction is the greatest size of all items of a transaction.
	MaxTransaction = 4 << 20
	// MaxTransactionItems is the greatest number of items in a transaction.
	MaxTransactionItems = 100
)

// ItemSize returns the size of an item as DynamoDB counts it for limits and capacity:
// names and values in bytes, numbers at about half a byte per digit.
//
// Source: Amazon DynamoDB Developer Guide, "DynamoDB item sizes and formats".
func ItemSize(item map[string]types.AttributeValue) int {
	n := 0
	for name, v := range item {
		n += len(name) + valueSize(v)
	}
	return n
}

func valueSize(v types.AttributeValue) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1
	}
	// Lists, maps and sets are never stored.
	return 0
}

func numberSize(digits string) int {
	sign := 0
	if strings.HasPrefix(digits, "-") {
		sign, digits = 1, digits[1:]
	}
	significant := len(strings.TrimRight(digits, "0"))
	return (significant+1)/2 + 1 + sign
}
