package redis

import (
	"testing"

	"github.com/credence-stream/credence/pipeline/storetest"
)

func runContract(t *testing.T, b backend) {
	storetest.Run(t, func(t *testing.T) storetest.Fixture {
		must(t, b.raw.FlushAll(t.Context()).Err())
		return b.fixture(t)
	})
}

func TestContractMiniredis(t *testing.T) { runContract(t, openMini(t)) }

func TestContractServer(t *testing.T) { runContract(t, openServer(t)) }

// A single node that owns all slots refuses a script whose keys do not share
// one.
func TestContractCluster(t *testing.T) { runContract(t, openCluster(t)) }
