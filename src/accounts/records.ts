import type { Role } from './caller.ts'

export interface User {
  name: string
  email: string | undefined
  role: Role
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
