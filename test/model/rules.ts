/**
 * The rules one by one, as short stories with the ending worked out by hand. Model and core both have to tell
 * them so: where the two only agree with each other they may both be wrong.
 */
import { expect } from "vitest";
import type { Scene } from "./scene.js";

export type Rule = readonly [name: string, tell: (scene: Scene) => void];

function ordinary(scene: Scene, options: Parameters<Scene["pool"]>[2] = {}, prefix = "10.0.0.0/29"): void {
  scene.pool("p", [prefix], options);
  scene.endpoint("nse", [["p"]]);
}

export const RULES: readonly Rule[] = [
  ["a late close of a superseded connection frees nothing", (scene) => {
    ordinary(scene);
    scene.ask("a", { connection: "old" });
    expect(scene.ask("a", { connection: "new" })).toBe("restored 10.0.0.0 10.0.0.1");
    expect(scene.close("a", "old")).toBe("ok");
    expect(scene.ask("b")).toBe("granted 10.0.0.2 10.0.0.3");
  }],
  ["a refresh before the expiry extends the lease, one after it is refused, close and request bring the addresses back", (scene) => {
    ordinary(scene, { lease: 10 });
    scene.ask("a");
    expect(scene.at(9).ask("a")).toBe("renewed 10.0.0.0 10.0.0.1");
    expect(scene.at(19).ask("a")).toBe("connection-expired");
    expect(scene.ask("b")).toBe("granted 10.0.0.2 10.0.0.3");
    expect(scene.close("a")).toBe("ok");
    expect(scene.ask("a")).toBe("regranted 10.0.0.0 10.0.0.1");
  }],
  ["an expired lease is healed by another connection until the timer takes it", (scene) => {
    ordinary(scene, { lease: 10, grace: 5 });
    scene.ask("a");
    scene.at(14).expire();
    expect(scene.ask("a", { connection: "other" })).toBe("restored 10.0.0.0 10.0.0.1");
    scene.at(29).expire();
    expect(scene.ask("b")).toBe("granted 10.0.0.0 10.0.0.1");
  }],
  ["the connection that lost its addresses to another client is told so until it is closed", (scene) => {
    ordinary(scene, { lease: 10 });
    scene.ask("a");
    scene.at(10).expire();
    expect(scene.ask("a")).toBe("connection-expired");
    expect(scene.ask("b")).toBe("granted 10.0.0.0 10.0.0.1");
    expect(scene.ask("a")).toBe("connection-expired");
    scene.close("a");
    expect(scene.ask("a")).toBe("granted 10.0.0.2 10.0.0.3");
  }],
  ["an absence of the runtime ends no lease, and a second one inside the grace of the first does not either", (scene) => {
    ordinary(scene, { lease: 600 });
    scene.ask("a");
    scene.at(7200).restart(60);
    scene.at(7230).restart(60);
    expect(scene.at(7289).ask("a")).toBe("restored 10.0.0.0 10.0.0.1");
  }],
  ["what had run out before the runtime went away stays run out", (scene) => {
    ordinary(scene, { lease: 10 });
    scene.ask("a");
    scene.at(11).ask("b");
    scene.at(7200).restart(60);
    expect(scene.ask("a")).toBe("connection-expired");
    expect(scene.ask("b")).toBe("restored 10.0.0.2 10.0.0.3");
  }],
  ["a cancelled grant leaves neither an address nor a memory", (scene) => {
    ordinary(scene, { cooldown: 100 });
    scene.ask("a");
    expect(scene.free("p")).toBe("6");
    scene.cancel("a");
    expect(scene.free("p")).toBe("8");
    expect(scene.ask("b")).toBe("granted 10.0.0.0 10.0.0.1");
    expect(scene.ask("a")).toBe("granted 10.0.0.2 10.0.0.3");
  }],
  ["a cancel after a refresh takes nothing away", (scene) => {
    ordinary(scene);
    scene.ask("a");
    scene.ask("a");
    scene.cancel("a");
    expect(scene.ask("b")).toBe("granted 10.0.0.2 10.0.0.3");
  }],
  ["a cancelled regrant leaves the client its memory", (scene) => {
    ordinary(scene);
    scene.ask("b");
    scene.ask("a");
    scene.close("a");
    expect(scene.ask("a")).toBe("regranted 10.0.0.2 10.0.0.3");
    scene.close("b");
    scene.cancel("a");
    expect(scene.ask("a")).toBe("regranted 10.0.0.2 10.0.0.3");
  }],
  ["in a cool-down the addresses go to their old holder only", (scene) => {
    ordinary(scene, { cooldown: 100 });
    scene.ask("a");
    scene.close("a");
    scene.at(99).expire();
    expect(scene.ask("b")).toBe("granted 10.0.0.2 10.0.0.3");
    expect(scene.ask("a")).toBe("regranted 10.0.0.0 10.0.0.1");
    scene.close("a");
    scene.at(199).expire();
    expect(scene.ask("c")).toBe("granted 10.0.0.0 10.0.0.1");
  }],
  ["two old pairs are not mixed into a new one", (scene) => {
    ordinary(scene);
    scene.ask("a");
    scene.ask("b");
    scene.close("a");
    scene.close("b");
    const context = { dst_ip_addrs: ["10.0.0.0/32"], src_ip_addrs: ["10.0.0.3/32"] };
    expect(scene.ask("c", { context })).toBe("granted 10.0.0.0 10.0.0.1");
  }],
  ["of a pair of which one half is taken nothing comes back", (scene) => {
    ordinary(scene);
    scene.ask("a");
    scene.close("a");
    scene.ask("b", { excluded: ["10.0.0.0/32"] });
    expect(scene.ask("a")).toBe("granted 10.0.0.0 10.0.0.3");
  }],
  ["an excluded address moves the lease, and goes to the next client who may have it", (scene) => {
    ordinary(scene);
    scene.ask("a");
    expect(scene.ask("a", { context: scene.context(), excluded: ["10.0.0.1/32"] })).toBe("moved 10.0.0.0 10.0.0.2");
    expect(scene.context()).toMatchObject({ src_ip_addrs: ["10.0.0.2/32"], dst_ip_addrs: ["10.0.0.0/32"], dst_routes: [{ prefix: "10.0.0.2/32" }] });
    expect(scene.ask("b")).toBe("granted 10.0.0.1 10.0.0.3");
  }],
  ["a move that finds no room is refused and changes nothing", (scene) => {
    ordinary(scene, {}, "10.0.0.0/31");
    scene.ask("a");
    expect(scene.ask("a", { excluded: ["10.0.0.1/32"] })).toBe("pool-exhausted");
    expect(scene.ask("a")).toBe("renewed 10.0.0.0 10.0.0.1");
  }],
  ["a new prefix replaces the old addresses, names its cause, and the old ones are recognised ever after", (scene) => {
    ordinary(scene);
    scene.ask("a");
    const old = scene.context();
    scene.pool("p", ["10.1.0.0/29"]);
    const { causation: _, data } = { causation: 0, data: {}, ...scene.last("pool-changed") };
    expect(data).toMatchObject({ pool: "p" });
    expect(scene.ask("a", { context: old })).toBe("moved 10.1.0.0 10.1.0.1");
    expect(scene.last("lease-moved")?.causation).toBeGreaterThan(0);
    expect(scene.context()).toMatchObject({ src_ip_addrs: ["10.1.0.1/32"], dst_ip_addrs: ["10.1.0.0/32"], src_routes: [{ prefix: "10.1.0.0/32" }] });
    scene.ask("b", { context: old });
    expect(scene.context().src_ip_addrs).toEqual(["10.1.0.3/32"]);
    scene.ask("c", { context: { src_ip_addrs: ["10.0.0.7/32"] } });
    expect(scene.context().src_ip_addrs).toEqual(["10.0.0.7/32", "10.1.0.5/32"]);
  }],
  ["a draining pool keeps its leases and takes nobody back", (scene) => {
    ordinary(scene);
    scene.ask("a");
    scene.ask("b");
    scene.pool("p", ["10.0.0.0/29"], { draining: true });
    expect(scene.ask("a")).toBe("renewed 10.0.0.0 10.0.0.1");
    scene.close("b");
    expect(scene.ask("b")).toBe("pool-exhausted");
  }],
  ["the lowest free address of a /64 behind half of it reserved", (scene) => {
    ordinary(scene, { reserved: ["fd00::/65"] }, "fd00::/64");
    expect(scene.ask("a")).toBe("granted fd00::8000:0:0:0 fd00::8000:0:0:1");
    expect(scene.free("p")).toBe(String(2n ** 63n - 2n));
  }],
  ["a /8 of addresses costs nothing", (scene) => {
    ordinary(scene, {}, "10.0.0.0/8");
    expect(scene.ask("a", { excluded: ["10.0.0.0/9", "10.128.0.0/10"] })).toBe("granted 10.192.0.0 10.192.0.1");
  }],
  ["excluding all of IPv6 leaves IPv4 alone", (scene) => {
    ordinary(scene);
    expect(scene.ask("a", { excluded: ["::/0", "::ffff:a00:0/104"] })).toBe("granted 10.0.0.0 10.0.0.1");
  }],
  ["a single pool shares one endpoint address, spares the broadcast address and forgets the first when nobody uses it", (scene) => {
    ordinary(scene, { mode: "single" }, "10.0.0.0/30");
    expect(scene.ask("a")).toBe("granted 10.0.0.0 10.0.0.1");
    expect(scene.ask("b")).toBe("granted 10.0.0.0 10.0.0.2");
    expect(scene.ask("c")).toBe("pool-exhausted");
    expect(scene.free("p")).toBe("0");
    scene.close("a");
    scene.close("b");
    expect(scene.free("p")).toBe("3");
    expect(scene.ask("c", { excluded: ["10.0.0.0/32"] })).toBe("granted 10.0.0.1 10.0.0.2");
  }],
  ["a chain of two families gives one lease each, the second group from the first pool with room", (scene) => {
    scene.pool("v4", ["10.0.0.0/31"]);
    scene.pool("v6", ["fd00::/127"]);
    scene.pool("more", ["fd00:1::/126"]);
    scene.endpoint("nse", [["v4"], ["v6", "more"]]);
    scene.endpoint("other", [["v6"]]);
    scene.ask("b", { endpoint: "other" });
    expect(scene.ask("a")).toBe("granted 10.0.0.0 10.0.0.1\ngranted fd00:1:: fd00:1::1");
    expect(scene.ask("c")).toBe("pool-exhausted");
    expect(scene.free("more")).toBe("2");
  }],
  ["a nearly full disk refuses strangers and serves who is known", (scene) => {
    ordinary(scene);
    scene.ask("a");
    scene.ask("b");
    scene.close("b");
    expect(scene.ask("a", { knownOnly: true })).toBe("renewed 10.0.0.0 10.0.0.1");
    expect(scene.ask("b", { knownOnly: true })).toBe("regranted 10.0.0.2 10.0.0.3");
    expect(scene.ask("c", { knownOnly: true })).toBe("store-full");
  }],
  ["a foreign destination stands behind a live one", (scene) => {
    ordinary(scene);
    scene.ask("a", { context: { dst_ip_addrs: ["20.0.0.1/32"] } });
    expect(scene.context().dst_ip_addrs).toEqual(["10.0.0.0/32", "20.0.0.1/32"]);
  }],
  ["the append policy drops only what the lease has just lost", (scene) => {
    scene.pool("p", ["10.0.0.0/29"]);
    scene.endpoint("nse", [["p"]], "append");
    scene.ask("b");
    const other = scene.context().src_ip_addrs;
    scene.ask("a", { context: { src_ip_addrs: other } });
    expect(scene.context().src_ip_addrs).toEqual(["10.0.0.1/32", "10.0.0.3/32"]);
    scene.ask("a", { context: scene.context(), excluded: ["10.0.0.3/32"] });
    expect(scene.context().src_ip_addrs).toEqual(["10.0.0.1/32", "10.0.0.4/32"]);
  }],
  ["overlap and use keep a pool from being defined or retired", (scene) => {
    ordinary(scene);
    expect(scene.pool("q", ["10.0.0.4/30"])).toBe("pool-overlap");
    expect(scene.submit({ kind: "retire-pool", pool: "p" })).toMatchObject({ ok: false, refusal: { code: "in-use", subject: "p", other: "nse" } });
    scene.submit({ kind: "retire-endpoint", endpoint: "nse" });
    expect(scene.submit({ kind: "retire-pool", pool: "p" })).toMatchObject({ ok: true });
    expect(scene.pool("q", ["10.0.0.4/30"])).toBe("ok");
  }],
  ["after everybody has left everything is free", (scene) => {
    ordinary(scene);
    for (const client of ["a", "b", "c", "d"]) scene.ask(client);
    expect(scene.free("p")).toBe("0");
    for (const client of ["c", "a", "d", "b"]) scene.close(client);
    expect(scene.free("p")).toBe("8");
  }],
];
