import { endpoint } from '../endpoint.ts'
import { logIn, logOut, showSession } from './session.ts'
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
]
