import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type SftpClient from 'ssh2-sftp-client'
import { orAborted } from '../../../core/concurrency/or-aborted.ts'
import { ownValue } from '../../../core/values/record-keys.ts'
import { toFault } from '../faults.ts'
import type { HostKeys } from '../host-keys.ts'
import { fullName } from '../http-auth.ts'
import { listTree } from '../list-tree.ts'
import type { RemoteLocation } from '../location.ts'
import { childOf } from '../location.ts'
import type { RemoteCredentials, RemoteProtocol, SessionOptions } from '../protocol.ts'
import type { ListOptions, ReadFrom, RemoteBody, RemoteEntry, RemoteSession } from '../remote.ts'
import { RemoteFault } from '../remote.ts'

const readyMs = 30_000

/** Signature algorithms that a server may use for each kind of key. */
const algorithmsOf: Record<string, string[]> = { 'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] }

/** Converts a path for the server; `/~/` starts a path relative to the user's home folder. */
function pathOf({ path }: RemoteLocation): string {
  return path.replace(/^\/~\//, './')
}

function sftpFault(error: unknown): Error {
  const { code, message = '', level } = error as { code?: unknown; message?: string; level?: string }
  const isRefusal = level === 'client-authentication' || /authentication methods failed/.test(message)
  if (isRefusal) {
    return new RemoteFault('the server rejects this username and password', { isPassing: false })
  }
  const isAbsent = code === 'ENOTEXIST' || code === 'ENOENT' || code === 2 || code === 3
  return toFault(error, isAbsent || /Permission denied|No such file/i.test(message) ? false : undefined)
}

/** Aborting leaves the connection open: the caller that opened it must close it. */
async function withSignal<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  try {
    return await orAborted(work(), signal)
  } catch (error) {
    signal.throwIfAborted()
    throw sftpFault(error)
  }
}

interface Refusal {
  error?: unknown
}

function connectOptions(
  location: RemoteLocation,
  credentials: RemoteCredentials,
  hostKeys: HostKeys,
  refusal: Refusal,
) {
  const { host, port } = location
  const { username, password } = credentials
  const kinds = hostKeys.kindsOf(host, port)
  return {
    username: username === undefined ? 'anonymous' : fullName({ ...credentials, username }),
    password,
    readyTimeout: readyMs,
    tryKeyboard: password !== undefined,
    hostVerifier: (key: Buffer): boolean => {
      try {
        hostKeys.verify(host, port, key)
        return true
      } catch (error) {
        refusal.error = error
        return false
      }
    },
    algorithms:
      kinds.length === 0
        ? undefined
        : { serverHostKey: kinds.flatMap((kind) => ownValue(algorithmsOf, kind) ?? [kind]) },
  }
}

/** Reads by SFTP with a password, from servers with a known or new key. */
class SftpSession implements RemoteSession {
  readonly #client: SftpClient
  readonly #socket: Socket

  private constructor(client: SftpClient, socket: Socket) {
    this.#client = client
    this.#socket = socket
  }

  static async open(
    location: RemoteLocation,
    options: SessionOptions,
    signal: AbortSignal,
  ): Promise<SftpSession> {
    const { default: Client } = await import('ssh2-sftp-client')
    const ignore = (): void => undefined
    const client = new Client('terrane', { error: ignore, end: ignore, close: ignore })
    const { password = '' } = options.credentials
    client.on('keyboard-interactive', (_name, _text, _language, prompts, answer) =>
      answer(prompts.map(() => password)),
    )
    const refusal: Refusal = {}
    const sock = await options.guard.connect(location.host, location.port, signal)
    try {
      await withSignal(signal, () =>
        client.connect({
          ...connectOptions(location, options.credentials, options.hostKeys, refusal),
          sock,
        } as SftpClient.ConnectOptions),
      )
    } catch (error) {
      sock.destroy()
      throw refusal.error ?? error
    }
    return new SftpSession(client, sock)
  }

  async read(location: RemoteLocation, { offset }: ReadFrom, signal: AbortSignal): Promise<RemoteBody> {
    const path = pathOf(location)
    const status = await withSignal(signal, () => this.#client.stat(path))
    if (!status.isFile) throw new RemoteFault('it is not a file', { isPassing: false })
    const options = { start: offset, highWaterMark: 1 << 18 }
    return {
      chunks: this.#client.createReadStream(path, options) as unknown as Readable,
      offset,
      totalBytes: status.size,
      version: `${status.modifyTime} ${status.size}`,
    }
  }

  async list(location: RemoteLocation, options: ListOptions): Promise<RemoteEntry[] | undefined> {
    const client = this.#client
    const { signal } = options
    const { isDirectory } = await withSignal(signal, () => client.stat(pathOf(location)))
    if (!isDirectory) return undefined
    const root = location.path.endsWith('/') ? location : childOf(location, '', true)
    return listTree(root, options, async (folder) => {
      const found = await withSignal(signal, () => client.list(pathOf(folder)))
      return found.map(({ name, type }) => ({
        name,
        kind: type === '-' ? 'file' : type === 'd' ? 'folder' : 'other',
        location: childOf(folder, name, type === 'd'),
      }))
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** SFTP, the file transfer of SSH. */
export const sftp: RemoteProtocol = {
  ports: { sftp: 22 },
  open: (location, options, signal) => SftpSession.open(location, options, signal),
}
