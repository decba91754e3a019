package check

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cmd/consumer/config/configtest"
	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/kafka"
)

// rescaledStore is one whose topic had other partitions.
type rescaledStore struct{ fakeStore }

func (s rescaledStore) Layout(context.Context, string) (pipeline.Layout, error) {
	return pipeline.Layout{Partitions: s.pinned, Past: []pipeline.Era{{ID: "one"}}}, s.Err
}

// What only Redis knows is told: where a group began, and that its topic was rescaled.
func TestCheckNotes(t *testing.T) {
	began := map[int32]pipeline.Meta{1: {Exists: true, Origin: 30, Watermark: 40}}
	whole := map[int32]pipeline.Meta{0: {Exists: true, Watermark: 40}, 1: {Exists: true, Watermark: 40}}
	expired, noted := kafka.Mark{Offset: -1}, kafka.Mark{Offset: 40, Note: "credence-origin=30"}
	moved, kept := kafka.Mark{Offset: 40}, kafka.Mark{Offset: 40, Note: "rescaled from 1 to 2 partitions; export f"}
	for _, c := range []struct {
		name  string
		store store
		marks []kafka.Mark
		err   error
		want  string
	}{
		{name: "noted", store: fakeStore{pinned: 2, meta: began}, marks: []kafka.Mark{expired, noted}},
		{name: "expired", store: fakeStore{pinned: 2, meta: began}, marks: []kafka.Mark{expired, expired}, want: "began at offset 30 of shards/1"},
		{name: "expired, of a group that began at the first record", store: fakeStore{pinned: 2, meta: whole}, marks: []kafka.Mark{expired, expired}},
		{name: "rescaled, and noted", store: rescaledStore{fakeStore{pinned: 2, meta: whole}}, marks: []kafka.Mark{kept, kept}},
		{name: "rescaled, and expired since", store: rescaledStore{fakeStore{pinned: 2, meta: whole}}, marks: []kafka.Mark{kept, moved}, want: "was rescaled, and the note"},
		{name: "rescaled, and expired", store: rescaledStore{fakeStore{pinned: 2, meta: began}}, marks: []kafka.Mark{expired, expired}, want: "was rescaled, and the note"},
		{name: "nothing is stored", store: fakeStore{pinned: 2}, marks: []kafka.Mark{expired, expired}},
		{name: "other partitions", store: fakeStore{pinned: 3, meta: began}, marks: []kafka.Mark{expired, expired}},
		{name: "not allowed", store: fakeStore{pinned: 2, meta: began}, err: errors.New("not authorized")},
	} {
		got, failed := findingsOf(t, configtest.Shortest, func(k *checker) { k.notes(t.Context(), c.store, c.marks, c.err) })
		if failed || (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: failed %v, found %q, want %q", c.name, failed, got, c.want)
		}
	}
}
