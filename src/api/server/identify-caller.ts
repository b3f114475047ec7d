import {
  type Accounts,
  type Authenticated,
  anonymous,
  type Caller,
  type HeaderAccount,
} from '../../access/index.ts'
import type { App, FastifyRequest } from '../app-types.ts'
import { readCredentials } from '../auth/credentials.ts'
import { tokenOfUrl } from '../url-token.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Check of the request's credentials, once it has been requested. */
    identity: Promise<Authenticated> | undefined
  }
}

/** Identifies callers. The credentials of a request are checked once. */
export interface CallerIdentification {
  /** Checks the credentials; invalid ones are a `Failure`. */
  identify(request: FastifyRequest): Promise<Authenticated>
  /**
   * Returns the caller of a request that has ended, for its record; anonymous if the credentials are invalid.
   */
  callerOf(request: FastifyRequest): Caller | Promise<Caller>
}

/** Returns the account that a trusted proxy names. */
type ReadAccount = (request: FastifyRequest) => HeaderAccount | undefined

/** Prepares the identification of callers by their accounts. */
export function identifyCallers(
  app: App,
  accounts: Pick<Accounts, 'authenticate'>,
  readAccount: ReadAccount,
): CallerIdentification {
  app.decorateRequest('identity')
  const identify = (request: FastifyRequest): Promise<Authenticated> => {
    request.identity ??= authenticate(accounts, readAccount, request)
    return request.identity
  }
  return {
    identify,
    callerOf: (request) => {
      // Hooks have not seen a request whose address is malformed.
      const { viewer, caller = anonymous } = request
      if (viewer !== undefined) return viewer
      if (caller.by !== 'nothing' || !(hasCredentials(request) || readAccount(request) !== undefined))
        return caller
      return identify(request).then(
        ({ caller }) => caller,
        () => anonymous,
      )
    },
  }
}

async function authenticate(
  accounts: Pick<Accounts, 'authenticate'>,
  readAccount: ReadAccount,
  request: FastifyRequest,
): Promise<Authenticated> {
  if (request.routeOptions.config.ignoresCredentials === true) return { caller: anonymous }
  const { authorization, cookie } = request.headers
  const token = authorization === undefined ? tokenOfUrl(request) : undefined
  if (token !== undefined) {
    // A token in an address is good for reading the layers alone that it was made for.
    const { caller } = await accounts.authenticate({ kind: 'bearer', token, isInAddress: true }, request.ip)
    return { caller: { ...caller, role: 'user' } }
  }
  const account = authorization === undefined ? readAccount(request) : undefined
  if (account !== undefined) return accounts.authenticate({ kind: 'header', account }, request.ip)
  const credentials = readCredentials({ authorization, cookie })
  if (credentials === undefined) return { caller: anonymous }
  return accounts.authenticate(credentials, request.ip)
}

function hasCredentials(request: FastifyRequest): boolean {
  const { authorization, cookie } = request.headers
  return authorization !== undefined || cookie !== undefined || tokenOfUrl(request) !== undefined
}
