import { isIPv6 } from 'node:net'

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
