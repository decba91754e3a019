package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/sink/web/token"
)

const (
	defaultLetters = 100
	maxLetters     = 1000
)

// Letter is one dead letter.
type Letter struct {
	Partition     int32 // of the dead letter topic
	Offset, Time  int64
	Key           []byte // nil: null
	Stage, Reason string
	Source        pipeline.Partition // where the record was
	SourceOffset  int64
	Bytes         int64 // of key, value and headers
}

// Commands are shell commands as a user types them.
type Commands struct {
	// Key returns those about a key, by name.
	Key func(key string) map[string]string
	// DeadLetters returns those about dead letters, by name.
	DeadLetters func() map[string]string
	// Process returns those about no key, by name.
	Process func() map[string]string
}

// deadLetters answers /v1/dead-letters.
func (s *Server) deadLetters(w http.ResponseWriter, r *http.Request) error {
	q := newQuery(r)
	limit := q.integer("limit", 1, maxLetters, defaultLetters)
	if err := q.err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), lookupTimeout)
	defer cancel()
	scope, most := scopeOf(r), limit
	if !scope.Whole() {
		most = maxLetters // those of other keys may be the newest
	}
	letters, err := s.options.Topics.DeadLetters(ctx, most)
	if err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	commands := []byte("{}") // they are about the letters of all keys
	if scope.Whole() {
		if commands, err = json.Marshal(s.options.Commands.DeadLetters()); err != nil {
			return fmt.Errorf("dead letters: commands: %w", err)
		}
	} else {
		letters = lettersOf(scope, letters, limit)
	}
	o := newObject()
	o.text("topic", s.options.Process.DeadLetters)
	appendList(&o, "letters", letters, appendLetter)
	o.raw("commands", commands)
	writeBody(w, jsonType, o.line())
	return nil
}

// lettersOf returns the first letters of a scope's keys.
func lettersOf(scope token.Scope, all []Letter, limit int) (found []Letter) {
	for i := range all {
		if l := &all[i]; l.Key != nil && scope.Sees(string(l.Key)) && len(found) < limit {
			found = append(found, *l)
		}
	}
	return found
}

func appendLetter(o *object, l *Letter) {
	o.count("partition", int64(l.Partition))
	o.count("offset", l.Offset)
	o.time("time", l.Time)
	if l.Key == nil {
		o.raw("key", null)
	} else {
		o.text("key", string(l.Key))
	}
	o.text("stage", l.Stage)
	o.text("reason", l.Reason)
	o.source(l.Source, l.SourceOffset)
	o.count("bytes", l.Bytes)
}
