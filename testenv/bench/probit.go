//go:build unix

package main

import (
	"fmt"

	"github.com/credence-stream/credence/cdf"
)

// The window of probit, and the data of the peers, have so many rows; a shard
// replaces some of them and takes its draws over all.
const windowRows, shardRows, shardDraws = 500, 25, 500

// gibbs compares a row-draw of probit, all that a shard costs included, with
// one of the Gibbs samplers that R has.
func (b *bench) gibbs() error {
	for _, p := range []int{5, 10, 50, 100} {
		s := shape{rows: shardRows, columns: p, binary: true}
		f, err := newFilter("probit", cdf.Roles{}, fmt.Sprintf("window: %d", windowRows), s.several(windowRows/shardRows)...)
		if err != nil {
			return err
		}
		work := stream(f, s.several(turns)...)
		work.pieces = windowRows * shardDraws
		for _, peer := range []struct {
			library, task, name string
			target              figure
		}{
			{"MCMCpack", "mcmcpack", "MCMCpack::MCMCprobit", 30},
			{"bayesm", "bayesm", "bayesm::rbprobitGibbs", 10},
		} {
			l := line{fmt.Sprintf("probit p=%d against %s", p, peer.name), nanos("row-draw"), peer.target,
				fmt.Sprintf("%d rows in the window, %d draws a shard with score, diagnostics and summary; R: 500 draws or more of as many rows", windowRows, shardDraws)}
			if err := b.against(l, work, b.peers.r[peer.library], fmt.Sprintf("%s %d %d", peer.task, p, windowRows)); err != nil {
				return err
			}
		}
	}
	return nil
}
