package check

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/credence-stream/credence/pipeline"
)

// port sees whether run could listen where it is told to.
func (k *checker) port(ctx context.Context) {
	address := k.config.HTTP.Listen
	if address == "" {
		return
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		k.add(levelWarning, "http.listen", "nothing, if this consumer is already running; otherwise stop the other program, or choose another port, as in --set http.listen=127.0.0.1:8081",
			"%v: another program listens there, or the address is not this machine's", err)
	}
}

// advertised dials the addresses that the brokers give themselves and that
// are not configured. It reports whether all of them answered.
func (k *checker) advertised(ctx context.Context, c cluster) bool {
	all, err := c.Advertised(ctx)
	if err != nil {
		k.add(levelError, "kafka", "check whether the brokers are healthy", "%v", err)
		return false
	}
	ok := true
	for _, address := range all {
		if slices.Contains(k.config.Kafka.Brokers, address) {
			continue
		}
		if err := dial(ctx, address); err != nil {
			k.add(levelError, "broker "+address, "set advertised.listeners of that broker to an address that this machine can reach, or run this where "+address+" can be reached, such as in the same container network",
				"the brokers advertise this address (kafka.brokers is %s), and it cannot be reached from here: %v", strings.Join(k.config.Kafka.Brokers, ","), err)
			ok = false
		}
	}
	return ok
}

// healthy is what to do about a Redis that answers with an error.
func healthy(err error) string {
	switch {
	case errors.Is(err, pipeline.ErrOtherType):
		return "restore or delete that key; nothing else may write to the keys of Credence"
	case errors.Is(err, pipeline.ErrDamaged):
		return "the command state repair, or restore the store; nothing else may write to the keys of Credence"
	}
	return "check whether Redis is healthy"
}

// group compares what the store has of the group with the topic and the
// configuration of now.
func (k *checker) group(ctx context.Context, s store, partitions int, log pipeline.Log, accepts func([]pipeline.Configured) bool) {
	subject := "group " + k.config.Kafka.Group
	layout, err := pipeline.ReadLayout(ctx, s, k.config.Kafka.Input, partitions)
	if err != nil {
		k.fails("redis", healthy(err), err)
		return
	}
	why, remedy, err := pipeline.Elsewhere(ctx, layout, s, log, k.config.Kafka.Input, partitions)
	switch {
	case err != nil:
		k.add(levelError, subject, "check whether Kafka and Redis are healthy", "%v", err)
		return
	case why != "":
		k.add(levelError, subject, remedy, "%s, and every partition would halt", why)
		return
	}
	begun := layout.Partitions != pipeline.Unbegun
	for id := range int32(partitions) {
		p := pipeline.Partition{Topic: k.config.Kafka.Input, ID: id}
		meta, err := s.Meta(ctx, p)
		if err != nil {
			k.fails("redis", healthy(err), err)
			return
		}
		begun = begun || meta.Exists
		switch {
		case !meta.Exists:
		case meta.Format != pipeline.StateFormat:
			k.add(levelError, subject, "run the version that wrote it, or set kafka.group to a new name",
				"the state of %s has format %d, and this program writes format %d", p, meta.Format, pipeline.StateFormat)
			return
		case !accepts(meta.Configured):
			k.add(levelError, subject, "restore that configuration (only publish and raised limits may change in place), or set kafka.group to a new name",
				"the state of %s was made under another configuration (%.16s): the group's name is in use with other models, and every partition would halt",
				p, meta.Configured[len(meta.Configured)-1].Fingerprint)
			return
		}
	}
	if !begun {
		k.add(levelNote, subject, "", "is new: it begins where the log of %s begins", k.config.Kafka.Input)
		return
	}
	k.add(levelOK, subject, "", "continues where it stopped")
}
