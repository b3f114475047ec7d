import type { Caller, Role } from './caller.ts'

/** Somebody who may log in. */
export interface User {
  name: string
  email: string | undefined
  role: Role
  /** False: neither password nor tokens let them in, and none of their sessions goes on. */
  isEnabled: boolean
  passwordHash: string
  createdAt: string
  updatedAt: string
}

/** What a program proves by who calls. */
export interface Token {
  id: number
  caption: string
  createdAt: string
  expiresAt: string | undefined
  lastUsedAt: string | undefined
}

/** A login of the web pages. */
export interface Session {
  user: User
  csrfToken: string
  expiresAt: string
}

/** How long a session lasts from its start. */
export const sessionSeconds = 12 * 3600

/** What somebody gives to prove who they are. */
export type Credentials =
  | { kind: 'basic'; name: string; password: string }
  | { kind: 'bearer'; token: string }
  | { kind: 'session'; id: string }

/** Who calls, with the session's CSRF token where the caller came by a session. */
export interface Authenticated {
  caller: Caller
  csrfToken?: string
}

/** What one hash costs: 128 * r * 2^logN bytes, p times over. */
export interface PasswordCost {
  logN: number
  r: number
  p: number
}
