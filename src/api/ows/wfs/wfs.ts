import { ownValue } from '../../../core/values/record-keys.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { requestSignal } from '../../request-properties.ts'
import { keyValuesOf } from '../key-values.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { getCapabilities } from './capabilities.ts'
import { describeFeatureType } from './describe-feature-type.ts'
import { sendException } from './exceptions.ts'
import { getFeature } from './get-feature.ts'
import { getFeatureWithLock, lockFeature } from './transaction/lock-feature.ts'
import { transact } from './transaction/transact.ts'
import { getPropertyValue } from './v2/get-property-value.ts'
import { describeStoredQueries, listStoredQueries } from './v2/stored-queries.ts'
import type { WfsRequest } from './wfs-request.ts'
import type { WfsVersion } from './wfs-version.ts'
import { negotiatedVersion, requestVersion } from './wfs-version.ts'

type Answer = (deps: OwsDeps, wfsRequest: WfsRequest) => Promise<unknown>

const operations: Record<string, Answer> = {
  getcapabilities: getCapabilities,
  describefeaturetype: describeFeatureType,
  getfeature: getFeature,
  getpropertyvalue: getPropertyValue,
  liststoredqueries: listStoredQueries,
  describestoredqueries: describeStoredQueries,
  transaction: transact,
  lockfeature: lockFeature,
  getfeaturewithlock: getFeatureWithLock,
}

/** Operations that read or change rows. */
const heavyOperations: ReadonlySet<Answer> = new Set([
  getFeature,
  getPropertyValue,
  transact,
  lockFeature,
  getFeatureWithLock,
])

/** Operations of the standard that are not offered. */
const refused = /^(?:createstoredquery|dropstoredquery)$/i

/** Answers a request of a Web Feature Service 2.0.0 or 1.1.0; errors have the format of the version. */
export async function answerWfs(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
  content: Pick<WfsRequest, 'values' | 'features' | 'body'> = { values: keyValuesOf(request.originalUrl) },
): Promise<unknown> {
  const { values } = content
  const signal = requestSignal(reply)
  let version: WfsVersion = '2.0.0'
  try {
    const name = values.require('request')
    const answer = ownValue(operations, name.toLowerCase())
    if (answer === undefined) throw unknownOperation(name)
    version = answer === getCapabilities ? negotiatedVersion(values) : requestVersion(values)
    if (heavyOperations.has(answer)) request.requireHeavyWork()
    return await answer(deps, { ...content, request, reply, version, workspace, signal })
  } catch (error) {
    return sendException(reply, error, version)
  }
}

function unknownOperation(name: string): OwsFailure {
  if (refused.test(name))
    return new OwsFailure(
      'OperationNotSupported',
      `${name} is not offered: GetFeatureById is the only stored query`,
      'request',
    )
  return new OwsFailure(
    'OperationNotSupported',
    `REQUEST "${name.slice(0, 60)}" is not an operation of this service`,
    'request',
  )
}
