import { computed, signal } from '@preact/signals'
import { storedChoice } from '../lib/stored.ts'
import { call, Refusal, useCallerState } from '../wire/client.ts'

/** Who is signed in, as `/rest/security/session` tells. */
export interface Session {
  user: string
  role: 'user' | 'staff' | 'admin'
  csrfToken?: string
  expires?: string
}

interface SessionReply {
  session: Session
}

/** Undefined as long as nobody knows, null where nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)

/** Whether a dialog asks for a login, since the session has ended. */
export const isAsking = signal(false)

export const isStaff = computed(() => session.value?.role === 'staff' || session.value?.role === 'admin')

const place = '/rest/security/session'
const waiting: ((isIn: boolean) => void)[] = []

const wasIn = storedChoice('signed-in', ['yes', 'no'], 'no')

/** Asks who is signed in, where somebody was in this browser. */
export async function findSession(): Promise<void> {
  if (wasIn.peek() === 'no') {
    session.value = null
    return
  }
  try {
    session.value = (await call<SessionReply>({ path: place, isSignIn: true })).session
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    session.value = null
  }
}

/** Throws the server's refusal. */
export async function signIn(name: string, password: string): Promise<void> {
  const body = { session: { name, password } }
  session.value = (await call<SessionReply>({ method: 'POST', path: place, body, isSignIn: true })).session
  wasIn.value = 'yes'
  settle(true)
}

export async function signOut(): Promise<void> {
  await call({ method: 'DELETE', path: place })
  wasIn.value = 'no'
  session.value = null
}

/** Somebody would not sign in again. */
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
    // Who was not signed in has lost nothing.
    if (session.peek() === null || session.peek() === undefined) return false
    isAsking.value = true
    return new Promise((resolve) => waiting.push(resolve))
  },
})
