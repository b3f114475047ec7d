import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { Socket } from 'node:net'
import { connect, isIP } from 'node:net'
import { orAborted } from '../../core/concurrency/or-aborted.ts'
import { invalid } from '../../core/errors/errors.ts'
import { holdsAddress, isClosedAddress, networkSet } from '../../core/network/addresses.ts'
import { isOfThisHost } from '../../core/network/reach.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { RemoteFault } from './remote.ts'

export interface GuardOptions {
  /** Private networks that may be accessed. */
  allow: readonly string[]
  /** Returns the port that this server listens on, which must not be accessed on this host. */
  ownPort(): number | undefined
  /** Resolves host names; default: the resolver of the system. */
  resolve?(host: string): Promise<LookupAddress[]>
}

/** Opens connections to permitted addresses only. */
export interface AddressGuard {
  /**
   * Throws `Failure` (`remote-address-refused`) for an address that is not permitted; `host` is its name in
   * the message.
   */
  check(host: string, address: string, port: number): void
  /** Returns the checked addresses of a host; callers must connect to these without another lookup. */
  resolve(host: string, port: number, signal: AbortSignal): Promise<string[]>
  /**
   * Connects to one of the host's addresses, each checked after resolving; the name is not looked up again.
   * Throws `Failure` (`remote-address-refused`) or `RemoteFault`.
   */
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>
}

const attemptMs = 15_000

function refuse(host: string, address: string, why: string): never {
  const name = host === address ? `"${host}"` : `"${host}" (${address})`
  throw invalid('remote-address-refused', `${name} is not fetched from: ${why}`)
}

const lookupCodes: Record<string, string> = {
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'its name cannot be looked up now',
}

function lookupFault(host: string, error: unknown): RemoteFault {
  const { code } = error as NodeJS.ErrnoException
  const why = ownValue(lookupCodes, code ?? '') ?? 'its name cannot be looked up'
  return new RemoteFault(`${host}: ${why}`, { isPassing: code === 'EAI_AGAIN' })
}

function connectTo(address: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, signal, noDelay: true })
    const timer = setTimeout(() => socket.destroy(new Error('the connection takes too long')), attemptMs)
    socket.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners('error').on('error', () => undefined)
      resolve(socket)
    })
  })
}

function connectFault(host: string, port: number, error: unknown): RemoteFault {
  const { message } = error as Error
  return new RemoteFault(`${host}, port ${port}: ${message}`, { isPassing: true })
}

export function createAddressGuard(options: GuardOptions): AddressGuard {
  const allowed = networkSet(options.allow)
  const resolve = options.resolve ?? ((host) => lookup(host, { all: true, verbatim: true }))

  function check(host: string, address: string, port: number): void {
    if (port === options.ownPort() && isOfThisHost(address)) {
      refuse(host, address, 'that is this server itself')
    }
    if (holdsAddress(allowed, address)) return
    if (isClosedAddress(address) || isOfThisHost(address)) {
      refuse(
        host,
        address,
        'it is an address of this host or of a private network, which TERRANE_REMOTE_ALLOW does not list',
      )
    }
  }

  async function addressesOf(host: string, signal: AbortSignal): Promise<string[]> {
    if (isIP(host) !== 0) return [host]
    const found = await orAborted(resolve(host), signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw lookupFault(host, error)
    })
    return found.map((one) => one.address)
  }

  async function resolveChecked(host: string, port: number, signal: AbortSignal): Promise<string[]> {
    const addresses = await addressesOf(host, signal)
    for (const address of addresses) check(host, address, port)
    return addresses
  }

  return {
    check,
    resolve: resolveChecked,
    connect: async (host, port, signal) => {
      const addresses = await resolveChecked(host, port, signal)
      let last: unknown = new Error('it has no address')
      for (const address of addresses) {
        try {
          return await connectTo(address, port, signal)
        } catch (error) {
          signal.throwIfAborted()
          last = error
        }
      }
      throw connectFault(host, port, last)
    },
  }
}
