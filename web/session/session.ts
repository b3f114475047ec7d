import { computed, signal } from '@preact/signals'
import { call, Refusal, useCallerState } from '../api/client.ts'
import { storedChoice } from '../lib/stored.ts'
import { findSubject, type SeenSubject, seenSubject } from './see-as.ts'
import type { PasskeyOptions } from './web-authn.ts'

/** The current session, from `/rest/security/session`. */
export interface Session {
  user: string
  role: 'user' | 'staff' | 'admin'
  csrfToken?: string
  expires?: string
}

interface SessionReply {
  session: Session
}

/** Undefined until it is known, null without a session. */
export const session = signal<Session | null | undefined>(undefined)

/** True while the sign-in dialog is open after a session has ended. */
export const isAsking = signal(false)

export const isStaff = computed(() => session.value?.role === 'staff' || session.value?.role === 'admin')

const place = '/rest/security/session'
const waiting: ((isIn: boolean) => void)[] = []

const wasIn = storedChoice('signed-in', ['yes', 'no'], 'no')

/** Loads the session, if this browser had one. */
export async function findSession({ isForced = false }: { isForced?: boolean } = {}): Promise<void> {
  if (!isForced && wasIn.peek() === 'no') {
    session.value = null
    return
  }
  try {
    const found = (await call<SessionReply>({ path: place, isSignIn: true })).session
    const subject = await findSubject(found.role === 'admin')
    seenSubject.value = subject
    session.value = subject === undefined ? found : sessionOf(subject)
    wasIn.value = 'yes'
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    session.value = null
  }
}

/** The session that a subject has whom an administrator sees as. */
function sessionOf({ name, role }: SeenSubject): Session | null {
  return role === undefined ? null : { user: name, role }
}

/** Throws the server's refusal. */
export async function signIn(name: string, password: string, code?: string): Promise<void> {
  const body = { session: { name, password, code } }
  session.value = (await call<SessionReply>({ method: 'POST', path: place, body, isSignIn: true })).session
  wasIn.value = 'yes'
  settle(true)
}

/** Signs in with a passkey that the browser asks for. Throws the server's refusal, or the browser's `DOMException`. */
export async function signInByPasskey(): Promise<void> {
  type Begun = { passkey: { options: PasskeyOptions; transaction: string } }
  const { findPasskey } = await import('./web-authn.ts')
  const begun = await call<Begun>({ method: 'POST', path: `${place}/passkey-options`, isSignIn: true })
  const { options, transaction } = begun.passkey
  const body = { passkey: { transaction, response: await findPasskey(options) } }
  await call({ method: 'POST', path: `${place}/passkey`, body, isSignIn: true })
  await findSession({ isForced: true })
  settle(true)
}

/** `leave` goes to a page that needs no session, before there is none. */
export async function signOut(leave: () => void): Promise<void> {
  const reply = await call<{ logout?: { providerUrl: string } } | undefined>({
    method: 'DELETE',
    path: place,
  })
  wasIn.value = 'no'
  leave()
  session.value = null
  if (reply?.logout !== undefined) location.assign(reply.logout.providerUrl)
}

/** Called when the reader cancels the dialog. */
export function giveUp(): void {
  session.value = null
  settle(false)
}

function settle(isIn: boolean): void {
  isAsking.value = false
  for (const tell of waiting.splice(0)) tell(isIn)
}

useCallerState({
  csrfToken: () => session.peek()?.csrfToken,
  signInAgain: async () => {
    // A reader without a session cannot lose one.
    if (session.peek() === null || session.peek() === undefined) return false
    isAsking.value = true
    return new Promise((resolve) => waiting.push(resolve))
  },
})
