import { hash } from 'node:crypto'
import { join } from 'node:path'
import { SizedCache } from '../../core/caches/sized-cache.ts'
import { PromiseCache } from '../../core/concurrency/promise-cache.ts'
import { Failure } from '../../core/errors/errors.ts'
import { startProcess } from '../../core/workers/start-process.ts'
import { WorkPool } from '../../core/workers/work-pool.ts'
import type { CutRequest } from './cut-picture.ts'
import type { Sprite } from './draw-sprite.ts'
import type { ThumbnailDrawing } from './draw-thumbnail.ts'
import type { OverlayRequest } from './overlay.ts'
import type { PictureHandlers, SvgImageRequest } from './picture-work.ts'

/** Approximate overhead of an entry in bytes. */
const entryBytes = 300

/** Cache of JPEGs by their source images. */
export class WhiteTiles {
  readonly #kept: SizedCache<Uint8Array>

  constructor(maxBytes: number) {
    this.#kept = new SizedCache(maxBytes, ({ length }) => length + entryBytes)
  }

  /** Returns the cached result for the same image, or caches what `make` returns. */
  async get(picture: Uint8Array, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const key = hash('sha256', picture, 'base64')
    const known = this.#kept.find(key)
    if (known !== undefined) return known
    const bytes = await make()
    this.#kept.keep(key, bytes)
    return bytes
  }
}

export type { OverlayFormat } from './overlay.ts'

const file = new URL('./picture-work.ts', import.meta.url)
const maxHeapMb = 512
const drawMs = 20_000
/** Number of pixels up to which composing is quick. */
const lightCells = 2 << 20
const maxWhiteBytes = 16 * 1024 ** 2
const fonts = join(import.meta.dirname, 'fonts', 'fonts.conf')

/** Draws images in child processes, with the font of the server and the installed ones. */
export class Pictures {
  readonly #pool: WorkPool<PictureHandlers>
  readonly #white = new WhiteTiles(maxWhiteBytes)
  readonly #sprites = new PromiseCache<1 | 2, Sprite>()

  constructor({ onError }: { onError(error: unknown): void }) {
    this.#pool = new WorkPool<PictureHandlers>({
      start: (options) =>
        startProcess<PictureHandlers>(file, { ...options, maxHeapMb, env: { FONTCONFIG_FILE: fonts } }),
      limit: 2,
      share: 2,
      heavyLimit: 2,
      surplusMs: 30_000,
      maxWaiting: { count: 200, refuse: tooBusy },
      onEnd: onError,
    })
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Throws `Failure` (`no-pictures`) if images cannot be drawn, like the other methods. */
  fromSvg(request: SvgImageRequest, signal: AbortSignal): Promise<Uint8Array> {
    return this.#pool.call('svg', request, { signal, deadlineMs: drawMs })
  }

  /** Returns the square tiles of an image, row by row; empty if nothing is drawn. */
  cut(request: CutRequest, signal: AbortSignal): Promise<Uint8Array[]> {
    return this.#pool.call('cut', request, { signal, deadlineMs: drawMs })
  }

  /** Composes images into one. */
  lay(request: OverlayRequest, signal: AbortSignal): Promise<Uint8Array> {
    const isHeavy = request.width * request.height > lightCells
    return this.#pool.call('lay', request, { signal, deadlineMs: drawMs, isHeavy })
  }

  /** Returns a square tile on white as JPEG; recent results are cached. */
  onWhite(tile: Uint8Array, side: number, signal: AbortSignal): Promise<Uint8Array> {
    const frame = { width: side, height: side, background: white, format: 'jpeg' } as const
    return this.#white.get(tile, () => this.lay({ pictures: [tile], ...frame }, signal))
  }

  thumbnail(drawing: ThumbnailDrawing, signal: AbortSignal): Promise<Uint8Array> {
    return this.#pool.call('thumbnail', drawing, { signal, deadlineMs: drawMs })
  }

  /**
   * Returns the western and eastern limit of the contents of a zoom 0 tile, as shares of 360 degrees from 180
   * degrees west; the second is above 1 if the contents are on both sides of the antimeridian. Undefined if
   * the tile is empty.
   */
  span(tile: Uint8Array, signal: AbortSignal): Promise<[number, number] | undefined> {
    return this.#pool.call('span', { tile }, { signal, deadlineMs: drawMs })
  }

  /** Returns the sprite of marks, which is drawn once. */
  sprite(ratio: 1 | 2): Promise<Sprite> {
    return this.#sprites.get(ratio, () => this.#pool.call('sprite', { ratio }, { deadlineMs: drawMs }))
  }
}

const white: OverlayRequest['background'] = [255, 255, 255, 255]

function tooBusy(): Failure {
  return new Failure('unavailable', 'too-busy', 'Too many pictures are being drawn: try again soon', {
    retryAfterSeconds: 2,
  })
}
