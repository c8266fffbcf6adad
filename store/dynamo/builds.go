package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// Build describes a build of one of the functions, for consoles.
type Build struct {
	// Serves is "orchestrations" or "activities".
	Serves string
	// ID of the build.
	ID string
	// Since is when the first process of the build noted it.
	Since time.Time
	// Catalog is what the build contains, as JSON.
	Catalog []byte
}

// buildsKey is the key of the item that lists all builds: no execution has the number 0.
func buildsKey() attributes { return activityKey(store.ActivityKey{Instance: "builds"}) }

func buildKey(serves, id string) attributes {
	return activityKey(store.ActivityKey{Instance: "build/" + serves + "/" + id})
}

// sinceOf is the attribute of a build in the item that lists all builds.
func sinceOf(serves, id string) string { return "since/" + serves + "/" + id }

// NoteBuild stores what a build contains, if that is not stored yet: it reads one item, and writes two
// the first time. The build's item is written before the build is listed.
func (a *Activities) NoteBuild(ctx context.Context, b Build) error {
	r := request{what: "catalog of build " + b.ID}
	names, err := getItem(ctx, a.client, &a.config, r, &dynamodb.GetItemInput{TableName: &a.config.Tables.Activities, Key: buildsKey()})
	if err != nil {
		return err
	}
	if _, noted := names[sinceOf(b.Serves, b.ID)]; noted {
		return nil
	}
	_, err = a.update(ctx, r, &dynamodb.UpdateItemInput{
		// CATALOG is a reserved word of DynamoDB, which rejects it as a name in an expression.
		Key: buildKey(b.Serves, b.ID), UpdateExpression: aws.String("SET #catalog = :catalog"),
		ExpressionAttributeNames:  map[string]string{"#catalog": "catalog"},
		ExpressionAttributeValues: attributes{":catalog": a.encoder.compressor.value(b.Catalog)},
	}, len(b.Catalog))
	if err != nil {
		return err
	}
	_, err = a.update(ctx, r, &dynamodb.UpdateItemInput{
		Key: buildsKey(), UpdateExpression: aws.String("SET #build = :since"), ConditionExpression: aws.String("attribute_not_exists(#build)"),
		ExpressionAttributeNames:  map[string]string{"#build": sinceOf(b.Serves, b.ID)},
		ExpressionAttributeValues: attributes{":since": number(b.Since.UnixMilli())},
	}, len(b.ID))
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		return nil // Another process of the build was first.
	}
	return err
}

// Builds returns the most recently noted builds, newest first, at most `most` of each function. It
// reads one item, and one more for each build.
func (a *Activities) Builds(ctx context.Context, most int) ([]Build, error) {
	r := request{what: "builds of the functions"}
	names, err := getItem(ctx, a.client, &a.config, r, &dynamodb.GetItemInput{TableName: &a.config.Tables.Activities, Key: buildsKey()})
	if err != nil {
		return nil, err
	}
	var all []Build
	for name := range names {
		rest, is := strings.CutPrefix(name, "since/")
		serves, id, named := strings.Cut(rest, "/")
		if is && named {
			all = append(all, Build{Serves: serves, ID: id, Since: time.UnixMilli(numberOf(names, name)).UTC()})
		}
	}
	slices.SortFunc(all, func(x, y Build) int {
		if n := y.Since.Compare(x.Since); n != 0 {
			return n
		}
		return strings.Compare(x.Serves+x.ID, y.Serves+y.ID)
	})
	var out []Build
	of := map[string]int{}
	for _, b := range all {
		if of[b.Serves]++; of[b.Serves] > most {
			continue
		}
		item, err := getItem(ctx, a.client, &a.config, r, &dynamodb.GetItemInput{TableName: &a.config.Tables.Activities, Key: buildKey(b.Serves, b.ID)})
		if err != nil {
			return nil, err
		}
		if b.Catalog, err = bytesOf(item, "catalog"); err != nil {
			return nil, fmt.Errorf("store: %s: %w", r, err)
		}
		out = append(out, b)
	}
	return out, nil
}
