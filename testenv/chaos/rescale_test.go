//go:build linux

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/credence-stream/credence/testenv/local"
	"github.com/credence-stream/credence/testenv/probe"
)

// rescale moves the states of a topic to more partitions while masters of the store die, in
// the middle of each of its steps: it goes on, or is run again, and no key differs
// from what the log says.
func (s *storm) rescale(t *testing.T) {
	if !rehearsed() {
		t.Skip("CREDENCE_REHEARSAL=whole (make rehearsal): TestRescaleSurvivesFailovers has a master die before each call")
	}
	ctx := t.Context()
	for _, store := range []string{"cluster", "sentinel"} {
		t.Run(store, func(t *testing.T) {
			r := &storm{Cluster: s.Cluster, seed: s.seed, binary: s.binary, dir: s.dir, client: s.client, input: "moved-" + store + s.input}
			if err := r.createTopic(ctx, r.input, 4); err != nil {
				t.Fatal(err)
			}
			var err error
			if r.stream, err = newStream(r.seed+11, r.input, 4000, 800); err != nil {
				t.Fatal(err)
			}
			if err := r.produce(ctx, 2*time.Second); err != nil {
				t.Fatal(err)
			}
			url, servers, whole := r.ClusterURL(), r.Redis, r.Whole
			if store == "sentinel" {
				w, err := local.StartSentinels(ctx, local.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := w.Close(); err != nil {
						t.Error(err)
					}
				})
				url, servers, whole = w.URL(), w.Redis, w.Whole
			}
			g := newGroup(t, r.Brokers(), url, "moved-"+store+s.input, r.input, "64MiB", hurried)
			undisturbed(t, r.binary, g, r.dir)
			keys := len(observe(t, r.client, g, r.input).states(t))
			command := []string{"rescale", "--config", g.config, "--to", "12", "--yes", "--export", filepath.Join(t.TempDir(), "moved.arrows")}
			for _, when := range []string{"will be moved", "has 12 partitions", "keys are copied", "keys are in 12 partitions"} {
				said, code, died := r.command(t, command, when, servers)
				t.Logf("after %q %s died; the run ended with %d: %s", when, died.Name, code, lastLine(said))
				if err := succeeded(ctx, servers, died); err != nil {
					t.Fatal(err)
				}
				if err := died.Start(ctx); err != nil {
					t.Fatal(err)
				}
				if err := whole(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if said, code, _ := r.command(t, command, "", nil); code != 0 && !strings.Contains(said, "of 12 partitions already") {
				t.Fatalf("rescale: exit %d\n%s", code, said)
			}
			said, _, _ := r.command(t, []string{"verify", "--config", g.config}, "", nil)
			if want := fmt.Sprintf("%d keys match the log, 0 differ", keys); !strings.Contains(said, want) {
				t.Errorf("verify does not say %q:\n%s", want, said)
			}
			t.Log(lastLine(said))
		})
	}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// command runs a command of the consumer, and kills a master of the store when it has said
// something, "" for nothing.
func (s *storm) command(t *testing.T, args []string, when string, servers []*local.Server) (said string, code int, died *local.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), probe.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, args...)
	m, err := launch(cmd, group{name: args[0]}, s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if when != "" {
		all := masters(ctx, servers)
		if len(all) == 0 {
			t.Fatalf("none of %d servers is a master", len(servers))
		}
		died = all[rand.IntN(len(all))]
		err := probe.Until(ctx, func(context.Context) error {
			n, err := m.said(when)
			if err != nil || n > 0 || len(m.done) > 0 {
				return err
			}
			return fmt.Errorf("%s does not say %q", args[0], when)
		})
		if err == nil {
			err = died.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	<-m.done
	return m.tail(), cmd.ProcessState.ExitCode(), died
}

// masters returns those of some servers that are.
func masters(ctx context.Context, servers []*local.Server) (all []*local.Server) {
	for _, s := range servers {
		if is, err := s.IsMaster(ctx); err == nil && is {
			all = append(all, s)
		}
	}
	return all
}

// succeeded waits until another server is the master that one was which died: it would
// come back as what its command line says.
func succeeded(ctx context.Context, servers []*local.Server, died *local.Server) error {
	ctx, cancel := context.WithTimeout(ctx, probe.Patience)
	defer cancel()
	return probe.Until(ctx, func(ctx context.Context) error {
		// Of each master there is one replica.
		if n := len(masters(ctx, servers)); n != len(servers)/2 {
			return fmt.Errorf("%s died, and there are %d masters of %d", died.Name, n, len(servers)/2)
		}
		return nil
	})
}
