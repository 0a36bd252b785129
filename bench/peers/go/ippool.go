package main

import (
	"fmt"
	"net"

	"github.com/networkservicemesh/sdk/pkg/tools/ippool"
)

// measureExclusions times NSM's address pool with excluded prefixes and an otherwise whole pool, which is
// its best case: the tree that each pull copies has one node.
func measureExclusions(size sizes) []row {
	var rows []row
	for _, n := range size.exclusions {
		exclude := ippool.New(net.IPv4len)
		for _, text := range excludedPrefixes(n) {
			exclude.AddNetString(text)
		}
		pool := ippool.NewWithNetString("10.0.0.0/8")
		var taken []*net.IPNet
		// As text, because AddNet passes over the 16 byte form that PullIPString answers with.
		giveBack := func() {
			for _, one := range taken {
				pool.AddNetString(one.String())
			}
			taken = taken[:0]
		}
		rows = append(rows, perOperation(fmt.Sprintf("nsm.pull-pair.exclusions-%d", n), size, func(int) {
			first, second, err := pool.PullP2PAddrs(exclude)
			must(first, err)
			taken = append(taken, first, second)
		}, giveBack))

		// Taken one behind the other from the far end, so that the tree stays one node.
		rows = append(rows, perOperation(fmt.Sprintf("nsm.pull-address.exclusions-%d", n), size, func(i int) {
			text := addressAt(0xffffff-uint32(i)).String() + "/32"
			taken = append(taken, must(pool.PullIPString(text, exclude)))
		}, giveBack))
	}
	return rows
}

// measureFragmented times a pull and a give-back where every other pair was given back before: what a pool
// looks like after clients came and went.
func measureFragmented(size sizes) []row {
	var rows []row
	for _, live := range size.fragments {
		pool := fragmentedPool(live)
		var taken []*net.IPNet
		rows = append(rows, perOperation(fmt.Sprintf("nsm.pull-pair.fragmented-%d", live), size, func(int) {
			first, second, err := pool.PullP2PAddrs()
			must(first, err)
			taken = append(taken, first, second)
		}, func() {
			for _, one := range taken {
				pool.AddNet(one)
			}
			taken = taken[:0]
		}))
	}
	return rows
}

// fragmentedPool has `live` pairs taken and as many holes of one pair between them. Excluding is one tree
// operation, where pulling them one by one would copy the tree each time.
func fragmentedPool(live int) *ippool.IPPool {
	pool := ippool.NewWithNetString("10.0.0.0/8")
	for i := range live {
		pool.ExcludeString(addressAt(uint32(i)*4).String() + "/31")
	}
	return pool
}
