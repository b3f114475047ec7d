import type { ApiArea } from '../app-types.ts'
import { addEndpoints, endpoint } from '../endpoint.ts'
import type { OidcDeps } from './oidc.ts'
import { endByProvider, finishOidc, startOidc } from './oidc.ts'
import {
  beginPasskey,
  beginPasskeySignIn,
  beginTotp,
  confirmTotp,
  createPasskey,
  deletePasskey,
  endOwnSession,
  endTotp,
  listOwnFactors,
  listOwnSessions,
  logInByPasskey,
} from './own-account.ts'
import { logIn, logOut, showSession } from './session.ts'
import { describeSignIn } from './sign-in.ts'
import {
  createToken,
  listOwnTokens,
  listUserTokens,
  revokeToken,
  revokeUserToken,
  showToken,
} from './tokens.ts'
import {
  changeOwnPassword,
  changeUser,
  createUser,
  deleteUser,
  endUserSessions,
  listUserDependents,
  listUsers,
  showUser,
} from './users.ts'

const maxFormBytes = 100_000

/** Users, for administrators, and everyone's own password. */
export const userEndpoints = [
  endpoint('GET', '/rest/security/users', 'admin', 'view', { listUsers }),
  endpoint('POST', '/rest/security/users', 'admin', 'create', { createUser }),
  endpoint('GET', '/rest/security/users/:name', 'admin', 'view', { showUser }),
  endpoint('PUT', '/rest/security/users/:name', 'admin', 'change', { changeUser }),
  endpoint('DELETE', '/rest/security/users/:name', 'admin', 'remove', { deleteUser }),
  endpoint('GET', '/rest/security/users/:name/dependents', 'admin', 'view', { listUserDependents }),
  endpoint('GET', '/rest/security/users/:name/tokens', 'admin', 'view', { listUserTokens }),
  endpoint('DELETE', '/rest/security/users/:name/tokens/:id', 'admin', 'remove', { revokeUserToken }),
  endpoint('DELETE', '/rest/security/users/:name/sessions', 'admin', 'remove', { endUserSessions }),
  endpoint('PUT', '/rest/security/self/password', 'user', 'change', { changeOwnPassword }),
]

/** The caller's own API tokens. */
export const tokenEndpoints = [
  endpoint('GET', '/rest/security/tokens', 'user', 'view', { listOwnTokens }),
  endpoint('POST', '/rest/security/tokens', 'user', 'create', { createToken }),
  endpoint('GET', '/rest/security/tokens/:id', 'user', 'view', { showToken }),
  endpoint('DELETE', '/rest/security/tokens/:id', 'user', 'remove', { revokeToken }),
]

/** Login and logout of the web pages. */
export const sessionEndpoints = [
  endpoint('POST', '/rest/security/session', 'public', 'create', { logIn }),
  endpoint('GET', '/rest/security/session', 'user', 'view', { showSession }),
  endpoint('DELETE', '/rest/security/session', 'user', 'remove', { logOut }),
  endpoint('GET', '/rest/security/sign-in', 'public', 'view', { describeSignIn }),
]

/** Sign-in by OpenID Connect. */
export const oidcEndpoints = [
  endpoint('GET', '/rest/security/oidc/start', 'public', 'view', { startOidc }),
  endpoint('GET', '/rest/security/oidc/callback', 'public', 'create', { finishOidc }),
  endpoint('POST', '/rest/security/oidc/logout', 'public', 'remove', { endByProvider }),
]

/** Adds `oidcEndpoints`; the provider posts a form. */
export function oidcArea(deps: OidcDeps): ApiArea {
  return (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxFormBytes },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    )
    addEndpoints(app, oidcEndpoints, deps)
  }
}

/** The caller's own sessions and second factors. */
export const ownAccountEndpoints = [
  endpoint('GET', '/rest/security/self/sessions', 'user', 'view', { listOwnSessions }),
  endpoint('DELETE', '/rest/security/self/sessions/:id', 'user', 'remove', { endOwnSession }),
  endpoint('GET', '/rest/security/self/factors', 'user', 'view', { listOwnFactors }),
  endpoint('POST', '/rest/security/self/totp', 'user', 'create', { beginTotp }),
  endpoint('PUT', '/rest/security/self/totp', 'user', 'change', { confirmTotp }),
  endpoint('DELETE', '/rest/security/self/totp', 'user', 'remove', { endTotp }),
  endpoint('POST', '/rest/security/self/passkeys/options', 'user', 'create', { beginPasskey }),
  endpoint('POST', '/rest/security/self/passkeys', 'user', 'create', { createPasskey }),
  endpoint('DELETE', '/rest/security/self/passkeys/:id', 'user', 'remove', { deletePasskey }),
  endpoint('POST', '/rest/security/session/passkey-options', 'public', 'view', { beginPasskeySignIn }),
  endpoint('POST', '/rest/security/session/passkey', 'public', 'create', { logInByPasskey }),
]
