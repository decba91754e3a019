package redis

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/credence-stream/credence/pipeline"
)

// buckets is the number of hashes that a partition's values are spread over,
// so that no Redis key grows without bound. It is part of the format.
const buckets = 256

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// bucket returns the hash that holds a key, by its CRC-32C. The function of the
// standard library takes bytes, and would have them copied.
func bucket(key string) int {
	sum := ^uint32(0)
	for i := range len(key) {
		sum = castagnoli[byte(sum)^key[i]] ^ sum>>8
	}
	return int(^sum % buckets)
}

// space names the Redis keys of one partition.
type space struct{ prefix string }

func (s *Store) space(p pipeline.Partition) (space, error) {
	if !kafkaName.MatchString(p.Topic) || p.ID < 0 {
		return space{}, fmt.Errorf("partition %q cannot be part of a key", p)
	}
	return space{"credence:{" + s.scope + "/" + p.Topic + "/" + strconv.Itoa(int(p.ID)) + "}:"}, nil
}

func (s *Store) topicKey(topic string) (string, error) {
	if !kafkaName.MatchString(topic) {
		return "", fmt.Errorf("topic %q cannot be part of a key", topic)
	}
	return "credence:{" + s.scope + "/" + topic + "}:topic", nil
}

func (k space) meta() string       { return k.prefix + "meta" }
func (k space) pending() string    { return k.prefix + "pending" }
func (k space) keys() string       { return k.prefix + "keys" }
func (k space) state(b int) string { return k.prefix + "state:" + strconv.Itoa(b) }

// aside names the set of the tokens under which hashes were put aside.
func (k space) aside() string { return k.prefix + "aside" }
func (k space) asideState(token string, b int) string {
	return k.prefix + "aside:" + token + ":" + strconv.Itoa(b)
}

// blob returns the name of a blob from its key and what its pointer says,
// "<token>:<offset>". A key may hold any byte; token and offset hold no
// colon, so a name is read back from its end.
func (k space) blob(key, ref string) string { return k.prefix + "blob:" + key + ":" + ref }

// fixed returns the keys that every claim and save script has, with room for
// extra more. In Lua's count 1 is meta, 2 pending, 3 keys, and 4 to 259 are the
// hashes; the new blobs of a save follow.
func (k space) fixed(extra int) []string {
	keys := make([]string, 0, 3+buckets+extra)
	keys = append(keys, k.meta(), k.pending(), k.keys())
	for b := range buckets {
		keys = append(keys, k.state(b))
	}
	return keys
}

// tag returns what Redis Cluster hashes of a key: the text between the first
// '{' and the next '}', if there is any.
func tag(key string) string {
	if i := strings.IndexByte(key, '{'); i >= 0 {
		if n := strings.IndexByte(key[i+1:], '}'); n > 0 {
			return key[i+1 : i+1+n]
		}
	}
	return key
}

// oneTag refuses keys that Redis Cluster could keep in different slots. A
// server without slots would not notice.
func oneTag(keys []string) error {
	for _, key := range keys {
		if tag(key) != tag(keys[0]) {
			return fmt.Errorf("keys %q and %q of one script have different hash tags", keys[0], key)
		}
	}
	return nil
}
