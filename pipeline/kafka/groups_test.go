package kafka

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"

	"github.com/credence-stream/credence/pipeline"
)

// Marks with notes are kept per group, and forgotten with it.
func TestMarks(t *testing.T) {
	c := connect(t, brokers(t))
	topic := fresh(t, c, 2)
	read := func(group string, want ...Mark) {
		t.Helper()
		if got, err := c.Marks(t.Context(), group, topic, 2); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("marks of %s: %v and error %v, want %v", group, got, err, want)
		}
	}
	one, other := topic+".dlq", topic+".other"
	none := Mark{Offset: -1}
	read(one, none, none)
	if err := c.SetMark(t.Context(), one, topic, 1, Mark{7, "9-12"}); err != nil {
		t.Fatal(err)
	}
	read(one, none, Mark{7, "9-12"})
	read(other, none, none)
	for _, marks := range [][]Mark{{{4, "a"}, {5, ""}}, {none, {7, "9-12"}}} { // and what was there before
		if err := c.SetMarks(t.Context(), one, topic, marks); err != nil {
			t.Fatal(err)
		}
		read(one, marks...)
	}
	if names, err := c.Members(t.Context(), one); err != nil || len(names) != 0 {
		t.Errorf("members: %q and error %v", names, err)
	}
	for range 2 { // the second time there is nothing to delete
		if err := c.DeleteGroup(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	read(one, none, none)
}

// A group that works has members, and is not deleted.
func TestMembers(t *testing.T) {
	c := connect(t, brokers(t))
	topic := fresh(t, c, 1)
	if names, err := c.Members(t.Context(), topic); err != nil || len(names) != 0 {
		t.Errorf("members of no group: %q and error %v", names, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	working, ended := make(chan bool), make(chan error, 1)
	go func() {
		g := NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}})
		ended <- g.Run(ctx, func(string, int) {}, func(ctx context.Context, _ pipeline.Assignment) {
			close(working)
			<-ctx.Done()
		})
	}()
	<-working
	if names, err := c.Members(t.Context(), topic); err != nil || len(names) != 1 {
		t.Errorf("members: %q and error %v, want one", names, err)
	}
	if err := c.DeleteGroup(t.Context(), topic); !errors.Is(err, kafka.NonEmptyGroup) {
		t.Errorf("deleting a group that works: error %v", err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A group says who is a member of it, with the id that it gave.
func TestGroupMembers(t *testing.T) {
	c := connect(t, brokers(t))
	topic := fresh(t, c, 1)
	g := NewGroup(c, GroupOptions{Group: topic, Topics: []string{topic}})
	if all, err := g.Members(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("before it is joined: %v and error %v", all, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	working, ended := make(chan string), make(chan error, 1)
	go func() {
		ended <- g.Run(ctx, func(string, int) {}, func(ctx context.Context, a pipeline.Assignment) {
			working <- a.Member
			<-ctx.Done()
		})
	}()
	id := <-working
	if all, err := g.Members(t.Context()); err != nil || len(all) != 1 || !strings.Contains(all[id], " at ") {
		t.Errorf("members %v and error %v, want %s", all, err, id)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
