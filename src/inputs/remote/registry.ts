import { ftp } from './ftp/ftp.ts'
import { http } from './http/http.ts'
import type { RemoteProtocol } from './protocol.ts'
import { s3 } from './s3/s3.ts'
import { sftp } from './sftp/sftp.ts'

/** Protocols for remote data: one line for each. */
export const remoteProtocols: readonly RemoteProtocol[] = [http, ftp, sftp, s3]

/** All URL schemes, in the order of messages. */
export const remoteSchemes: readonly string[] = remoteProtocols.flatMap(({ ports }) => Object.keys(ports))

/** Returns the protocol of a scheme. */
export function findProtocol(scheme: string): RemoteProtocol {
  const protocol = remoteProtocols.find(({ ports }) => Object.hasOwn(ports, scheme))
  if (protocol === undefined) throw new Error(`The scheme "${scheme}" is not supported`)
  return protocol
}
