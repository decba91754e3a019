package main

var checkpoints = []string{"./pipeline/redis"}

// ofSecurity are faults of what keeps strangers, and servers that lose state, away.
var ofSecurity = []mutant{
	{"saves to a server that may evict", "pipeline/redis/save.go",
		"ctx, err = s.guard.claimed(ctx)", "ctx, err = ctx, nil", "TestEvictionStopsTheStore", checkpoints},
	{"loads from a server that may evict", "pipeline/redis/load.go",
		"ctx, err = s.guard.claimed(ctx)", "ctx, err = ctx, nil", "TestEvictionStopsTheStore", checkpoints},
	{"claims on a server that may evict", "pipeline/redis/claim.go",
		"ctx, err = s.guard.pass(ctx)", "ctx, err = ctx, nil", "TestEvictionStopsTheStore", checkpoints},
	{"an unknown policy passes", "pipeline/redis/guard.go",
		"e == AcceptLoss || e == AcceptUnknown)", "true)", "TestUnknownPolicyStopsTheStore", checkpoints},
	{"the claim outlives an eviction", "pipeline/redis/guard.go",
		"if errors.Is(err, ErrEviction) || errors.Is(err, ErrPolicyUnknown) {\n\t\terr = fmt", "if false {\n\t\terr = fmt", "TestEvictionStopsTheStore", checkpoints},
	{"a new connection is not asked", "pipeline/redis/guard.go",
		"if ctx.Value(guarded{}) == nil {", "if true {", "TestPolicyAfterAReconnect", checkpoints},
	{"a wrong password is an unknown policy", "pipeline/redis/policy.go",
		"goredis.HasErrorPrefix(refused, \"WRONGPASS\")", "false", "TestWrongPassword", checkpoints},
}
