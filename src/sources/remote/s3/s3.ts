import type { RemoteProtocol } from '../protocol.ts'
import { S3Session } from './s3-session.ts'

/** Buckets of Amazon S3 and compatible services. */
export const s3: RemoteProtocol = {
  ports: { s3: 443 },
  namesBuckets: true,
  open: (_location, options) => S3Session.open(options),
}
