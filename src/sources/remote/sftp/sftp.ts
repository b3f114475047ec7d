import type { RemoteProtocol } from '../protocol.ts'
import { SftpSession } from './sftp-session.ts'

/** SFTP, the file transfer of SSH. */
export const sftp: RemoteProtocol = {
  ports: { sftp: 22 },
  open: (location, options, signal) => SftpSession.open(location, options, signal),
}
