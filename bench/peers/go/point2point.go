package main

import (
	"context"
	"fmt"
	"net"

	"github.com/networkservicemesh/api/pkg/api/networkservice"
	"github.com/networkservicemesh/sdk/pkg/networkservice/ipam/point2pointipam"
	"github.com/networkservicemesh/sdk/pkg/tools/log"
)

// quiet takes NSM's log lines away: a line for each recovered client would be timed with the recovery.
func quiet() context.Context { return log.WithLog(context.Background(), log.Empty()) }

func newPoint2Point(prefix string) networkservice.NetworkServiceServer {
	_, ipNet, err := net.ParseCIDR(prefix)
	must(ipNet, err)
	return point2pointipam.NewServer(ipNet)
}

func requestOf(id string, excluded []string) *networkservice.NetworkServiceRequest {
	return &networkservice.NetworkServiceRequest{Connection: &networkservice.Connection{
		Id: id,
		Context: &networkservice.ConnectionContext{
			IpContext: &networkservice.IPContext{ExcludedPrefixes: excluded},
		},
	}}
}

// measurePoint2Point times NSM's chain element with nothing before or behind it: a first request with
// excluded prefixes as text, a refresh, and a close.
func measurePoint2Point(size sizes) []row {
	ctx := quiet()
	var rows []row
	for _, n := range size.exclusions {
		server := newPoint2Point("10.0.0.0/8")
		excluded := excludedPrefixes(n)
		var open []*networkservice.Connection
		rows = append(rows, perOperation(fmt.Sprintf("nsm.p2p-request.exclusions-%d", n), size, func(i int) {
			open = append(open, must(server.Request(ctx, requestOf(fmt.Sprint("client-", i), excluded))))
		}, func() {
			for _, connection := range open {
				must(server.Close(ctx, connection))
			}
			open = open[:0]
		}))
	}

	held := size.fragments[0]
	server := newPoint2Point("10.0.0.0/8")
	connections := make([]*networkservice.Connection, held)
	for i := range held {
		connections[i] = must(server.Request(ctx, requestOf(fmt.Sprint("client-", i), nil)))
	}
	nothing := func() {}
	rows = append(rows, perOperation(fmt.Sprintf("nsm.p2p-refresh.live-%d", held), size, func(i int) {
		must(server.Request(ctx, &networkservice.NetworkServiceRequest{Connection: connections[i%held]}))
	}, nothing))

	var closed []*networkservice.Connection
	rows = append(rows, perOperation(fmt.Sprintf("nsm.p2p-close.live-%d", held), size, func(i int) {
		connection := connections[(i*2)%held]
		must(server.Close(ctx, connection))
		closed = append(closed, connection)
	}, func() {
		for _, connection := range closed {
			must(server.Request(ctx, &networkservice.NetworkServiceRequest{Connection: connection}))
		}
		closed = closed[:0]
	}))
	return rows
}
