//go:build linux

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"github.com/credence-stream/credence/testenv/local"
	"github.com/credence-stream/credence/testenv/probe"
)

// mischief is one kind of trouble. begin chooses whom it befalls, which has no
// other trouble until the end.
type mischief struct {
	name  string
	kills bool // a process
	begin func(context.Context) (spell, error)
}

// spell is a trouble that has begun.
type spell struct {
	target string
	lasts  time.Duration
	end    func(context.Context) error // nil: it is over
}

// troubles lists the trouble for a number of kills, in a random order.
func (s *storm) troubles() []mischief {
	var all []mischief
	add := func(n int, m mischief) { all = append(all, slices.Repeat([]mischief{m}, n)...) }
	n := s.kills
	redis := append(slices.Clone(s.Redis), s.Single)
	add(n-n/10-n/5, mischief{"SIGKILL", true, s.killMember})
	add(n/10, mischief{"SIGKILL", true, s.kill(s.Kafka, time.Second, 3*time.Second)})
	add(n/5, mischief{"SIGKILL", true, s.kill(redis, 0, 5*time.Second)})
	rare := max(1, n/50)
	add(rare, mischief{"SIGSTOP", false, s.stopMember})
	add(rare, mischief{"SIGSTOP", false, s.pause(s.Kafka)})
	add(rare, mischief{"SIGSTOP", false, s.pause(redis)})
	add(rare, mischief{"put back in time", false, s.rollBack})
	add(rare, mischief{"disk full", false, s.fillDisk(redis)})
	add(rare, mischief{"maxmemory", false, s.fillMemory(redis)})
	add(rare, mischief{"refuses outputs", false, s.refuse})
	add(rare, mischief{"acknowledgements lost", false, s.silence})
	add(max(6, n/5), mischief{"toxic", false, s.poison})
	s.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// within returns a random time.
func within(least, most time.Duration) time.Duration {
	return least + time.Duration(rand.Int64N(int64(most-least)))
}

func (s *storm) takeMember(ctx context.Context) (*victim, error) {
	var names []string
	for _, v := range s.members {
		names = append(names, v.name)
	}
	i, err := s.take(ctx, names)
	return s.members[i], err
}

func (s *storm) takeServer(ctx context.Context, servers []*local.Server) (*local.Server, error) {
	var names []string
	for _, v := range servers {
		names = append(names, v.Name)
	}
	i, err := s.take(ctx, names)
	return servers[i], err
}

func (s *storm) killMember(ctx context.Context) (spell, error) {
	v, err := s.takeMember(ctx)
	if err != nil {
		return spell{}, err
	}
	v.now.kill()
	v.now, err = s.start(ctx, v.group)
	return spell{target: v.name}, err
}

func (s *storm) stopMember(ctx context.Context) (spell, error) {
	v, err := s.takeMember(ctx)
	if err != nil {
		return spell{}, err
	}
	// The session is 2 s.
	end := func(context.Context) error { return v.now.signal(syscall.SIGCONT) }
	return spell{v.name, 5 * time.Second, end}, v.now.signal(syscall.SIGSTOP)
}

func (s *storm) kill(servers []*local.Server, least, most time.Duration) func(context.Context) (spell, error) {
	return func(ctx context.Context) (spell, error) {
		v, err := s.takeServer(ctx, servers)
		if err != nil {
			return spell{}, err
		}
		return spell{v.Name, within(least, most), v.Start}, v.Kill()
	}
}

func (s *storm) pause(servers []*local.Server) func(context.Context) (spell, error) {
	return func(ctx context.Context) (spell, error) {
		v, err := s.takeServer(ctx, servers)
		if err != nil {
			return spell{}, err
		}
		return spell{v.Name, within(time.Second, 8*time.Second), func(context.Context) error { return v.Resume() }}, v.Pause()
	}
}

// rollBack puts the single Redis server back to what it was two seconds ago.
func (s *storm) rollBack(ctx context.Context) (spell, error) {
	v, err := s.takeServer(ctx, []*local.Server{s.Single})
	if err != nil {
		return spell{}, err
	}
	old, err := s.SaveSingle(ctx)
	return spell{v.Name, 2 * time.Second, func(ctx context.Context) error { return s.RestoreSingle(ctx, old) }}, err
}

func (s *storm) fillDisk(servers []*local.Server) func(context.Context) (spell, error) {
	return func(ctx context.Context) (spell, error) {
		v, err := s.takeServer(ctx, servers)
		if err != nil {
			return spell{}, err
		}
		free, err := v.FillDisk()
		return spell{v.Name, 4 * time.Second, func(ctx context.Context) error {
			_ = free() // fails where it has ended
			ctx, cancel := context.WithTimeout(ctx, probe.Patience)
			defer cancel()
			return probe.Until(ctx, func(ctx context.Context) error {
				// A replica ends itself while it believes that it cannot write.
				if err := v.Start(ctx); err != nil {
					return err
				}
				return v.Writes(ctx)
			})
		}}, err
	}
}

func (s *storm) fillMemory(servers []*local.Server) func(context.Context) (spell, error) {
	return func(ctx context.Context) (spell, error) {
		v, err := s.takeServer(ctx, servers)
		if err != nil {
			return spell{}, err
		}
		end := func(ctx context.Context) error { return v.Set(ctx, "maxmemory", "0") }
		return spell{v.Name, 4 * time.Second, end}, v.Set(ctx, "maxmemory", "1mb")
	}
}

// refuse leaves one partition of an output topic with two replicas where three
// have to be in sync: its records are refused, and no others while all brokers
// are there. (One replica is too few: Apache Kafka 4.1 takes a broker that was
// killed out of the replicas in sync when it comes back, also where there is no
// other, answers a reassignment then with UNKNOWN_SERVER_ERROR, and such a
// partition has lost its records. It also forgets who may lead each partition of a
// topic when the number that have to be in sync is changed: one of which nobody is
// in sync at that moment has no leader ever after. So the number is changed while
// two are.)
func (s *storm) refuse(ctx context.Context) (spell, error) {
	var names []string
	for _, g := range s.groups {
		names = append(names, g.output)
	}
	i, err := s.take(ctx, names)
	if err != nil {
		return spell{}, err
	}
	all := []int32{1, 2, 3}
	out := s.rng.IntN(len(all))
	require := func(ctx context.Context, number string) error {
		if err := s.inSync(ctx, 2, names[i]); err != nil {
			return err
		}
		return s.configure(ctx, names[i], "min.insync.replicas", number)
	}
	end := func(ctx context.Context) error {
		if err := s.assign(ctx, names[i], 0, all); err != nil {
			return err
		}
		return require(ctx, "2")
	}
	if err := require(ctx, "3"); err != nil {
		return spell{}, err
	}
	return spell{names[i], 5 * time.Second, end}, s.assign(ctx, names[i], 0, slices.Delete(slices.Clone(all), out, out+1))
}

// silence loses what a broker answers, for longer than anybody waits.
func (s *storm) silence(ctx context.Context) (spell, error) {
	return s.sicken(ctx, s.Links[s.rng.IntN(len(s.Kafka))*3], 13*time.Second, "timeout", "downstream", `{"timeout":0}`)
}

// toxics are the other ways to disturb a link, with their attributes.
var toxics = []struct{ kind, attributes string }{
	{"latency", `{"latency":400,"jitter":300}`},
	{"bandwidth", `{"rate":40}`},
	{"slicer", `{"average_size":200,"size_variation":100,"delay":200}`},
	{"timeout", `{"timeout":0}`},
	{"reset_peer", `{"timeout":300}`},
	{"limit_data", `{"bytes":20000}`},
	{"slow_close", `{"delay":1000}`},
}

// poison disturbs a link.
func (s *storm) poison(ctx context.Context) (spell, error) {
	toxic, stream := toxics[s.rng.IntN(len(toxics))], []string{"upstream", "downstream"}[s.rng.IntN(2)]
	return s.sicken(ctx, s.Links[s.rng.IntN(len(s.Links))], within(time.Second, 7*time.Second), toxic.kind, stream, toxic.attributes)
}

func (s *storm) sicken(ctx context.Context, l *local.Link, lasts time.Duration, kind, stream, attributes string) (spell, error) {
	name := fmt.Sprintf("%s %s on the link to %s", kind, stream, l.Name)
	if _, err := s.take(ctx, []string{name}); err != nil {
		return spell{}, err
	}
	end := func(ctx context.Context) error { l.Heal(ctx); return nil }
	return spell{name, lasts, end}, l.Toxic(kind, stream, attributes)
}
