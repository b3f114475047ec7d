import type { Area } from './app-types.ts'
import { tokensArea } from './auth/tokens-area.ts'
import { usersArea } from './auth/users-area.ts'
import { healthArea } from './health.ts'
import { ogcArea } from './ogc/ogc-area.ts'

/** Every area of paths, one line each. */
export const areas: Area[] = [
  healthArea, // /health
  usersArea, // /rest/security/users, /rest/security/self/password
  ogcArea, // /ogc
  tokensArea, // /rest/security/tokens
]
