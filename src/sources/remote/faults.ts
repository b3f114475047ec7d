import { Failure } from '../../lib/errors.ts'
import { ownValue } from '../../lib/own-value.ts'
import { plainReason } from '../../lib/plain-reason.ts'
import { RemoteFault } from './remote.ts'

/** Certificates, protocols and answers that no further try changes. */
const permanent = /^(ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HPE_|ERR_SSL|EPROTO|HOSTNAME_)/

/** What errors of the system mean for those who read them. */
const reasons: Record<string, string> = {
  ECONNRESET: 'the connection broke off',
  EPIPE: 'the connection broke off',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection broke off',
  ENOSPC: 'the disk is full',
}

/** An error in words: the system's own where it has no better ones. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string }
  return ownValue(reasons, String(code)) ?? plainReason(error) ?? message ?? String(error)
}

/** An error of a connection or of a client as a fault; what says for itself what is to be done stays as it is. */
export function toFault(error: unknown, isPassing?: boolean): Error {
  if (error instanceof Failure || error instanceof RemoteFault) return error
  const { code } = error as { code?: unknown }
  return new RemoteFault(reasonOf(error), {
    isPassing: isPassing ?? !permanent.test(String(code ?? '')),
  })
}
