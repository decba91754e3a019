package run

import (
	"errors"
	"testing"
	"time"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/cmd/internal/cli"
	"github.com/credence-stream/credence/pipeline"
)

func TestAccountInWords(t *testing.T) {
	for want, a := range map[string]Account{
		"reached the end in 2.0 s: 1,234 records, 20,000 rows (10,000 per second), 3 keys. No key is flagged after its last shard.": {
			Tally: pipeline.Tally{Applied: 1234, Rows: 20_000}, Keys: 3, Took: 2 * time.Second, Ended: true,
		},
		"stopped before the end, after 0.5 s: 1 record, 1 row (2 per second). No key is flagged after its last shard.": {
			Tally: pipeline.Tally{Applied: 1, Rows: 1}, Keys: -1, Took: time.Second / 2,
		},
		"reached the end in 1.0 s: 10 records, 40 rows (40 per second), 1 key. 2 records had been applied before and changed nothing. " +
			"5 of 52 rows were left out: 4 without price, 1 with a level of shop that is not listed. " +
			"7 rows are without a response, which were predicted, not learnt from. " +
			"3 records became dead letters (check 1, decode 2); consumer dead-letters list --config 'my c.yaml' says why. " +
			"2 keys are flagged: drift 1, outliers 2.": {
			Tally: pipeline.Tally{
				Applied: 5, Skipped: 2, Dead: map[pipeline.Stage]int64{pipeline.StageDecode: 2, pipeline.StageCheck: 1},
				Rows: 40, Unheard: 7, Dropped: 5, Drops: []cdf.Drop{{Column: "price", Reason: cdf.DropMissing, Rows: 4}, {Column: "shop", Reason: cdf.DropUnlisted, Rows: 1}}, Flagged: map[string]int64{"outliers": 2, "drift": 1}, FlaggedKeys: 2,
			}, Keys: 1, Took: time.Second, Ended: true, names: cli.Apart(), file: "my c.yaml",
		},
		"reached the end in 1.0 s: 0 records, 0 rows (0 per second), 0 keys.": {Took: time.Second, Ended: true},
	} {
		if got := a.String(); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// All records dead is a failure of its own; some are not.
func TestAccountOfDeadLetters(t *testing.T) {
	dead := map[pipeline.Stage]int64{pipeline.StageCheck: 2}
	if err := (Account{Tally: pipeline.Tally{Dead: dead}}).Err(); !errors.Is(err, cli.ErrNothingApplied) {
		t.Errorf("nothing applied: %v", err)
	}
	if err := (Account{Tally: pipeline.Tally{Dead: dead, Skipped: 1}}).Err(); err != nil {
		t.Errorf("some applied before: %v", err)
	}
}

// A run to the end that is stopped before is no success, whoever stops it: a job that was
// sent SIGTERM is not done.
func TestVerdictOfARunToTheEnd(t *testing.T) {
	some := pipeline.Tally{Applied: 1}
	for name, c := range map[string]struct {
		account Account
		worked  bool
		want    error
	}{
		"at the end":       {Account{Tally: some, Ended: true}, true, nil},
		"in the middle":    {Account{Tally: some}, true, cli.ErrReported},
		"before a worker":  {Account{}, false, errNothingDone},
		"all dead letters": {Account{Tally: pipeline.Tally{Dead: map[pipeline.Stage]int64{pipeline.StageCheck: 2}}, Ended: true}, true, cli.ErrNothingApplied},
	} {
		if err := c.account.verdict(c.worked); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
