import { createHash } from 'node:crypto'
import { persist, SessionSource } from './attempts.ts'
import type { FetchOptions } from './fetch-remote.ts'
import { toFailure } from './fetch-remote.ts'
import type { RemoteLocation } from './location.ts'
import { findProtocol } from './registry.ts'
import type { RemoteEntry, RemoteSession } from './remote.ts'

/**
 * Returns a text that changes with the data at a location, without fetching them: the ETag or time of a file,
 * or a digest of those below a folder. Undefined if the server says nothing. `known` is the text of an earlier
 * call. Throws a `Failure` that names the location.
 */
export async function probeRemote(
  location: RemoteLocation,
  options: Omit<FetchOptions, 'onProgress'>,
  known?: string,
): Promise<string | undefined> {
  const { limits, signal, credentials } = options
  const within = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)])
  const sessions = new SessionSource((at) => findProtocol(location.scheme).open(location, options, at))
  try {
    return await persist(
      { sessions, limits, signal: within },
      () => 0,
      async ({ session, signal: until, touch }) => {
        const entries = await session.list?.(location, {
          maxEntries: limits.maxEntries,
          signal: until,
          touch,
        })
        return entries === undefined
          ? await validatorOfFile(session, location, known, until)
          : versionOfEntries(entries)
      },
    )
  } catch (error) {
    signal.throwIfAborted()
    throw toFailure(error, location, credentials)
  } finally {
    sessions.drop()
  }
}

async function validatorOfFile(
  session: RemoteSession,
  location: RemoteLocation,
  known: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const body = await session.read(location, { offset: 0, unless: known }, signal)
  body.chunks.on('error', () => undefined)
  body.chunks.destroy()
  return body.validator ?? body.version
}

function versionOfEntries(entries: readonly RemoteEntry[]): string | undefined {
  if (entries.some(({ version }) => version === undefined)) return undefined
  const lines = entries.map(({ name, version }) => JSON.stringify([name, version])).sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}
