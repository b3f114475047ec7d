import type { SessionOptions } from './http-session.ts'
import { HttpSession } from './http-session.ts'
import type { RemoteLocation } from './location.ts'
import type { RemoteSession } from './remote.ts'

/** A session for a location; the clients of other protocols than HTTP are loaded when they are first needed. */
export async function openSession(
  location: RemoteLocation,
  options: SessionOptions,
  _signal: AbortSignal,
): Promise<RemoteSession> {
  switch (location.scheme) {
    case 'http':
    case 'https':
      return new HttpSession(options)
    default:
      throw new Error(location.scheme)
  }
}
