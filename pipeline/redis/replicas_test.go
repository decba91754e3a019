//go:build unix

package redis

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// What is Replicated is with the replica: while that stands still nobody is told so.
func TestReplicatedWaitsForReplicas(t *testing.T) {
	master := startServer(t)
	replica := startServer(t, "--replicaof", "127.0.0.1 "+strconv.Itoa(master.port))
	eventually(t, "the replica follows", func() error {
		if info := master.raw.Info(t.Context(), "replication").Val(); !strings.Contains(info, ",state=online,") {
			return fmt.Errorf("%s", info)
		}
		return nil
	})
	s := backend{url: "redis://" + master.addr()}.store(t, "credence")
	must(t, s.Replicated(t.Context(), part.Topic, 4))
	must(t, replica.cmd.Process.Signal(syscall.SIGSTOP))
	claim(t, s, "a")
	save(t, s, "a", put(-1, 10, "k", "v"))
	done := make(chan error, 1)
	go func() { done <- s.Replicated(t.Context(), part.Topic, 4) }()
	eventually(t, "it waits", func() error {
		select {
		case err := <-done:
			t.Fatalf("replicated while the replica stands still: %v", err)
		default:
		}
		if all := master.raw.ClientList(t.Context()).Val(); !strings.Contains(all, "cmd=wait") {
			return fmt.Errorf("%s", all)
		}
		return nil
	})
	must(t, replica.cmd.Process.Signal(syscall.SIGCONT))
	must(t, <-done)
	if n := replica.raw.HGet(t.Context(), prefix+"meta", "watermark").Val(); n != "10" {
		t.Errorf("the replica has the watermark %q", n)
	}
}
