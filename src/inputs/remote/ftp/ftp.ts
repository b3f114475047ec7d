import { PassThrough, Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { Client, FileInfo } from 'basic-ftp'
import type { AddressGuard } from '../address-guard.ts'
import { toFault } from '../faults.ts'
import { fullName } from '../http-auth.ts'
import { tlsOptions } from '../http-connection.ts'
import { listTree } from '../list-tree.ts'
import type { RemoteLocation } from '../location.ts'
import { childOf } from '../location.ts'
import type { RemoteProtocol, SessionOptions } from '../protocol.ts'
import type { ListOptions, ReadFrom, RemoteBody, RemoteEntry, RemoteSession } from '../remote.ts'
import { RemoteFault } from '../remote.ts'

/** Implicit TLS uses this port; on any other the connection is upgraded. */
const implicitFtpsPort = 990
const maxListingBytes = 16 << 20

/**
 * Returns a path according to RFC 1738: relative to the login folder, unless it starts with a second slash.
 */
function pathOf({ path }: RemoteLocation): string {
  return path.slice(1)
}

function ftpFault(error: unknown): Error {
  const { code } = error as { code?: unknown }
  return toFault(error, typeof code === 'number' ? code < 500 : undefined)
}

/** Runs work with a client that is closed when the signal aborts. */
async function withSignal<T>(client: Client, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const close = (): void => client.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    throw ftpFault(error)
  } finally {
    signal.removeEventListener('abort', close)
  }
}

/** Data connections go to the host of the control connection, and never to this server itself. */
function guardTransfers(client: Client, guard: AddressGuard): void {
  const prepare = client.prepareTransfer
  client.prepareTransfer = async function guarded(ftp) {
    const reply = await prepare(ftp)
    // The library replaces this function by the one that worked.
    client.prepareTransfer = guarded
    const { remoteAddress = '', remotePort = 0 } = ftp.dataSocket ?? {}
    try {
      guard.check(remoteAddress, remoteAddress, remotePort)
    } catch (error) {
      ftp.dataSocket?.destroy()
      throw error
    }
    return reply
  }
}

/** Connects to the first address that responds. */
async function connect(
  client: Client,
  location: RemoteLocation,
  options: Pick<SessionOptions, 'authorities' | 'guard'>,
  signal: AbortSignal,
): Promise<void> {
  const { host, port } = location
  const tls = { host, ...tlsOptions(host, options.authorities) }
  let last: unknown = new RemoteFault(`${host} has no address`, { isPassing: true })
  for (const address of await options.guard.resolve(host, port, signal)) {
    try {
      await connectTo(client, location, tls, address)
      return
    } catch (error) {
      signal.throwIfAborted()
      last = error
    }
  }
  throw last
}

async function connectTo(client: Client, location: RemoteLocation, tls: ConnectionOptions, address: string) {
  const { port, scheme } = location
  if (scheme === 'ftps' && port === implicitFtpsPort) await client.connectImplicitTLS(address, port, tls)
  else {
    await client.connect(address, port)
    if (scheme === 'ftps') await client.useTLS(tls)
  }
}

/** Reads by FTP, and by FTPS: upgraded, or with TLS from the start on port 990. */
class FtpSession implements RemoteSession {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  static async open(
    location: RemoteLocation,
    options: SessionOptions,
    signal: AbortSignal,
  ): Promise<FtpSession> {
    const { default: ftp } = await import('basic-ftp')
    const { username, password } = options.credentials
    const name = username === undefined ? 'anonymous' : fullName({ ...options.credentials, username })
    const client = new ftp.Client(0, { allowSeparateTransferHost: false, maxListingBytes })
    try {
      await withSignal(client, signal, async () => {
        await connect(client, location, options, signal)
        guardTransfers(client, options.guard)
        await client.login(name, password ?? 'anonymous@')
        await client.useDefaultSettings()
      })
    } catch (error) {
      client.close()
      throw error
    }
    return new FtpSession(client)
  }

  async read(location: RemoteLocation, { offset }: ReadFrom, signal: AbortSignal): Promise<RemoteBody> {
    const client = this.#client
    const path = pathOf(location)
    if (path === '') throw new RemoteFault('it contains no file name', { isPassing: false })
    const [totalBytes, changedAt] = await withSignal(client, signal, async () => [
      await client.size(path).catch(unlessClosed(client)),
      await client.lastMod(path).catch(unlessClosed(client)),
    ])
    const version = changedAt === undefined ? undefined : `${String(changedAt)} ${String(totalBytes)}`
    return {
      chunks: Readable.from(this.#chunks(path, offset, signal), { objectMode: false }),
      offset,
      totalBytes: typeof totalBytes === 'number' ? totalBytes : undefined,
      version,
    }
  }

  async list(location: RemoteLocation, options: ListOptions): Promise<RemoteEntry[] | undefined> {
    if (!location.path.endsWith('/')) return undefined
    return listTree(location, options, async (folder) => {
      const found = await withSignal(this.#client, options.signal, () => this.#client.list(pathOf(folder)))
      return found.map((one: FileInfo) => ({
        name: one.name,
        kind: one.isFile ? 'file' : one.isDirectory ? 'folder' : 'other',
        location: childOf(folder, one.name, one.isDirectory),
      }))
    })
  }

  close(): void {
    this.#client.close()
  }

  /** Ends when the server has confirmed that everything was sent. */
  async *#chunks(path: string, offset: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    const client = this.#client
    const pipe = new PassThrough().on('error', () => undefined)
    let isDone = false
    const done = withSignal(client, signal, () => client.downloadTo(pipe, path, offset)).then(
      () => {
        isDone = true
      },
      (error: Error) => {
        pipe.destroy(error)
        throw error
      },
    )
    done.catch(() => undefined)
    try {
      yield* pipe as AsyncIterable<Buffer>
      await done
    } finally {
      if (!isDone) client.close()
    }
  }
}

/** Treats unsupported commands as absent values, but not a closed connection. */
function unlessClosed(client: Client) {
  return (error: unknown): undefined => {
    if (client.closed) throw error
    return undefined
  }
}

/** FTP, and FTPS: upgraded, or with TLS from the start. */
export const ftp: RemoteProtocol = {
  ports: { ftp: 21, ftps: 21 },
  open: (location, options, signal) => FtpSession.open(location, options, signal),
}
