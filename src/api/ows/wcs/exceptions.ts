import type { FastifyReply } from '../../app-types.ts'
import type { NamedFailure } from '../ows-failure.ts'
import { toExceptionText } from '../ows-failure.ts'
import type { WcsVersion } from './wcs-request.ts'

/** WCS exception codes of failures that have other codes here. */
const codes = new Map([['invalid-time', 'InvalidParameterValue']])

function nameOf(code: string): NamedFailure | undefined {
  const named = codes.get(code)
  return named === undefined ? undefined : { named }
}

/** Sends an exception in the format of a version. */
export function sendException(
  reply: FastifyReply,
  error: unknown,
  { exceptions: { mediaType, write } }: WcsVersion,
): FastifyReply {
  const report = write(toExceptionText(reply, error, nameOf))
  return reply.header('content-type', mediaType).send(`<?xml version="1.0" encoding="UTF-8"?>\n${report}\n`)
}
