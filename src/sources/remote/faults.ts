import { Failure } from '../../lib/errors.ts'
import { RemoteFault } from './remote.ts'

/** Certificates, protocols and answers that no further try changes. */
const permanent = /^(ERR_TLS|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HPE_|ERR_SSL|EPROTO|HOSTNAME_)/

/** An error of a connection or of a client as a fault; what says for itself what is to be done stays as it is. */
export function toFault(error: unknown, isPassing?: boolean): Error {
  if (error instanceof Failure || error instanceof RemoteFault) return error
  const { code, message } = error as { code?: unknown; message?: string }
  return new RemoteFault(message ?? String(error), {
    isPassing: isPassing ?? !permanent.test(String(code ?? '')),
  })
}
