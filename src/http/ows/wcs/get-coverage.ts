import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { LayerRecord } from '../../../catalog/records.ts'
import type { CoverageFileRequest, CoverageGrid } from '../../../downloads/coverages.ts'
import { cutFormats } from '../../../downloads/coverages.ts'
import type { OwsDeps } from '../ows-deps.ts'
import { coverageIdOf, requireCoverages } from './coverage-names.ts'
import { readKvp } from './coverage-request.ts'
import { gridOrFail } from './describe-coverage.ts'
import { planCoverage } from './plan-coverage.ts'
import type { WcsRequest } from './wcs-deps.ts'

/** A part of a coverage (OGC 09-110r4, section 8.4). */
export async function getCoverage(deps: OwsDeps, asked: WcsRequest): Promise<unknown> {
  const { request, values, workspace, version, coverage = readKvp(values) } = asked
  const ids = [coverage.coverageId]
  const [layer] = await requireCoverages(deps, request, ids, { workspace, version })
  return sendCoverage(deps, asked, layer, (current, grid) => planCoverage(coverage, current, grid))
}

/** Sends what `plan` makes of the cells of a coverage as a file. */
export async function sendCoverage(
  { coverages }: OwsDeps,
  { reply, signal }: Pick<WcsRequest, 'reply' | 'signal'>,
  layer: LayerRecord | undefined,
  plan: (layer: LayerRecord, grid: CoverageGrid) => Promise<CoverageFileRequest>,
): Promise<unknown> {
  if (layer === undefined) throw new TypeError('A coverage is asked for by its id')
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
