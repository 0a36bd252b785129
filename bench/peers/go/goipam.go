package main

import (
	"context"
	"fmt"

	goipam "github.com/metal-stack/go-ipam"
)

// measureGoIpam times go-ipam with its store in memory: one address taken, one given back.
func measureGoIpam(size sizes) []row {
	ctx := context.Background()
	var rows []row
	for _, held := range size.goIpamHeld {
		ipam := goipam.New(ctx)
		prefix := must(ipam.NewPrefix(ctx, "10.0.0.0/16"))
		for range held {
			must(ipam.AcquireIP(ctx, prefix.Cidr))
		}
		var taken []*goipam.IP
		rows = append(rows, perOperation(fmt.Sprintf("go-ipam.acquire.held-%d", held), size, func(int) {
			taken = append(taken, must(ipam.AcquireIP(ctx, prefix.Cidr)))
		}, func() {
			for _, one := range taken {
				must(ipam.ReleaseIP(ctx, one))
			}
			taken = taken[:0]
		}))

		fill := func() {
			for range size.operations {
				taken = append(taken, must(ipam.AcquireIP(ctx, prefix.Cidr)))
			}
		}
		fill()
		rows = append(rows, perOperation(fmt.Sprintf("go-ipam.release.held-%d", held), size, func(i int) {
			must(ipam.ReleaseIP(ctx, taken[i]))
		}, func() {
			taken = taken[:0]
			fill()
		}))
	}
	return rows
}
