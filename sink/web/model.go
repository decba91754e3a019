package web

import (
	"context"
	"net/http"

	"github.com/credence-stream/credence/cdf"
	"github.com/credence-stream/credence/pipeline"
)

// Model is the stored state of a key.
type Model struct {
	Posterior *pipeline.Posterior
	Filter    *cdf.Filter // the caller's own
	Rule      pipeline.Rule
	Bytes     int // of the stored value
}

// Store answers from the checkpoint store. Every error but a
// pipeline.ErrDamaged stands for an outage. Methods are called concurrently.
type Store interface {
	// Model returns the state after the last shard that a checkpoint covers,
	// nil when the key has none.
	Model(ctx context.Context, key string) (*Model, error)
	// Rule returns the entry of the configuration that a key falls under.
	Rule(key string) (pipeline.Rule, bool)
	// Keys returns up to limit keys of a partition as pipeline.Reader does.
	Keys(ctx context.Context, partition int32, prefix, after string, limit int) ([]string, error)
	// Count returns how many keys of a partition begin with prefix.
	Count(ctx context.Context, partition int32, prefix string) (int64, error)
	// Metas returns what is kept about each partition of the input, in order.
	Metas(ctx context.Context) ([]pipeline.Meta, error)
}

// find returns the state of a key; that there is none is a problem.
func (s *Server) find(ctx context.Context, key string) (*Model, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	m, err := s.options.Store.Model(ctx, key)
	if err == nil && m == nil {
		err = refuse(http.StatusNotFound, "not_found", "no model for key %q: no shard of it is in a checkpoint yet, or it was deleted", key)
	}
	return m, err
}

// model answers /v1/models/{key}.
func (s *Server) model(w http.ResponseWriter, r *http.Request, key string) error {
	if err := newQuery(r).err(); err != nil {
		return err
	}
	contentType, err := negotiate(r, jsonType, arrowType)
	if err != nil {
		return err
	}
	m, err := s.find(r.Context(), key)
	if err != nil {
		return err
	}
	body, err := s.options.Forms[contentType].Append(nil, m.Posterior, s.options.Limit)
	if err != nil {
		return err
	}
	writeTagged(w, r, contentType, body)
	return nil
}
