package pipeline

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/credence-stream/credence/pipeline/quota"
)

// Reasons that a store gives. Every other error means that the outcome is
// unknown: read the meta again, then decide.
var (
	// ErrFenced reports that another worker owns the partition, or that the
	// stored watermark is not the one this worker left: nothing was written.
	ErrFenced = errors.New("fenced")
	// ErrDamaged reports stored state that cannot be right: a count that
	// does not match, a missing blob, a bad checksum.
	ErrDamaged = errors.New("damaged state")
	// ErrOtherType reports something in the store, of no partition's state, that somebody has made something else of. The error
	// says what to do about it.
	ErrOtherType = errors.New("of another type")
)

// Lease is a worker's claim to a partition. Token is fresh and random per
// claim; the generation is kept for diagnosis and never compared.
type Lease struct {
	Partition
	Token      string
	Generation int32
}

// Last identifies the newest record below a watermark, so that a topic that
// was recreated is noticed.
type Last struct {
	Offset int64       `json:"offset"` // -1: none
	Time   int64       `json:"time"`
	CRC    uint32      `json:"crc"`             // CRC-32C of key and value; 0: they were not read
	Epoch  LeaderEpoch `json:"epoch,omitempty"` // 0: not known
}

// Is reports whether r is the record that l tells of, as far as can be told: one
// that is or was refused for its size has no bytes to compare. The epoch is not
// compared, since a copy of a log has others.
func (l Last) Is(r *Record) bool {
	now := LastOf(r)
	return now.Offset == l.Offset && (r.Refused != nil || l.CRC == 0 || now.CRC == l.CRC && now.Time == l.Time)
}

// LastOf is what tells this record from another one at its offset.
func LastOf(r *Record) Last {
	l := Last{Offset: r.Offset, Time: r.Time, Epoch: r.Epoch}
	if r.Refused == nil {
		l.CRC = crc32.Update(crc32.Checksum(r.Key, castagnoli), castagnoli, r.Value)
	}
	return l
}

// Configured is the configuration in force from an offset on.
type Configured struct {
	From        int64  `json:"from"`
	Fingerprint string `json:"fingerprint"` // hex
	Core        string `json:"core"`        // hex, without limits
	Limits      string `json:"limits"`      // canonical form of the limits
}

// Gap is a range of offsets that on_gap: skip gave up.
type Gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Meta is what the store keeps about a partition.
type Meta struct {
	Exists     bool
	Owner      string
	Generation int32
	Watermark  int64 // next offset to apply
	Origin     int64 // where the first worker began
	Keys       int64
	Topic      string // id of the topic, "" if not known
	Last       Last
	Configured []Configured
	Gaps       []Gap
	Format     int
	Weights    quota.Weights // as they were saved last, perhaps with an earlier checkpoint
	Minutes    quota.Minutes // same
}

// Stored is the stored value of one key: envelope and snapshot; nil: none.
type Stored []byte

// Change is the new value of one key, nil to delete it.
type Change struct {
	Key   string
	Value Stored
}

// Checkpoint moves a partition's state from one watermark to the next in one
// compare-and-set. From is -1 for the first.
type Checkpoint struct {
	From, To   int64
	Origin     int64
	Topic      string // "": as it was
	Last       Last
	Configured []Configured
	Gaps       []Gap
	Weights    quota.Weights // without Bytes: as they were
	Minutes    quota.Minutes // without By: as they were
	Changes    []Change      // each key at most once
}

// Store keeps the checkpoints of the partitions of one consumer group on one
// Kafka cluster.
type Store interface {
	// Claim makes lease.Token the owner of the partition, removes what a
	// dead worker announced and did not finish, and returns the meta as it was before,
	// Owner being the previous one. ErrDamaged: the counts do not match.
	Claim(ctx context.Context, lease Lease) (Meta, error)
	// Load returns the stored values of the first of keys in their order: at
	// least one, and no more than have the given bytes, or than the store
	// reads at once. Ask again for the rest. ErrFenced unless lease owns the
	// partition and the stored watermark is one of watermarks. ErrDamaged: a key
	// of which the store knows has no value.
	Load(ctx context.Context, lease Lease, watermarks []int64, keys []string, bytes int64) ([]Stored, error)
	// Save applies the checkpoint whole or not at all. ErrFenced unless
	// lease owns the partition and the stored watermark is c.From. Saving
	// the same checkpoint again after an unknown outcome is ErrFenced when
	// it had been applied.
	Save(ctx context.Context, lease Lease, c Checkpoint) error
	// Meta returns the meta as it is, without a claim; with ErrDamaged what can be read of
	// owner and watermark, by which StateAdmin.Clear knows it.
	Meta(ctx context.Context, p Partition) (Meta, error)
	// Count is that of a Reader.
	Count(ctx context.Context, p Partition, prefix string) (int64, error)
	// Weigh returns what the keys of a partition come to that start with prefix, at most so many of
	// them, the first by their bytes. It looks at each, in several calls: what is written in
	// between may or may not be in it.
	Weigh(ctx context.Context, p Partition, prefix string, most int) (quota.Sum, error)
	// Pin writes the topic's partition count if none is stored and returns
	// the stored one, or Rescales.
	Pin(ctx context.Context, topic string, partitions int) (int, error)
	LayoutReader
}

// Reader reads stored state without a claim, for `consumer get` and HTTP.
type Reader interface {
	// Get returns the stored value of a key, nil when there is none.
	Get(ctx context.Context, p Partition, key string) (Stored, error)
	// Keys returns up to limit keys of a partition in byte order, from the
	// first one above after on, that start with prefix.
	Keys(ctx context.Context, p Partition, prefix, after string, limit int) ([]string, error)
	// Count returns how many keys of a partition start with prefix.
	Count(ctx context.Context, p Partition, prefix string) (int64, error)
}

// Audit counts what the store has of a partition, each where it is.
type Audit struct {
	Counted int64 // keys, as meta says
	Held    int64 // values
	Listed  int64 // keys in the list
	// Pending are blobs that were announced and not yet pointed to: those of a
	// checkpoint under way, or what a dead worker left, which the next claim
	// removes.
	Pending []string
}

// Whole reports whether the counts agree, as every claim demands.
func (a Audit) Whole() bool { return a.Counted == a.Held && a.Held == a.Listed }

// StateAdmin looks after stored state where the workers may not: they never guess
// what to do about state that is damaged or not wanted any more.
type StateAdmin interface {
	// Audit counts. Under a running worker the counts are of different moments
	// only if it writes between two of them.
	Audit(ctx context.Context, p Partition) (Audit, error)
	// Clear takes the partition over and forgets all of its state, damaged or
	// not, if meta still has the owner and the watermark of seen; else
	// ErrFenced, and nothing is changed. Afterwards it is as after a first
	// claim by lease. After any other error it may be so already; to clear
	// again, by what is seen then, does no harm.
	Clear(ctx context.Context, lease Lease, seen Meta) error
	// Unpin forgets the partition count of a topic.
	Unpin(ctx context.Context, topic string) error
}

// NewLease returns a lease under a fresh random token, for claims outside of
// a consumer group.
func NewLease(p Partition) Lease { return Lease{Partition: p, Token: newToken(), Generation: -1} }

// BatchReader is a Reader that can read many values in a few round trips.
type BatchReader interface {
	// GetBatch returns the values of the first of keys in their order: at least
	// one, and no more than have the given bytes, or than the store reads at
	// once. A nil says to ask Get, which knows whether there is none, or
	// damage, or another one by now.
	GetBatch(ctx context.Context, p Partition, keys []string, bytes int64) ([]Stored, error)
}

// What stands for a partition count, and is that of no topic.
const (
	Rescales  = 0  // states are moved to other partitions
	Unbegun   = -1 // none is stored
	Uncounted = -2 // none is stored, and there are states
)

// Layout says which partitions a topic has, as far as its states are concerned.
type Layout struct {
	// Partitions is the count that states are made for, Rescales while they are moved,
	// Unbegun where none is stored, or as ReadLayout says.
	Partitions int
	Past       []Era
	Moving     *Moving    // nil unless states are being moved
	Importing  *Importing // nil unless states are being imported; with the count Rescales
}

// Rescaled says in words that the topic had another number of partitions, "" where it never
// had.
func (l *Layout) Rescaled() string {
	n := len(l.Past)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("rescaled from %d to %d partitions", len(l.Past[n-1].Partitions), l.Partitions)
}

// LayoutReader reads in which partitions the states of a topic are.
type LayoutReader interface {
	Layout(ctx context.Context, topic string) (Layout, error)
	// Begun returns how many of the topic's first partitions have states, or what is left
	// of some: a watermark, or a list of keys. Once a state is stored it costs a claim
	// nothing: it is asked for where no partition count is stored.
	Begun(ctx context.Context, topic string, partitions int) (int, error)
}

// ReadLayout returns the layout of a topic that has so many partitions, with the count
// Uncounted where the store has lost it, and Unbegun where any may be pinned: no
// partition has states, or all have, so that none was added since.
func ReadLayout(ctx context.Context, r LayoutReader, topic string, partitions int) (Layout, error) {
	l, err := r.Layout(ctx, topic)
	if l.Partitions != Unbegun || err != nil {
		return l, err
	}
	begun, err := r.Begun(ctx, topic, partitions)
	if begun == 0 || begun == partitions || err != nil {
		return l, err
	}
	// A worker that has begun meanwhile had pinned the count before.
	if l, err = r.Layout(ctx, topic); l.Partitions == Unbegun {
		l.Partitions = Uncounted
	}
	return l, err
}

// pinned is ReadLayout, and pins the number of partitions where any may be. Of two that
// pin different ones at once, both get that of the first.
func pinned(ctx context.Context, store Store, topic string, partitions int) (Layout, error) {
	l, err := ReadLayout(ctx, store, topic, partitions)
	if l.Partitions == Unbegun && err == nil {
		l.Partitions, err = store.Pin(ctx, topic, partitions)
	}
	return l, err
}

// Elsewhere says why states of a topic with so many partitions may be in others than
// their keys, and what to do about it. It is the word of all that halt, refuse or warn
// for it; "" where states are where they belong.
func (l *Layout) Elsewhere(topic string, partitions int) (why, remedy string) {
	switch {
	case l.Partitions == partitions || l.Partitions == Unbegun:
		return "", ""
	case l.Partitions == Uncounted:
		return fmt.Sprintf("the store has lost how many partitions topic %s had, and has states of some of its %d partitions alone: keys may be elsewhere now", topic, partitions),
			"Let the command state repair find the number by the keys, or restore the store; a new consumer group, or the command state delete --all, begins again with the log as it is"
	case partitions < l.Partitions: // no number to move states to: its records were others
		return fmt.Sprintf("topic %s has %d partitions and had %d when its state was begun: Kafka takes none away, so it was deleted and created again, unless the broker that was asked does not know of all yet",
				topic, partitions, l.Partitions),
			AnotherRemedy
	case l.Partitions != Rescales:
		return fmt.Sprintf("topic %s has %d partitions and had %d when its state was begun: keys are elsewhere now", topic, partitions, l.Partitions),
			fmt.Sprintf("Stop the producers, and move the states with the command rescale --to %d", partitions)
	case l.Importing != nil:
		remedy = "Wait for it. If it was killed, run it again: it says whether that needs --force"
		if l.Importing.Ended {
			remedy = "Run it again"
		}
		return fmt.Sprintf("states of topic %s are being imported %s, and the command state import has not come to its end", topic, l.Importing), remedy
	case l.Moving == nil:
		return fmt.Sprintf("states of topic %s are being imported, and the command state import has not come to its end", topic),
			"Wait for it, or run it again as before"
	}
	return fmt.Sprintf("the states of topic %s are being moved to other partitions, and the command rescale has not come to its end", topic),
		"Wait for it, or run it again as before"
}

// Era is a time in which a topic had another number of partitions.
type Era struct {
	ID         string    `json:"id"` // of what ended it
	Partitions []Stretch `json:"partitions"`
}

// Stretch is what the group has applied of a partition in an era, and how.
type Stretch struct {
	From       int64        `json:"from"`
	To         int64        `json:"to"`   // the first offset of the next era
	Keys       int64        `json:"keys"` // that had a state then
	Gaps       []Gap        `json:"gaps,omitempty"`
	Configured []Configured `json:"configured"`
}

// Sources returns the partitions of the era that may have had keys which are in partition
// q of now: a key's is its hash modulo their number.
func (e Era) Sources(q int32, now int) (all []int32) {
	a, b := len(e.Partitions), now
	for b > 0 {
		a, b = b, a%b
	}
	for id := range int32(len(e.Partitions)) {
		if (id-q)%int32(a) == 0 {
			all = append(all, id)
		}
	}
	return all
}

// Steps of a rescaling, in their order. What a step does may be done again.
const (
	MoveBegun = "begun" // nothing is changed: it may be taken back
	MoveGrow  = "grow"  // the topic may have its new partitions
	MoveCopy  = "copy"  // keys are copied to their new partitions
	MoveDrop  = "drop"  // keys are deleted from their former ones
	MoveTell  = "tell"  // states are exported, and the group's offsets have their note
)

// Moving is the journal of a rescaling that has not come to its end.
type Moving struct {
	ID   string `json:"id"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Step string `json:"step"`
	// Era is the one that ends, from MoveGrow on.
	Era Era `json:"era"`
}

// Importing is the mark of an import that has not come to its end: workers halt while it stands.
type Importing struct {
	ID    string `json:"id"`              // of the run
	File  string `json:"file"`            // that it reads, as it was named
	Since int64  `json:"since"`           // when it began, in milliseconds since 1970
	Ended bool   `json:"ended,omitempty"` // it failed, and is not at work any more
	Found *Found `json:"found,omitempty"` // nil: states that were not whole, or of a release that did not say
}

// Found is what an import was to replace: who finds it as it was knows that nothing was changed.
type Found struct {
	Partitions int    `json:"partitions"` // as in the layout
	Past       []Era  `json:"past,omitempty"`
	States     string `json:"states"` // tells the states from others
}

// String says which import it is.
func (i *Importing) String() string {
	return fmt.Sprintf("from %s since %s (import %.8s)", i.File, time.UnixMilli(i.Since).UTC().Format(time.RFC3339), i.ID)
}

// Base returns where the present era of a partition begins, given the origin that meta
// has.
func (l *Layout) Base(p int32, origin int64) int64 {
	if n := len(l.Past); n > 0 && int(p) < len(l.Past[n-1].Partitions) {
		return l.Past[n-1].Partitions[p].To
	}
	return origin
}

// LayoutAdmin changes in which partitions states are.
type LayoutAdmin interface {
	// Layout returns what is stored of a topic.
	Layout(ctx context.Context, topic string) (Layout, error)
	// SetLayout replaces it, if it still is as it was, else ErrFenced. After another error it
	// may be replaced. With the count Unbegun any may be pinned afterwards.
	SetLayout(ctx context.Context, topic string, was, is Layout) error
	// Amend is Save of a checkpoint that changes states and leaves the watermark where it
	// is: From and To are the same. Repeating it does no harm.
	Amend(ctx context.Context, lease Lease, c Checkpoint) error
	// Replicated returns nil when all that was written of a topic and of its partitions
	// below n would outlive a failover of the store: its replicas have it.
	Replicated(ctx context.Context, topic string, n int) error
}
