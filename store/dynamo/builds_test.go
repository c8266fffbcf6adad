package dynamo_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store/dynamo"
)

// buildsTable answers as DynamoDB would with the items of builds.
func buildsTable(t *testing.T) (f *fake, reads, writes *int) {
	reads, writes = new(int), new(int)
	items := map[string]map[string]types.AttributeValue{}
	id := func(key map[string]types.AttributeValue) string {
		return key["activity"].(*types.AttributeValueMemberS).Value
	}
	return &fake{
		t: t,
		get: func(in *dynamodb.GetItemInput) (*dynamodb.GetItemOutput, error) {
			*reads++
			return &dynamodb.GetItemOutput{Item: maps.Clone(items[id(in.Key)])}, nil
		},
		update: func(in *dynamodb.UpdateItemInput) (*dynamodb.UpdateItemOutput, error) {
			*writes++
			if !strings.HasPrefix(id(in.Key), "0#0#build") {
				t.Errorf("it writes item %s", id(in.Key))
			}
			item := items[id(in.Key)]
			if item == nil {
				item = map[string]types.AttributeValue{}
				items[id(in.Key)] = item
			}
			if e := aws.ToString(in.UpdateExpression); strings.Contains(e, "SET catalog") {
				t.Errorf("%q has a reserved word of DynamoDB", e)
			}
			if name := in.ExpressionAttributeNames["#build"]; name != "" {
				if item[name] != nil && aws.ToString(in.ConditionExpression) == "attribute_not_exists(#build)" {
					return nil, &types.ConditionalCheckFailedException{Item: item}
				}
				item[name] = in.ExpressionAttributeValues[":since"]
			} else {
				item["catalog"] = in.ExpressionAttributeValues[":catalog"]
			}
			return &dynamodb.UpdateItemOutput{}, nil
		},
	}, reads, writes
}

func TestABuildIsWrittenDownOnce(t *testing.T) {
	t.Parallel()
	f, reads, writes := buildsTable(t)
	a := dynamo.NewActivities(f, (&waits{}).config())
	if got, err := a.Builds(t.Context(), 5); err != nil || len(got) != 0 {
		t.Fatalf("of a new stack: %v, %v", got, err)
	}
	*reads = 0
	since := time.UnixMilli(1_800_000_000_000).UTC()
	long := `[{"kind":"event","name":"` + strings.Repeat("x", 5000) + `"}]`
	for i := range 3 {
		if err := a.NoteBuild(t.Context(), dynamo.Build{Serves: "orchestrations", ID: "abc", Since: since.Add(time.Duration(i) * time.Hour), Catalog: []byte(long)}); err != nil {
			t.Fatal(err)
		}
	}
	if *reads != 3 || *writes != 2 {
		t.Errorf("three processes made %d reads and %d writes; want a read each, and two writes together", *reads, *writes)
	}
	got, err := a.Builds(t.Context(), 5)
	if err != nil || len(got) != 1 || got[0].ID != "abc" || !got[0].Since.Equal(since) || string(got[0].Catalog) != long {
		t.Errorf("it is %+v, %v", got, err)
	}
}

func TestTheNewestBuildsOfEachFunctionAreRead(t *testing.T) {
	t.Parallel()
	f, reads, _ := buildsTable(t)
	a := dynamo.NewActivities(f, (&waits{}).config())
	at := time.UnixMilli(1_800_000_000_000).UTC()
	for i := range 10 {
		for _, serves := range []string{"orchestrations", "activities"} {
			if err := a.NoteBuild(t.Context(), dynamo.Build{Serves: serves, ID: fmt.Sprint(i), Since: at.Add(time.Duration(i) * time.Minute), Catalog: []byte("[]")}); err != nil {
				t.Fatal(err)
			}
		}
	}
	*reads = 0
	got, err := a.Builds(t.Context(), 3)
	if err != nil || len(got) != 6 || *reads != 7 {
		t.Fatalf("%d builds by %d reads, %v", len(got), *reads, err)
	}
	for i, b := range got {
		if want := fmt.Sprint(9 - i/2); b.ID != want || i%2 == 0 && b.Serves != "activities" {
			t.Errorf("build %d is %s %s", i, b.Serves, b.ID)
		}
	}
}

// What DynamoDB itself refuses, such as a reserved word in an expression, the fake takes.
func TestABuildIsWrittenDownAndReadOnDynamoDBLocal(t *testing.T) {
	t.Parallel()
	l := openLocal(t, nil)
	a, b := dynamo.NewActivities(l.client, l.config), dynamo.Build{Serves: "activities", ID: "abc", Since: time.UnixMilli(1_900_000_000_000).UTC(), Catalog: []byte(`[{"name":"Charge"}]`)}
	for range 2 {
		if err := a.NoteBuild(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	got, err := a.Builds(t.Context(), 5)
	if err != nil || len(got) != 1 || got[0].ID != b.ID || got[0].Serves != b.Serves || !got[0].Since.Equal(b.Since) || string(got[0].Catalog) != string(b.Catalog) {
		t.Errorf("the builds are %+v: %v", got, err)
	}
}
