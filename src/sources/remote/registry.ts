import { ftp } from './ftp/ftp.ts'
import { http } from './http/http.ts'
import type { RemoteProtocol } from './protocol.ts'
import { s3 } from './s3/s3.ts'
import { sftp } from './sftp/sftp.ts'

/** What remote data come by: one line for each. */
export const remoteProtocols: readonly RemoteProtocol[] = [http, ftp, sftp, s3]

/** Every scheme of addresses, in the order in which messages name them. */
export const remoteSchemes: readonly string[] = remoteProtocols.flatMap(({ ports }) => Object.keys(ports))

/** The protocol of one of these schemes. */
export function findProtocol(scheme: string): RemoteProtocol {
  const protocol = remoteProtocols.find(({ ports }) => Object.hasOwn(ports, scheme))
  if (protocol === undefined) throw new Error(`No protocol has the scheme "${scheme}"`)
  return protocol
}
