import { ownValue } from '../../../core/values/record-keys.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import type { KeyValues } from '../key-values.ts'
import { keyValuesOf } from '../key-values.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import { getCapabilities } from './capabilities.ts'
import { sendException } from './exceptions.ts'
import { getFeatureInfo } from './feature-info.ts'
import { getTile } from './get-tile.ts'
import type { NamedTile, WmtsRequest } from './tile-request.ts'

type Answer = (parts: OwsDeps, request: WmtsRequest, values: KeyValues) => Promise<unknown>

const operations: Record<string, Answer> = {
  getcapabilities: (parts, request, values) => {
    const accepted = values.find('acceptversions')
    if (accepted !== undefined && !isOffered(accepted))
      throw new OwsFailure(
        'VersionNegotiationFailed',
        `WMTS ${accepted.slice(0, 60)} is not supported: request 1.0.0`,
        'acceptversions',
      )
    return getCapabilities(parts, request, values)
  },
  gettile: (parts, request, values) => {
    request.request.usedTile = true
    requireVersion(values.find('version'))
    const format = values.find('format') ?? 'image/png'
    return getTile(parts, request, namedTileOf(values), { format, time: values.find('time') })
  },
  getfeatureinfo: (parts, request, values) => {
    requireVersion(values.find('version'))
    const [i, j] = [values.require('i'), values.require('j')]
    const format = values.find('infoformat') ?? values.find('info_format') ?? 'text/plain'
    return getFeatureInfo(parts, request, namedTileOf(values), { i, j, format, values })
  },
}

/** True if the list of versions includes a supported one. */
function isOffered(versions: string): boolean {
  return versions.split(',').some((one) => one.trim() === '1.0.0')
}

function requireVersion(text: string | undefined): void {
  if (text === undefined || isOffered(text)) return
  throw new OwsFailure('InvalidParameterValue', `Version "${text.slice(0, 60)}" is not 1.0.0`, 'version')
}

function namedTileOf(values: KeyValues): NamedTile {
  return {
    layer: values.require('layer'),
    style: values.find('style'),
    matrixSet: values.require('tilematrixset'),
    matrix: values.require('tilematrix'),
    row: values.require('tilerow'),
    column: values.require('tilecol'),
  }
}

/** Answers a KVP request of a Web Map Tile Service 1.0.0. */
export async function answerWmts(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
  { values }: { values: KeyValues } = { values: keyValuesOf(request.originalUrl) },
): Promise<unknown> {
  return orException(reply, () => {
    const name = values.require('request')
    const answer = ownValue(operations, name.toLowerCase())
    if (answer === undefined)
      throw new OwsFailure(
        'OperationNotSupported',
        `REQUEST "${name.slice(0, 60)}" is not an operation of this service`,
        'request',
      )
    const servicePath = workspace === undefined ? '/wmts' : `/${encodeURIComponent(workspace)}/wmts`
    return answer(deps, { request, reply, workspace, servicePath }, values)
  })
}

/** Reports errors in the format of WMTS. */
export async function orException(reply: FastifyReply, answer: () => Promise<unknown>): Promise<unknown> {
  try {
    return await answer()
  } catch (error) {
    return sendException(reply, error)
  }
}
