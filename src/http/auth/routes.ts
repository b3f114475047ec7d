import { endpoint } from '../endpoint.ts'
import { createToken, listOwnTokens, revokeToken, showToken } from './tokens.ts'

/** `/rest/security/tokens`: the caller's own API tokens. */
export const tokenEndpoints = [
  endpoint('GET', '/rest/security/tokens', 'user', 'view', { listOwnTokens }),
  endpoint('POST', '/rest/security/tokens', 'user', 'create', { createToken }),
  endpoint('GET', '/rest/security/tokens/:id', 'user', 'view', { showToken }),
  endpoint('DELETE', '/rest/security/tokens/:id', 'user', 'remove', { revokeToken }),
]
