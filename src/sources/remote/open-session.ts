import { FtpSession } from './ftp-session.ts'
import { HttpSession } from './http-session.ts'
import type { RemoteLocation } from './location.ts'
import type { RemoteSession } from './remote.ts'
import { S3Session } from './s3-session.ts'
import type { SessionOptions } from './session-options.ts'
import { SftpSession } from './sftp-session.ts'

/** A session for a location; the clients of other protocols than HTTP are loaded when they are first needed. */
export async function openSession(
  location: RemoteLocation,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<RemoteSession> {
  switch (location.scheme) {
    case 'http':
    case 'https':
      return new HttpSession(options)
    case 'ftp':
    case 'ftps':
      return FtpSession.open(location, options, signal)
    case 'sftp':
      return SftpSession.open(location, options, signal)
    case 's3':
      return S3Session.open(options)
  }
}
