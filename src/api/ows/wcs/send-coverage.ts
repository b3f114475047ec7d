import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { LayerRecord } from '../../../catalog/index.ts'
import {
  type CoverageFileRequest,
  type CoverageGrid,
  type Coverages,
  cutFormats,
} from '../../../render/index.ts'
import { OwsFailure } from '../ows-failure.ts'
import { coverageIdOf } from './coverage-names.ts'
import type { WcsRequest } from './wcs-request.ts'

/** Maximum number of coverages in one request. */
const maxDescribed = 100

/** Sends the cells of a coverage that `plan` selects as a file. */
export async function sendCoverage(
  coverages: Coverages,
  { reply, signal }: Pick<WcsRequest, 'reply' | 'signal'>,
  layer: LayerRecord | undefined,
  plan: (layer: LayerRecord, grid: CoverageGrid) => Promise<CoverageFileRequest>,
): Promise<unknown> {
  if (layer === undefined) throw new TypeError('A coverage must be requested by its id')
  const file = await coverages.cut(layer, (current, grid) => plan(current, gridOrFail(current, grid)), signal)
  try {
    const { size } = await stat(file.path)
    const { mediaType, extension } = cutFormats[file.format]
    reply.header('cache-control', 'private, no-cache')
    reply.header('content-type', mediaType)
    reply.header('content-length', String(size))
    reply.header('content-disposition', dispositionOf(`${coverageIdOf(layer)}.${extension}`))
    const stream = createReadStream(file.path)
    const end = (): void => {
      stream.destroy()
      void file.close()
    }
    stream.once('close', end)
    reply.raw.once('close', end)
    return await reply.send(stream)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Writes a file name (RFC 6266), in ASCII and in UTF-8. */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\w.-]/g, '_')
  return `inline; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`
}

/** Throws `OwsFailure` for an empty id, and for too many. */
export function requireFewCoverages(ids: readonly string[]): void {
  if (ids.some((id) => id.trim() === ''))
    throw new OwsFailure('emptyCoverageIdList', 'An id of a coverage is empty', 'coverageId', 404)
  if (ids.length > maxDescribed)
    throw new OwsFailure(
      'InvalidParameterValue',
      `At most ${maxDescribed} coverages per request`,
      'coverageId',
    )
}

/** Returns the grid of a coverage; throws `OwsFailure` if it has no grid in a CRS with a code. */
export async function requireGrid(
  coverages: Coverages,
  layer: LayerRecord,
  signal: AbortSignal,
): Promise<CoverageGrid> {
  return gridOrFail(layer, await coverages.grid(layer, signal))
}

/** Throws `OwsFailure` if there is no grid. */
function gridOrFail(layer: LayerRecord, grid: CoverageGrid | undefined): CoverageGrid {
  if (grid !== undefined) return grid
  throw new OwsFailure(
    'NoApplicableCode',
    `"${layer.name}" has no regular grid in a CRS with a code, which WCS needs: download its files below /ogc`,
  )
}
