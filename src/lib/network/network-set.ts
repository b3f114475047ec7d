import type { IPVersion } from 'node:net'
import { BlockList, isIP } from 'node:net'

/** True if the set contains the address; its zone is ignored. */
export function has(set: BlockList, address: string): boolean {
  return set.check(address.replace(/%.*$/, ''), familyOf(address))
}

function familyOf(address: string): IPVersion {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/** A set of addresses from networks and single addresses. */
export function networkSet(networks: readonly string[]): BlockList {
  const set = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    if (prefix === undefined) set.addAddress(address, familyOf(address))
    else set.addSubnet(address, Number(prefix), familyOf(address))
  }
  return set
}
