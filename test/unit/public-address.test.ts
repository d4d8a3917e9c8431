import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../src/lib/public-address.ts";

it.each([
  "8.8.8.8",
  "93.184.216.34",
  "172.32.0.1",
  "100.128.0.1",
  "2606:4700::1111",
  "64:ff9b::8.8.8.8",
])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

it.each([
  ["this machine", ["127.0.0.1", "127.255.255.254", "0.0.0.0", "::1", "::"]],
  ["private networks", ["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd12::1"]],
  ["carriers' networks", ["100.64.0.1", "100.127.255.255"]],
  ["the local link", ["169.254.1.1", "fe80::1", "fe80::1%eth0"]],
  ["clouds' metadata", ["169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"]],
  ["many at once", ["224.0.0.1", "255.255.255.255", "ff02::1"]],
  ["tunnels", ["2002:7f00:1::", "2001:0:7f00:1::", "64:ff9b:1::1"]],
  ["documentation", ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff:1::1"]],
  ["what is no address", ["localhost", "", "1.2.3", "256.1.1.1", "::1::"]],
])("%s: none is public", (_what, addresses) => {
  for (const address of addresses) expect(isPublicAddress(address), address).toBe(false);
});

const byte = fc.integer({ min: 0, max: 255 });
const v4 = fc.tuple(byte, byte, byte, byte).map((parts) => parts.join("."));
const group = fc.integer({ min: 0, max: 0xffff });
const v6 = fc
  .array(group, { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((value) => value.toString(16)).join(":"));

describe("whatever the address", () => {
  it("an IPv4 address written inside an IPv6 one is judged as itself", () => {
    fc.assert(
      fc.property(v4, (address) => {
        const itself = isPublicAddress(address);
        expect(isPublicAddress(`::ffff:${address}`)).toBe(itself);
        expect(isPublicAddress(`64:ff9b::${address}`)).toBe(itself);
      }),
    );
  });

  it("long and short writings of an IPv6 address are judged alike", () => {
    fc.assert(
      fc.property(v6, (address) => {
        const short = new URL(`https://[${address}]/`).hostname.slice(1, -1);
        expect(isPublicAddress(short)).toBe(isPublicAddress(address));
      }),
    );
  });

  it.each([
    ["10.0.0.0/8", (b: string) => `10.${b}`],
    ["127.0.0.0/8", (b: string) => `127.${b}`],
    ["224.0.0.0/4", (b: string, n: number) => `${224 + (n % 16)}.${b}`],
    ["240.0.0.0/4", (b: string, n: number) => `${240 + (n % 16)}.${b}`],
  ])("nothing in %s is public", (_range, make) => {
    const last3 = fc.tuple(byte, byte, byte).map((parts) => parts.join("."));
    fc.assert(fc.property(last3, byte, (rest, n) => !isPublicAddress(make(rest, n))));
  });

  it("nothing outside 2000::/3 is public, but for translated IPv4", () => {
    fc.assert(
      fc.property(v6, (address) => {
        const first = Number.parseInt(address, 16);
        fc.pre(first >> 13 !== 1 && first !== 0 && first !== 0x64);
        expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });
});
