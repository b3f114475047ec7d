import { signal } from '@preact/signals'
import { call, Refusal } from '../api/client.ts'
import type { Calls } from '../api/openapi.d.ts'
import { addressOf } from '../lib/base.ts'

type Access = Calls['GET /rest/security/access']['answer']['access']

/** Subject that an administrator sees the pages as. */
export interface SeenSubject {
  kind: 'anonymous' | 'user' | 'group'
  /** Empty for anonymous callers. */
  name: string
  /** Role of the subject; undefined for anonymous callers. */
  role: 'user' | 'staff' | 'admin' | undefined
}

/** The present subject; undefined: administrators see what they may see themselves. */
export const seenSubject = signal<SeenSubject | undefined>(undefined)

const cookieName = 'terrane_see_as'

/** Returns the value of the cookie that the server reads, without a role. */
function readCookie(): Pick<SeenSubject, 'kind' | 'name'> | undefined {
  const pair = document.cookie.split('; ').find((one) => one.startsWith(`${cookieName}=`))
  const [, kind, name = ''] =
    /^(anonymous|user|group)(?::(.+))?$/.exec(pair?.slice(cookieName.length + 1) ?? '') ?? []
  if (kind !== 'anonymous' && kind !== 'user' && kind !== 'group') return undefined
  return { kind, name: decodeName(name) }
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function writeCookie(value: string, seconds: number): void {
  // The Cookie Store API is missing without TLS.
  const cookie = `${cookieName}=${value}; path=${addressOf('/').replace(/(.)\/$/, '$1')}; max-age=${seconds}; samesite=lax`
  Reflect.set(document, 'cookie', cookie)
}

/** An hour: a forgotten view does not outlast the working day. */
const seconds = 3600

/** Opens a page as the subject sees it. */
export function beginSeeing({ kind, name }: Pick<SeenSubject, 'kind' | 'name'>, path: string): void {
  writeCookie(kind === 'anonymous' ? kind : `${kind}:${encodeURIComponent(name)}`, seconds)
  location.assign(addressOf(path))
}

/** Returns to the rights of the administrator, on the same page. */
export function stopSeeing(): void {
  writeCookie('', 0)
  location.reload()
}

/** Finds the subject of this browser, for an administrator; for others there is none. */
export async function findSubject(isAdmin: boolean): Promise<SeenSubject | undefined> {
  const named = readCookie()
  if (named === undefined) return undefined
  if (!isAdmin) {
    writeCookie('', 0)
    return undefined
  }
  const role = named.kind === 'anonymous' ? undefined : await roleOfSubject()
  return { ...named, role }
}

const roles = ['user', 'staff', 'admin'] as const

async function roleOfSubject(): Promise<SeenSubject['role']> {
  try {
    const requested = { path: '/rest/security/access', query: { resource: '*' }, isSignIn: true }
    const { role } = (await call<{ access: Access }>(requested)).access
    return roles.find((one) => one === role)
  } catch (error) {
    // The subject was deleted meanwhile: the server shows what anonymous callers see.
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Loads the page again if another tab has begun or stopped seeing as a subject. */
export function watchSubject(): () => void {
  const check = (): void => {
    const now = readCookie()
    const shown = seenSubject.peek()
    if (
      document.visibilityState === 'visible' &&
      (now?.kind !== shown?.kind || (now?.name ?? '') !== (shown?.name ?? ''))
    )
      location.reload()
  }
  document.addEventListener('visibilitychange', check)
  return () => document.removeEventListener('visibilitychange', check)
}
