import type { RemoteProtocol } from '../protocol.ts'
import { FtpSession } from './ftp-session.ts'

/** FTP, and FTPS: upgraded, or with TLS from the start. */
export const ftp: RemoteProtocol = {
  ports: { ftp: 21, ftps: 21 },
  open: (location, options, signal) => FtpSession.open(location, options, signal),
}
