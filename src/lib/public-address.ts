import { BlockList, isIP } from "node:net";

/**
 * Is this the address of a machine on the public internet? Only such are fetched for somebody
 * else: whatever is near us (this machine, its network, the cloud's metadata) trusts us more than it
 * should. IPv6 that carries an IPv4 address is judged by that one.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, ""); // a zone names a local link
  if (plain !== address) return false;
  const version = isIP(plain);
  if (version === 4) return isPublicV4(plain);
  if (version === 6) return isPublicV6(groupsOf(plain));
  return false;
}

/** RFC 6890 and its followers. */
const NOT_PUBLIC_V4 = blockList([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // carriers' NAT; a cloud's metadata, too
  ["127.0.0.0", 8],
  ["168.63.129.16", 32], // Azure's metadata, in the middle of public addresses
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

function blockList(ranges: readonly [string, number][]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of ranges) list.addSubnet(net, prefix, "ipv4");
  return list;
}

function isPublicV4(address: string): boolean {
  return !NOT_PUBLIC_V4.check(address, "ipv4");
}

function isPublicV6(groups: readonly number[]): boolean {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = groups;
  const startsWithZeros = (a | b | c | d | e) === 0;
  // ::ffff:1.2.3.4, and what translators make of IPv4 (64:ff9b::1.2.3.4)
  if (startsWithZeros && f === 0xffff) return isPublicV4(lastV4(groups));
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) return isPublicV4(lastV4(groups));
  const isGlobalUnicast = (a & 0xe000) === 0x2000;
  return isGlobalUnicast && !isSpecial(a, b);
}

/** Inside 2000::/3, but tunnels to IPv4 addresses, documentation and protocols' own blocks. */
function isSpecial(first: number, second: number): boolean {
  if (first === 0x2001 && second < 0x200) return true; // 2001::/23 holds Teredo and ORCHID
  if (first === 0x2001 && second === 0xdb8) return true;
  if (first === 0x2002) return true; // 6to4
  return first === 0x3fff && second < 0x1000; // 3fff::/20, documentation
}

function lastV4(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const before = parseGroups(head);
  if (tail === undefined) return before;
  const after = parseGroups(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function parseGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
