import { ownValue } from '../values/record-keys.ts'

/** Codes of the system (`errno`), of DNS and of Node's sockets, in words for users. */
const systemReasons: Record<string, string> = {
  EACCES: 'the server has no permission',
  EPERM: 'the server has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large for its file system',
  EIO: 'the disk reports an error',
  EMFILE: 'the server has too many files open',
  ENFILE: 'the system has too many files open',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the folder is not empty',
  EBUSY: 'it is in use by another program',
  ETXTBSY: 'it is in use by another program',
  EXDEV: 'it lies on another disk',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  ENOMEM: 'the system has no memory left',
  ECONNREFUSED: 'nothing listens at the address',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was lost',
  UND_ERR_SOCKET: 'the connection was lost',
  ETIMEDOUT: 'no answer came in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer came in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer came in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ENETDOWN: 'the network is down',
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host is not known',
  EADDRINUSE: 'another program listens at the address',
  EADDRNOTAVAIL: 'the address does not belong to this machine',
  EPROTO: 'the other side does not speak TLS as expected',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the other side does not speak TLS',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate is signed by an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is signed by an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is signed by an authority that is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate was issued for another name',
}

/** Primary result codes of SQLite. */
const sqliteReasons: Record<string, string> = {
  5: 'the database is in use by another program',
  6: 'a table is in use',
  7: 'the database needs more memory than it may take',
  8: 'the database cannot be written',
  10: 'the disk reports an error',
  11: 'the database is damaged',
  13: 'the disk is full',
  14: 'the file cannot be opened',
  18: 'a value is too long',
  26: 'the file is not a SQLite database',
}

/** SQLSTATE classes and codes of PostgreSQL that concern the server, not a statement; matched as prefixes. */
const postgresReasons: readonly (readonly [code: string, reason: string])[] = [
  ['08', 'the connection to the database broke off'],
  ['53100', 'the disk of the database server is full'],
  ['53200', 'the database server has no memory left'],
  ['53300', 'the database takes no more connections'],
  ['57P01', 'an administrator ended the connection to the database'],
  ['57P02', 'the database server crashed'],
  ['57P03', 'the database server is starting or stopping'],
  ['57014', 'the statement was ended'],
  ['55P03', 'the table is locked'],
]

/** Messages of PostgreSQL's client that have no code. */
const clientLost =
  /Connection terminated|Connection ended|not queryable|Client was closed|Query read timeout|timeout exceeded when trying to connect|timeout expired|server closed the connection|Connection lost/i

interface ErrorFacts {
  code?: unknown
  errcode?: unknown
  severity?: unknown
  path?: unknown
  dest?: unknown
  errors?: unknown
}

/**
 * Returns the reason of an error of the system, a database driver or a TLS library, in words for users;
 * undefined for errors with messages of their own. Begins with the file that the error names.
 */
export function plainReason(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, errcode, path, dest, errors } = error as Error & ErrorFacts
  if (typeof errcode === 'number') return ownValue(sqliteReasons, String(errcode & 0xff))
  const system = ownValue(systemReasons, String(code))
  if (system !== undefined) {
    const file = typeof dest === 'string' ? dest : path
    return typeof file === 'string' ? `${file}: ${system}` : system
  }
  // A host with several addresses fails with one error per address.
  if (Array.isArray(errors) && error.message === '') return plainReason(errors[0])
  if (typeof code === 'string') {
    const known = postgresReasons.find(([start]) => code.startsWith(start) && code.length === 5)
    if (known !== undefined) return known[1]
    if (/^ERR_(OSSL|SSL|TLS|CRYPTO)/.test(code)) return 'the encryption failed'
  }
  // Libraries replace the system's error code by their own; the original code is in the message.
  const [, named = ''] = /^(?:connect|read|write|getaddrinfo|query\w*) (E[A-Z_]+)\b/.exec(error.message) ?? []
  const inMessage = ownValue(systemReasons, named)
  if (inMessage !== undefined) return inMessage
  return clientLost.test(error.message) ? 'the connection to the database broke off' : undefined
}
