import { Failure, invalid } from '../errors/errors.ts'
import { plainReason } from '../errors/plain-reason.ts'
import type { DatabaseAddress } from './address.ts'

/** Fields of an error of PostgreSQL or of the network. */
interface ErrorFacts {
  code?: string
  message: string
  /** Absent for an error of the network. */
  severity?: string
  detail?: string
  constraint?: string
  column?: string
  table?: string
}

function factsOf(error: unknown): ErrorFacts {
  const message = error instanceof Error ? error.message : String(error)
  return typeof error === 'object' && error !== null ? { ...error, message } : { message }
}

const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNREFUSED', 'ENETDOWN', 'ENETUNREACH'])

/** True if the connection to the database was lost, as opposed to a failed statement. */
export function isConnectionLost(error: unknown): boolean {
  const { code = '', message, severity } = factsOf(error)
  if (isOfForeignServer({ code, severity })) return false
  if (lostCodes.has(code) || code.startsWith('08') || code.startsWith('57P')) return true
  return /Connection terminated|Connection ended|not queryable|Client was closed/i.test(message)
}

/** Codes of a foreign-data wrapper that cannot connect (PostgreSQL, Appendix A). */
const foreignCodes = new Set(['08001', '08006', 'HV00N'])

/** True if the database responds, but the server of one of its foreign tables does not. */
function isOfForeignServer({ code = '', severity }: Pick<ErrorFacts, 'code' | 'severity'>): boolean {
  return severity === 'ERROR' && foreignCodes.has(code)
}

const outageCodes = ['store-lost', 'store-connection', 'store-busy']

/** True if a database was unreachable, so that the operation may succeed later. */
export function isOutage(error: unknown): error is Failure {
  return error instanceof Failure && outageCodes.includes(error.code) && error.retryAfterSeconds !== undefined
}

/** Seconds after which a lost database may be available again. */
const outageRetrySeconds = 10

/** Seconds after which another session may have released its lock. */
const lockRetrySeconds = 5

const shortestHidden = 4

/** Returns the error, or a copy without the password if the server repeated it in its message. */
function withoutPassword(error: unknown, password: string): unknown {
  if (!(error instanceof Error) || password.length < shortestHidden || !error.message.includes(password)) {
    return error
  }
  const clean = new Error(error.message.replaceAll(password, '********'))
  return Object.assign(clean, { code: factsOf(error).code })
}

/** Returns the failure for a failed connection, with the reason; never contains the password. */
export function connectionFailure(thrown: unknown, address: DatabaseAddress): Failure {
  if (thrown instanceof Failure) return thrown
  const error = withoutPassword(thrown, address.password)
  const { code = '', message } = factsOf(error)
  const endpoint = `${address.host} port ${address.port}`
  const failure = (text: string): Failure => invalid('store-connection', text, { cause: error })
  const outage = (text: string): Failure =>
    invalid('store-connection', text, { cause: error, retryAfterSeconds: outageRetrySeconds })
  if (code === 'ENOTFOUND') return failure(`Host "${address.host}" is not known`)
  if (code === 'EAI_AGAIN') return outage(`The address of host "${address.host}" cannot be looked up now`)
  if (code === 'ECONNREFUSED') return outage(`Nothing listens on ${endpoint}`)
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return outage(`${endpoint} cannot be reached`)
  if (code === '28P01') return failure(`User "${address.user}" or its password is wrong at ${endpoint}`)
  if (code.startsWith('28')) {
    return failure(`User "${address.user}" may not connect to database "${address.database}" at ${endpoint}`)
  }
  if (code === '3D000') return failure(`Database "${address.database}" does not exist at ${endpoint}`)
  if (code === '42501') return failure(`User "${address.user}" may not use database "${address.database}"`)
  if (code.startsWith('53') || code === '57P03') {
    const text = `PostgreSQL at ${endpoint} takes no connection now: ${plainReason(error) ?? message}`
    const options = { cause: error, retryAfterSeconds: outageRetrySeconds }
    return new Failure('unavailable', 'store-busy', text, options)
  }
  if (/timeout|timed out/i.test(message) || code === 'ETIMEDOUT') {
    return outage(`No PostgreSQL answered at ${endpoint} within 8 seconds`)
  }
  if (/does not support SSL/i.test(message)) return failure(`The server at ${endpoint} offers no TLS`)
  if (code.startsWith('ERR_TLS') || /certificate/i.test(message)) {
    return failure(`The certificate of ${endpoint} is not trusted: ${plainReason(error) ?? message}`)
  }
  if (/password must be a string|no password/i.test(message)) {
    return failure(`The server at ${endpoint} asks for a password: the parameter "passwd" is missing`)
  }
  const reported = `No connection to PostgreSQL at ${endpoint}: ${plainReason(error) ?? message}`
  return isConnectionLost(error) ? outage(reported) : failure(reported)
}

/**
 * Indexes that PostgreSQL names in the error if two transactions create the same name at the same time;
 * otherwise it reports `duplicate_table`.
 */
const nameIndexes = new Set(['pg_class_relname_nsp_index', 'pg_type_typname_nsp_index'])

/** Converts the error of a failed statement to a `Failure`; returns a `Failure` unchanged. */
export function statementFailure(error: unknown, doing: string): Error {
  if (error instanceof Failure) return error
  const { code = '', message, detail, constraint, severity } = factsOf(error)
  const text = detail === undefined ? message : `${message}. ${detail}`
  const options = { cause: error }
  if (isConnectionLost(error)) {
    const lost = `The database went away while ${doing}: ${plainReason(error) ?? 'the connection was lost'}`
    return new Failure('unavailable', 'store-lost', lost, {
      ...options,
      retryAfterSeconds: outageRetrySeconds,
    })
  }
  if (code === '42P07' || nameIndexes.has(constraint ?? '')) {
    return new Failure('conflict', 'table-exists', text, options)
  }
  if (code.startsWith('23')) {
    const named = constraint === undefined ? '' : ` "${constraint}"`
    return new Failure('conflict', 'constraint-violated', `Constraint${named} is violated: ${text}`, options)
  }
  if (code === '42501') return new Failure('invalid', 'store-permission', `Not allowed: ${text}`, options)
  if (code === '2BP01') return new Failure('conflict', 'table-referenced', text, options)
  if (isOfForeignServer({ code, severity })) {
    const reason = `The server of a foreign table does not answer while ${doing}: ${message}. Ask who runs that server, or try again later`
    return new Failure('unavailable', 'foreign-server', reason, {
      ...options,
      retryAfterSeconds: outageRetrySeconds,
    })
  }
  if (code === '55P03') {
    return new Failure('unavailable', 'table-locked', 'The table is in use by others: try again later', {
      ...options,
      retryAfterSeconds: lockRetrySeconds,
    })
  }
  if (code === '57014') {
    return new Failure(
      'unavailable',
      'store-timeout',
      `The database was too slow while ${doing}, and the statement was ended`,
      options,
    )
  }
  if (code.startsWith('53')) {
    const reason = plainReason(error) ?? text
    return new Failure('unavailable', 'store-full', `The database has no room: ${reason}`, options)
  }
  return new Error(`PostgreSQL failed while ${doing}: ${text}`, options)
}
