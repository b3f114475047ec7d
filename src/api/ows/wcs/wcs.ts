import { ownValue } from '../../../core/values/record-keys.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { clientSignal } from '../../request-properties.ts'
import { keyValuesOf } from '../key-values.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { sendException } from './exceptions.ts'
import { getCapabilities10 } from './v1/capabilities.ts'
import { describeCoverage10 } from './v1/describe-coverage.ts'
import { getCoverage10 } from './v1/get-coverage.ts'
import { getCapabilities } from './v2/capabilities.ts'
import { describeCoverage } from './v2/describe-coverage.ts'
import { getCoverage } from './v2/get-coverage.ts'
import type { WcsRequest } from './wcs-request.ts'
import type { WcsVersion } from './wcs-version.ts'
import { negotiatedVersion, requestVersion } from './wcs-version.ts'

type Answer = (deps: OwsDeps, wcsRequest: WcsRequest) => Promise<unknown>

const operations: Record<string, Record<WcsVersion, Answer>> = {
  getcapabilities: { '2.0.1': getCapabilities, '1.0.0': getCapabilities10 },
  describecoverage: { '2.0.1': describeCoverage, '1.0.0': describeCoverage10 },
  getcoverage: { '2.0.1': getCoverage, '1.0.0': getCoverage10 },
}

/** Answers a request of a Web Coverage Service 2.0.1 or 1.0.0; errors have the format of the version. */
export async function answerWcs(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
  content: Pick<WcsRequest, 'values' | 'coverage'> = { values: keyValuesOf(request.originalUrl) },
): Promise<unknown> {
  const { values } = content
  const signal = clientSignal(reply)
  let version: WcsVersion = '2.0.1'
  try {
    const name = values.require('request')
    const answers = ownValue(operations, name.toLowerCase())
    if (answers === undefined)
      throw new OwsFailure(
        'OperationNotSupported',
        `REQUEST "${name.slice(0, 60)}" is none of this service`,
        'request',
      )
    const isCapabilities = name.toLowerCase() === 'getcapabilities'
    version = isCapabilities ? negotiatedVersion(values) : requestVersion(values)
    return await answers[version](deps, { ...content, request, reply, version, workspace, signal })
  } catch (error) {
    return sendException(reply, error, version)
  }
}
