// Package redis keeps checkpoints in Redis, Redis Cluster or behind Redis
// Sentinel.
//
// A Store belongs to one consumer group on one Kafka cluster. Everything it
// keeps about a partition carries one hash tag, so it lives in one slot and
// one script can move it:
//
//	credence:{<cluster>/<group>/<topic>/<partition>}:meta       hash: owner gen watermark origin keys last fingerprints gaps format
//	credence:{...}:state:<b>                                    hash: key -> value, b = CRC-32C(key) mod 256
//	credence:{...}:keys                                         sorted set of the keys, for listing in byte order
//	credence:{...}:pending                                      set of the blobs that were announced and not yet pointed to
//	credence:{...}:blob:<key>:<token>:<offset>                  a value too large for a script, alone or with others
//	credence:{...}:aside                                        set of the tokens of clears that did not come to their end
//	credence:{...}:aside:<token>:<b>                            what was state:<b> before
//	credence:{<cluster>/<group>/<topic>}:topic                  hash: partitions
//	credence:{<cluster>/<group>}:members                        hash: member of the group -> its newest beat, and the arithmetic of its build
//
// A partition that was claimed and never saved has a meta with an owner and
// no watermark; it does not exist yet.
//
// What changes state is a script that looks at owner and watermark first.
// Only the replies of these scripts become pipeline.ErrFenced or
// pipeline.ErrDamaged; whatever else goes wrong is returned as it is and
// means that the outcome is unknown.
package redis

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"github.com/credence-stream/credence/internal/access"
	"github.com/credence-stream/credence/pipeline"
)

// blobBytes is the greatest value that is kept inside a hash; a larger one is
// a Redis string of its own, with a pointer in the hash, and so is a smaller one
// that makes a checkpoint too large for its script. Scripts copy what passes
// through them, and a large copy stops the server for everybody.
const blobBytes = 256 << 10

// Store implements pipeline.Store and pipeline.Reader. It holds no state but
// the connections and may be used by any number of goroutines.
type Store struct {
	client goredis.UniversalClient
	scope  string // <cluster>/<group>
	user   string // as the server knows us
	guard  *guard // nil: the server is worked with unseen
	tries  *access.Tries
	// sentinelTries are of the password of the sentinels.
	sentinelTries *access.Tries
	less          atomic.Int64 // see room
	rooms         sync.Pool    // of *[]byte, that cells were in which the server has
}

var (
	_ pipeline.Store  = (*Store)(nil)
	_ pipeline.Reader = (*Store)(nil)

	clusterName = regexp.MustCompile(`^[^\s{}/[:cntrl:]]{1,249}$`)
	kafkaName   = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)
)

// New returns the store of a consumer group on the Kafka cluster with the
// given id. The client should neither retry commands nor read from replicas;
// Open makes one that doesn't, and looks whether the server may evict state. Close
// closes it.
func New(client goredis.UniversalClient, cluster, group string) (*Store, error) {
	if !clusterName.MatchString(cluster) {
		return nil, fmt.Errorf("kafka cluster id %q cannot be part of a key", cluster)
	}
	if !kafkaName.MatchString(group) {
		return nil, fmt.Errorf("group %q: 1 to 249 of letters, digits, '.', '_' and '-'", group)
	}
	return &Store{client: client, scope: cluster + "/" + group, user: "default"}, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.client.Close() }

// Ping reports whether a server answers.
func (s *Store) Ping(ctx context.Context) error { return s.client.Ping(ctx).Err() }

// Pin implements pipeline.Store.
func (s *Store) Pin(ctx context.Context, topic string, partitions int) (int, error) {
	key, err := s.topicKey(topic)
	if err != nil {
		return 0, err
	}
	reply, err := s.run(ctx, pinScript, []string{key}, []any{partitions})
	if err != nil {
		return 0, fmt.Errorf("pin %s: %w", topic, err)
	}
	var stored int
	if err := scanInt(reply, 0, &stored); err != nil {
		return 0, fmt.Errorf("pin %s: partitions: %w", topic, err)
	}
	return stored, nil
}

// leased returns the space of a lease. It refuses a token that could not be
// told apart from the rest of a blob's name.
func (s *Store) leased(lease pipeline.Lease) (space, error) {
	if !tokenName.MatchString(lease.Token) {
		return space{}, errors.New("owner token: 1 to 128 of letters, digits, '.', '_' and '-'")
	}
	return s.space(lease.Partition)
}

var tokenName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)
