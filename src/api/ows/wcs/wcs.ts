import { ownValue } from '../../../core/values/record-keys.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { clientSignal } from '../../request-properties.ts'
import { keyValuesOf } from '../key-values.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { sendException } from './exceptions.ts'
import { negotiatedVersion, requestVersion, wcsVersions } from './versions.ts'
import type { WcsRequest } from './wcs-request.ts'

const operationNames = new Set(wcsVersions.flatMap(({ operations }) => Object.keys(operations)))
const offeredVersions = wcsVersions.map(({ name }) => name)

/** Answers a request of a Web Coverage Service; errors have the format of the version. */
export async function answerWcs(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
  content: Pick<WcsRequest, 'values' | 'coverage'> = { values: keyValuesOf(request.originalUrl) },
): Promise<unknown> {
  const { values } = content
  const signal = clientSignal(reply)
  let [version] = wcsVersions
  try {
    const name = values.require('request').toLowerCase()
    if (!operationNames.has(name)) throw unknownOperation(values.require('request'))
    version = name === 'getcapabilities' ? negotiatedVersion(values) : requestVersion(values)
    const answer = ownValue(version.operations, name)
    if (answer === undefined) throw unknownOperation(values.require('request'))
    if (name === 'getcoverage') request.requireHeavyWork()
    return await answer(deps, { ...content, request, reply, version, offeredVersions, workspace, signal })
  } catch (error) {
    return sendException(reply, error, version)
  }
}

function unknownOperation(name: string): OwsFailure {
  return new OwsFailure(
    'OperationNotSupported',
    `REQUEST "${name.slice(0, 60)}" is not an operation of this service`,
    'request',
  )
}
