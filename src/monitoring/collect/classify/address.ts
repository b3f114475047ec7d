import { isIPv4, isIPv6 } from 'node:net'
import type { PrivacyMode } from '../../../core/config/monitoring-settings.ts'

/** An IP address in canonical form; an IPv4-mapped IPv6 address counts as IPv4. */
export interface Address {
  text: string
  /** Four numbers of 8 bits, or eight of 16 bits. */
  parts: number[]
}

const maxLength = 100

/** Reads an address, with or without a zone; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > maxLength) return undefined
  if (isIPv4(text)) return fromV4(text.split('.').map(Number))
  const plain = text.split('%', 1)[0] ?? ''
  if (!isIPv6(plain)) return undefined
  const parts = toGroups(plain)
  const [high = 0, low = 0] = parts.slice(6)
  const isMapped = parts.slice(0, 5).every((one) => one === 0) && parts[5] === 0xffff
  if (isMapped) return fromV4([high >> 8, high & 255, low >> 8, low & 255])
  return { text: toText(parts), parts }
}

function fromV4(parts: number[]): Address {
  return { text: parts.join('.'), parts }
}

function toGroups(text: string): number[] {
  const [head = '', tail] = text.split('::', 2)
  const front = groupsOf(head)
  if (tail === undefined) return front
  const back = groupsOf(tail)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}

/** Formats an address by RFC 5952: lower case, the longest run of zeros as `::`. */
function toText(parts: number[]): string {
  const text = parts.map((one) => one.toString(16)).join(':')
  const runs = [...text.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)]
  const longest = runs.toSorted((a, b) => b[0].length - a[0].length)[0]
  if (longest === undefined) return text
  const before = text.slice(0, longest.index).replace(/:$/, '')
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '')
  return `${before}::${after}`
}

/**
 * Returns the part of an address that may be stored: its network of 24 or 48 bits, the whole address, or
 * null.
 */
export function storedAddress({ text, parts }: Address, privacy: PrivacyMode): string | null {
  if (privacy === 'none') return null
  if (privacy === 'full') return text
  if (parts.length === 4) return [...parts.slice(0, 3), 0].join('.')
  const [a = 0, b = 0, c = 0] = parts
  // 6to4 contains an IPv4 address in its network part.
  return toText([a, b, a === 0x2002 ? c & 0xff00 : c, 0, 0, 0, 0, 0])
}

/** True if the address is public, so that it can have a location. */
export function isPublicAddress({ parts }: Address): boolean {
  const [a = 0, b = 0] = parts
  if (parts.length === 8) return a >> 13 === 1
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false
  if (a === 100) return b < 64 || b > 127
  if (a === 169) return b !== 254
  if (a === 172) return b < 16 || b > 31
  return !(a === 192 && b === 168)
}
