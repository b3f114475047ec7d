import { ownValue } from '../../../core/values/record-keys.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import { keyValuesOf } from '../key-values.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { getCapabilities } from './capabilities.ts'
import { sendReport, writeException } from './exceptions.ts'
import { getFeatureInfo } from './feature-info.ts'
import { getMap } from './get-map.ts'
import { getLegendGraphic } from './legend-graphic.ts'
import { pictureOfFailure } from './picture-exceptions.ts'
import type { WmsRequest, WmsVersion } from './wms-request.ts'
import { negotiatedVersion, requestVersion } from './wms-request.ts'

/** Operations that read rows or rasters. */
const heavyOperations: ReadonlySet<Answer> = new Set([getMap, getFeatureInfo])

type Answer = (parts: OwsDeps, request: WmsRequest) => Promise<unknown>

const operations: Record<string, Answer> = {
  getcapabilities: getCapabilities,
  capabilities: getCapabilities,
  getmap: getMap,
  map: getMap,
  getfeatureinfo: getFeatureInfo,
  feature_info: getFeatureInfo,
  getlegendgraphic: getLegendGraphic,
}

/** Answers a request of a Web Map Service 1.1.1 or 1.3.0; errors have the format of the version. */
export async function answerWms(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
  { values }: { values: KeyValues } = { values: keyValuesOf(request.originalUrl) },
): Promise<unknown> {
  let version: WmsVersion = '1.3.0'
  let isMap = false
  try {
    version = negotiatedVersion(values)
    const name = values.require('request')
    const answer = ownValue(operations, name.toLowerCase())
    if (answer === undefined)
      throw new OwsFailure(
        'OperationNotSupported',
        `REQUEST "${name}" is not an operation of this service`,
        'request',
      )
    isMap = answer === getMap
    if (answer !== getCapabilities) version = requestVersion(values)
    if (heavyOperations.has(answer)) request.requireHeavyWork()
    return await answer(deps, { request, reply, values, version, workspace })
  } catch (error) {
    const exceptionText = writeException(reply, error)
    const picture = isMap
      ? await pictureOfFailure(deps.pictures, { values, reply }, exceptionText)
      : undefined
    if (picture === undefined) return sendReport(reply, exceptionText, version)
    return reply.header('content-type', picture.mediaType).send(Buffer.from(picture.bytes))
  }
}
