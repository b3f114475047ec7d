import type { LayerRecord, Layers } from '../../catalog/index.ts'
import { Failure } from '../../core/errors/errors.ts'
import { openGuarded } from '../../core/files/guarded-files.ts'
import type { DownloadRecord, Downloads } from '../../render/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { clientSignal } from '../request-properties.ts'

/** Media type of a GeoTIFF whose parts can be read over HTTP without the rest (OGC 21-026). */
export const cogMediaType = 'image/tiff; application=geotiff; profile=cloud-optimized'

const headBytes = 512
const maxKept = 1000
const waitMs = 15_000

/**
 * True for a file with GDAL's mark of the layout: directories before the data, overviews before the full resolution.
 */
export async function isCloudOptimized(path: string): Promise<boolean> {
  const file = await openGuarded(path, 0).catch(() => undefined)
  if (file === undefined) return false
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    const head = buffer.toString('latin1', 0, bytesRead)
    return /^(?:II|MM)/.test(head) && head.includes('LAYOUT=IFDS_BEFORE_DATA')
  } finally {
    await file.close()
  }
}

/**
 * Cloud-optimized copies of rasters that are stored in another layout: one for each version of a layer, as long as its
 * download exists.
 */
export class CloudOptimizedCopies {
  readonly #downloads: Downloads
  readonly #layers: Pick<Layers, 'versionOf'>
  readonly #ids = new Map<string, Promise<string>>()

  constructor(downloads: Downloads, layers: Pick<Layers, 'versionOf'>) {
    this.#downloads = downloads
    this.#layers = layers
  }

  /** Returns the complete copy; throws `Failure` (`copy-being-made`) if it is not ready in 15 seconds. */
  async get(layer: LayerRecord, request: FastifyRequest, reply: FastifyReply): Promise<DownloadRecord> {
    const { version } = await this.#layers.versionOf(layer)
    const key = `${layer.id} ${version}`
    const begun = this.#ids.get(key)
    const id = await begun
    const known = id === undefined ? undefined : (await this.#downloads.files.find(id))?.record
    const isUsable = known !== undefined && known.failure === undefined
    const record = isUsable ? known : await this.#beginOnce(key, begun, layer, request)
    if (record.state === 'COMPLETE') return record
    // Other requests wait for the copy too: it goes on if this client disconnects.
    const limit = AbortSignal.any([clientSignal(reply), AbortSignal.timeout(waitMs)])
    await this.#downloads.files.wait(record.id, limit)
    const made = (await this.#downloads.files.get(record.id)).record
    if (made.state === 'COMPLETE') return made
    throw new Failure(
      'unavailable',
      'copy-being-made',
      'The cloud-optimized copy of this coverage is being made: request it again in some seconds',
    )
  }

  /** Joins a conversion that another request has begun since `before` was read. */
  async #beginOnce(
    key: string,
    before: Promise<string> | undefined,
    layer: LayerRecord,
    request: FastifyRequest,
  ): Promise<DownloadRecord> {
    const current = this.#ids.get(key)
    if (current === undefined || current === before) return this.#begin(key, layer, request)
    return (await this.#downloads.files.get(await current)).record
  }

  async #begin(key: string, layer: LayerRecord, request: FastifyRequest): Promise<DownloadRecord> {
    const { name } = request.viewer ?? request.caller
    const owner = name ?? `anonymous ${request.ip}`
    const begun = this.#downloads.begin(layer, { format: 'tif' }, { user: name ?? '', owner, isBrief: false })
    const begunId = begun.then(({ id }) => id)
    // The error is thrown below.
    begunId.catch(() => undefined)
    this.#ids.set(key, begunId)
    const [oldest] = this.#ids.keys()
    if (this.#ids.size > maxKept && oldest !== undefined) this.#ids.delete(oldest)
    try {
      return await begun
    } catch (error) {
      this.#ids.delete(key)
      throw error
    }
  }
}
