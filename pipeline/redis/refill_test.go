package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/credence-stream/credence/pipeline"
	"github.com/credence-stream/credence/pipeline/admin"
)

// refilled is a topic whose states are replaced while masters of a Redis Cluster die.
type refilled struct {
	t     *testing.T
	s     *Store
	nodes []*server
}

const (
	refillCount = 6  // partitions
	refillKeys  = 40 // of each
)

// refillValue is what a key has in one of several files.
func refillValue(file string, row int) string {
	if row%refillKeys == 7 {
		return file + big('b')
	}
	return fmt.Sprintf("%s %d ", file, row) + strings.Repeat("x", 2000)
}

// export is what a file says of a partition.
func (r *refilled) export(id int32, watermark int64) admin.Export {
	return admin.Export{
		Partition: id, Watermark: watermark, Keys: refillKeys, Last: pipeline.Last{Offset: watermark - 1}, Format: pipeline.StateFormat,
		Config: []pipeline.Configured{{Fingerprint: "ff", Core: "cc"}}, Gaps: []pipeline.Gap{},
	}
}

// run replaces all states by those of a file; noted and row are called when it notes offsets, and before
// each value.
func (r *refilled) run(file string, watermark int64, force bool, noted func(), row func(n int)) error {
	ctx := r.t.Context()
	layout, err := r.s.Layout(ctx, part.Topic)
	if err != nil {
		return err
	}
	f := &admin.Refill{
		Topic: part.Topic, Count: refillCount, Force: force, Layout: layout, Parts: map[int32]admin.Export{},
		Mark: pipeline.Importing{ID: file, File: file + ".arrows", Since: 1795660589280}, Store: r.s, Admin: r.s, Layouts: r.s,
		MayNote: func(context.Context) error { return nil },
		Note:    func(context.Context, map[int32]pipeline.GroupOffset) error { noted(); return nil },
		Unnote:  func(context.Context) error { return nil },
	}
	for id := range int32(refillCount) {
		f.Parts[id] = r.export(id, watermark)
		m, err := r.s.Meta(ctx, pipeline.Partition{Topic: part.Topic, ID: id})
		if err != nil {
			return err
		}
		f.Metas = append(f.Metas, m)
	}
	n := -1
	f.Next = func() (admin.Row, error) {
		if n++; n == refillCount*refillKeys {
			return admin.Row{}, io.EOF
		}
		row(n)
		return admin.Row{Partition: int32(n / refillKeys), Key: fmt.Sprintf("k/%02d", n%refillKeys), Value: pipeline.Stored(refillValue(file, n))}, nil
	}
	return f.Run(ctx)
}

// holds returns the file whose states all partitions have.
func (r *refilled) holds(files map[string]int64) (string, error) {
	var differ []error
	for file, watermark := range files {
		err := func() error {
			for id := range int32(refillCount) {
				p := pipeline.Partition{Topic: part.Topic, ID: id}
				m, err := r.s.Meta(r.t.Context(), p)
				if err != nil || m.Watermark != watermark || m.Keys != refillKeys {
					return fmt.Errorf("%s is at %d with %d keys, error %w", p, m.Watermark, m.Keys, err)
				}
				for k := range refillKeys {
					v, err := r.s.Get(r.t.Context(), p, fmt.Sprintf("k/%02d", k))
					if want := refillValue(file, int(id)*refillKeys+k); err != nil || string(v) != want {
						return fmt.Errorf("%s, key %d: %.20q, error %w", p, k, v, err)
					}
				}
			}
			return nil
		}()
		if err == nil {
			return file, nil
		}
		differ = append(differ, fmt.Errorf("not %s: %w", file, err))
	}
	return "", errors.Join(differ...)
}

// master returns the node that writes a key, and that of its replica.
func (r *refilled) master(prefix string) (master, replica *server) {
	r.t.Helper()
	c, err := r.s.master(r.t.Context(), prefix)
	must(r.t, err)
	for _, n := range r.nodes {
		switch info := n.raw.Info(r.t.Context(), "replication").Val(); {
		case n.addr() == c.Options().Addr:
			master = n
		case strings.Contains(info, "role:slave") && strings.Contains(info, fmt.Sprintf("master_port:%s\r", c.Options().Addr[strings.LastIndexByte(c.Options().Addr, ':')+1:])):
			replica = n
		}
	}
	if master == nil || replica == nil {
		r.t.Fatalf("%s has the master %v and the replica %v", prefix, master, replica)
	}
	return master, replica
}

// part cuts a replica off from its master, so that it has no more of it.
func (r *refilled) part(replica *server) {
	r.t.Helper()
	must(r.t, replica.raw.ConfigSet(r.t.Context(), "masteruser", "nobody").Err())
	must(r.t, replica.raw.ConfigSet(r.t.Context(), "masterauth", "wrong").Err())
	must(r.t, replica.raw.Do(r.t.Context(), "client", "kill", "type", "master").Err())
	eventually(r.t, "a replica is cut off", func() error { return replica.reports("master_link_status:down") })
}

// succeed kills a master and returns when its replica has its place.
func (r *refilled) succeed(master, replica *server) {
	r.t.Helper()
	master.kill()
	eventually(r.t, "a replica has its master's place", func() error { return replica.reports("role:master") })
	eventually(r.t, "the store knows it", func() error {
		_, err := r.s.Layout(r.t.Context(), part.Topic)
		for id := range int32(refillCount) {
			_, merr := r.s.Meta(r.t.Context(), pipeline.Partition{Topic: part.Topic, ID: id})
			err = errors.Join(err, merr)
		}
		return err
	})
}

// mend has all nodes follow again.
func (r *refilled) mend(dead, cut *server) {
	r.t.Helper()
	must(r.t, cut.raw.ConfigSet(r.t.Context(), "masteruser", "").Err())
	must(r.t, cut.raw.ConfigSet(r.t.Context(), "masterauth", "").Err())
	must(r.t, dead.start())
	eventually(r.t, "all nodes follow", func() error {
		if i := slices.IndexFunc(r.nodes, func(n *server) bool {
			return n.reports("role:master") != nil && n.reports("master_link_status:up") != nil
		}); i >= 0 {
			return fmt.Errorf("node %d does not", i)
		}
		return dead.reports("role:slave")
	})
}

// A master of a Redis Cluster dies under an import, and its replica lacks what was written since a
// moment of the import: one that succeeds has all of its states there, one that fails leaves its mark
// or what was there before, and is run again.
func TestImportUnderFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take seconds")
	}
	r := &refilled{t: t, nodes: startCluster(t)}
	r.s = backend{url: "redis+cluster://" + r.nodes[0].addr() + "," + r.nodes[1].addr() + "," + r.nodes[2].addr()}.store(t, "credence")
	files := map[string]int64{"before": 50}
	none, nothing := func() {}, func(int) {}
	must(t, r.run("before", 50, false, none, nothing))
	topic, err := r.s.topicKey(part.Topic)
	must(t, err)
	space := func(id int32) string {
		k, err := r.s.space(pipeline.Partition{Topic: part.Topic, ID: id})
		must(t, err)
		return k.prefix
	}
	for i, c := range []struct {
		what, of string
		cut, die int // rows before which; -1: when offsets are noted
	}{
		{"the first partition, done", space(0), -1, 2 * refillKeys},
		{"the mark", topic, -1, refillKeys + 3},
		{"a partition under way, as before its clear", space(2), 2*refillKeys - 5, 2*refillKeys + 30},
		{"the last partition, whose replica has all", space(refillCount - 1), 1 << 30, refillCount*refillKeys - 1},
	} {
		file, watermark := fmt.Sprintf("file%d", i), int64(100+10*i)
		master, replica := r.master(c.of)
		at := func(n int) {
			if n == c.cut {
				r.part(replica)
			}
			if n == c.die {
				r.succeed(master, replica)
			}
		}
		failed := r.run(file, watermark, false, func() { at(-1) }, at)
		files[file] = watermark
		layout, err := r.s.Layout(t.Context(), part.Topic)
		must(t, err)
		has, differs := r.holds(files)
		switch {
		case failed == nil && (has != file || layout.Importing != nil):
			t.Errorf("%s: it succeeded, and the states are %q, the layout %+v (%v)", c.what, has, layout, differs)
		case failed != nil && has == "" && layout.Importing == nil && !strings.Contains(failed.Error(), "keep them stopped"):
			t.Errorf("%s: consumers go on with states of no file (%v): %v", c.what, differs, failed)
		}
		t.Logf("%s: error %v; the states are %q, the mark %v", c.what, failed, has, layout.Importing)
		r.mend(master, replica)
		if failed != nil {
			must(t, r.run(file, watermark, true, none, nothing))
		}
		if has, err := r.holds(files); has != file {
			t.Fatalf("%s: run again, the states are %q: %v", c.what, has, err)
		}
	}
}
