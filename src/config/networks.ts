import { isIP } from 'node:net'
import type { Reader } from './parse.ts'

/** Reads addresses, networks, and names for some of them. */
export function readNetworks(read: Reader, name: string, names: readonly string[] = []): string[] {
  return read.list(name).filter((one) => {
    const [address, prefix, ...rest] = one.split('/')
    const bits = isIP(address ?? '') === 6 ? 128 : 32
    const isNetwork =
      isIP(address ?? '') !== 0 &&
      rest.length === 0 &&
      (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
    if (isNetwork || names.includes(one)) return true
    read.problem(name, `must list addresses or networks such as 10.0.0.0/8, found "${one}"`)
    return false
  })
}
