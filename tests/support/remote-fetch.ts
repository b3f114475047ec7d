import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Failure } from '../../src/core/errors/errors.ts'
import { defined } from '../../src/core/values/defined.ts'
import { createAddressGuard } from '../../src/inputs/remote/address-guard.ts'
import type { DownloadLimits } from '../../src/inputs/remote/download.ts'
import { fetchRemote } from '../../src/inputs/remote/fetch-remote.ts'
import { createHostKeys } from '../../src/inputs/remote/host-keys.ts'
import { parseLocation } from '../../src/inputs/remote/parse-location.ts'
import type { RemoteCredentials } from '../../src/inputs/remote/protocol.ts'
import { openFolder } from './remote-servers.ts'
import { patienceMs } from './until.ts'

const usual: DownloadLimits = {
  maxBytes: 1 << 20,
  maxEntries: 100,
  totalMs: patienceMs,
  stallMs: patienceMs,
  tries: 3,
  retryMs: 5,
}

export interface FetchSettings {
  limits?: Partial<DownloadLimits>
  credentials?: RemoteCredentials
  allow?: string[]
  signal?: AbortSignal
  ownPort?: () => number
  s3Endpoint?: string
}

/** Fetches into a folder of the test's own; gives the names and contents of what came. */
export async function fetchInto(test: TestContext, address: string, settings: FetchSettings = {}) {
  const folder = openFolder(test)
  const { location, credentials } = parseLocation(address)
  const reported: number[] = []
  const options = {
    guard: createAddressGuard({
      allow: settings.allow ?? ['127.0.0.1/32'],
      ownPort: settings.ownPort ?? (() => undefined),
    }),
    authorities: [],
    hostKeys: createHostKeys(join(openFolder(test), 'known_hosts'), false),
    s3: { region: 'us-east-1', ...defined({ endpoint: settings.s3Endpoint }) },
    limits: { ...usual, ...settings.limits },
    signal: settings.signal ?? new AbortController().signal,
    credentials: { ...credentials, ...settings.credentials },
    onProgress: ({ bytes }: { bytes: number }) => void reported.push(bytes),
  }
  try {
    await fetchRemote(location, folder, options)
  } catch (error) {
    assert.deepEqual(readdirSync(folder), [], 'a part was left behind')
    throw error
  }
  const names = readdirSync(folder).sort()
  return { names, text: readFileSync(join(folder, names[0] ?? ''), 'utf8'), reported }
}

/** Returns a predicate that is true if an error is a failure with this code and a matching message. */
export const isFailure =
  (code: string, message: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof Failure && error.code === code, String(error))
    assert.match(error.message, message)
    return true
  }

/** Starts a server of bare connections, ended after the test; gives its port. */
export async function startRawServer(test: TestContext, answer: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    answer(socket.on('error', () => undefined))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
