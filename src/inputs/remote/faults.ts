import { Failure } from '../../core/errors/errors.ts'
import { plainReason } from '../../core/errors/plain-reason.ts'
import { ownValue } from '../../core/values/record-keys.ts'
import { RemoteFault } from './remote.ts'

/** Errors of certificates, protocols and responses that a further attempt does not change. */
const permanent = /^(ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HPE_|ERR_SSL|EPROTO|HOSTNAME_)/

/** Texts for system errors. */
const reasons: Record<string, string> = {
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was lost',
  ENOSPC: 'the disk is full',
}

/** Returns a text for an error: that of the system if there is no better one. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string }
  return ownValue(reasons, String(code)) ?? plainReason(error) ?? message ?? String(error)
}

/**
 * Converts an error of a connection or client to a fault; errors with instructions for the user are returned
 * unchanged.
 */
export function toFault(error: unknown, isPassing?: boolean): Error {
  if (error instanceof Failure || error instanceof RemoteFault) return error
  const { code } = error as { code?: unknown }
  return new RemoteFault(reasonOf(error), { isPassing: isPassing ?? !permanent.test(String(code ?? '')) })
}
