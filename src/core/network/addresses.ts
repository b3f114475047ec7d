import type { IPVersion } from 'node:net'
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Networks that are not part of the public internet (IANA special-purpose registries). */
const closedNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

let closedSet: BlockList | undefined

/** Created on first use: most threads never check an address. */
function isClosed(address: string): boolean {
  closedSet ??= networkSet(closedNetworks)
  return has(closedSet, address)
}

/** Returns the eight groups of an IPv6 address without its zone. */
function groupsOf(address: string): number[] {
  const text = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
      [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((one) => one.toString(16)).join(':'),
    )
  const [head = '', tail] = text.split('::')
  const parse = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const left = parse(head)
  const right = parse(tail ?? '')
  return [...left, ...new Array<number>(Math.max(0, 8 - left.length - right.length)).fill(0), ...right]
}

function ipv4Of(high = 0, low = 0): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/**
 * Returns the IPv4 address embedded in an IPv6 address: mapped and compatible (RFC 4291), NAT64 (RFC 6052),
 * 6to4 (RFC 3056), Teredo (RFC 4380).
 */
export function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined
  const groups = groupsOf(address)
  const [first, second] = groups
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0)
  if (isZero(0, 5) && (groups[5] === 0xffff || groups[5] === 0)) return ipv4Of(groups[6], groups[7])
  if (isZero(0, 4) && groups[4] === 0xffff && groups[5] === 0) return ipv4Of(groups[6], groups[7])
  if (first === 0x64 && second === 0xff9b && isZero(2, 6)) return ipv4Of(groups[6], groups[7])
  if (first === 0x2002) return ipv4Of(groups[1], groups[2])
  if (first === 0x2001 && second === 0) return ipv4Of((groups[6] ?? 0) ^ 0xffff, (groups[7] ?? 0) ^ 0xffff)
  return undefined
}

/** True if an address, or the IPv4 address embedded in it, is local, private or reserved. */
export function isClosedAddress(address: string): boolean {
  const inner = embeddedIpv4(address)
  return isClosed(address) || (inner !== undefined && isClosed(inner))
}

/** True if the set contains the address; a mapped address (`::ffff:10.0.0.1`) counts as its IPv4 address. */
export function holdsAddress(set: BlockList, address: string): boolean {
  const inner = /^::ffff:/i.test(address) ? embeddedIpv4(address) : undefined
  return has(set, address) || (inner !== undefined && has(set, inner))
}

/** Returns the address itself, or the /64 network of an IPv6 address, which one customer usually owns. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const groups = (text: string | undefined): string[] => (text ?? '').split(':').filter((one) => one !== '')
  const before = groups(head)
  const after = groups(tail)
  const all = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** True if the set contains the address; its zone is ignored. */
export function has(set: BlockList, address: string): boolean {
  return set.check(address.replace(/%.*$/, ''), familyOf(address))
}

function familyOf(address: string): IPVersion {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** Creates a set from networks and single addresses. */
export function networkSet(networks: readonly string[]): BlockList {
  const set = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    if (prefix === undefined) set.addAddress(address, familyOf(address))
    else set.addSubnet(address, Number(prefix), familyOf(address))
  }
  return set
}
