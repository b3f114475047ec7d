import { type Signal, signal } from '@preact/signals'
import { call } from '../../../api/client.ts'
import type { Palette } from '../style/available-styles.ts'
import {
  type Band,
  type Bands,
  type EditedRaster,
  entriesBetween,
  entriesOfValues,
  isColored,
  type RasterEntry,
  type RasterMode,
  spreadOf,
} from './edited-raster.ts'

/** Parameters for distributing colours. */
interface ColorRampOptions {
  mode: RasterMode
  band: number
  count: number
  palette: Palette['name'] | undefined
  isReversed: boolean
  /** From the least value to the largest, in place of where most lie. */
  isAll: boolean
}

export const maxColors = 50
const usualColors = 5

/** Statistics of the bands, and colours for them: from the server, the last request wins. */
export class Coloring {
  readonly bands = signal<Bands | undefined>(undefined)
  readonly palettes = signal<readonly Palette[]>([])
  readonly palette = signal<Palette['name'] | undefined>(undefined)
  readonly isReversed = signal(false)
  readonly isAll = signal(false)
  readonly error = signal<unknown>(undefined)
  readonly #layer: string
  readonly #edited: Signal<EditedRaster>
  #asking = new AbortController()

  constructor(layer: string, edited: Signal<EditedRaster>) {
    this.#layer = layer
    this.#edited = edited
  }

  async begin(): Promise<void> {
    await this.#run(async (aborted) => {
      const path = `/tiles/${encodeURIComponent(this.#layer)}/bands.json`
      const [bands] = await Promise.all([
        call<Bands>({ path }, aborted),
        this.#askPalettes(this.#edited.peek().entries.length || usualColors, aborted),
      ])
      this.bands.value = bands
      this.#recognize()
    })
  }

  stop(): void {
    this.#asking.abort()
  }

  band(number: number): Band | undefined {
    return this.bands.value?.bands.find(({ band }) => band === number)
  }

  /** Starts a mode, or distributes its colours again. */
  async spread(change: Partial<ColorRampOptions>): Promise<void> {
    const now = this.#edited.peek()
    const options: ColorRampOptions = {
      mode: now.mode,
      band: now.one.band,
      palette: this.palette.peek(),
      isReversed: this.isReversed.peek(),
      isAll: this.isAll.peek(),
      count: isColored(now.mode) && now.mode !== 'values' ? now.entries.length : usualColors,
      ...change,
    }
    await this.#run(async (aborted) => {
      const values = this.band(options.band)?.values ?? []
      const isByValue = options.mode === 'values'
      await this.#askPalettes(
        isByValue ? Math.min(maxColors, Math.max(1, values.length)) : options.count,
        aborted,
      )
      if (isByValue && options.palette === undefined) options.palette = 'okabe-ito'
      if (!isByValue)
        options.palette = options.palette === 'okabe-ito' ? 'viridis' : (options.palette ?? 'viridis')
      this.palette.value = options.palette
      this.isReversed.value = options.isReversed
      this.isAll.value = options.isAll
      this.#edited.value = this.#spreadBy(options, this.#edited.peek())
    })
  }

  /** Replaces the colours of the entries. */
  async recolor(palette: Palette['name'] | undefined, isReversed: boolean): Promise<void> {
    if (palette === undefined) return
    await this.#run(async (aborted) => {
      await this.#askPalettes(Math.max(1, this.#edited.peek().entries.length), aborted)
      this.palette.value = palette
      this.isReversed.value = isReversed
      const colors = this.#colors()
      const now = this.#edited.peek()
      const entries = now.entries.map((one, at) => ({
        ...one,
        color: colors[at % colors.length] ?? one.color,
      }))
      this.#edited.value = { ...now, entries }
    })
  }

  #spreadBy({ mode, band, isAll, count }: ColorRampOptions, now: EditedRaster): EditedRaster {
    const about = this.band(band) ?? {}
    const stretch = spreadOf(about, isAll)
    if (mode === 'three' || mode === 'plain') return { ...now, mode }
    if (mode === 'shades') return { ...now, mode, one: { band, stretch } }
    const own = mode === 'values' && this.palette.peek() === 'okabe-ito' ? this.bands.peek()?.palette : []
    const entries: RasterEntry[] =
      mode === 'values'
        ? entriesOfValues(this.band(band)?.values ?? [], this.#colors(), own)
        : entriesBetween(mode, stretch, this.#colors().slice(0, count))
    return { ...now, mode, one: { band }, entries }
  }

  #colors(): string[] {
    const colors = this.palettes.peek().find(({ name }) => name === this.palette.peek())?.colors ?? []
    return this.isReversed.peek() ? [...colors].reverse() : colors
  }

  /** Recognizes the palette of a saved style. */
  #recognize(): void {
    const own = this.#edited
      .peek()
      .entries.map(({ color }) => color)
      .join()
    for (const { name, colors } of this.palettes.peek())
      for (const isReversed of [false, true])
        if ((isReversed ? [...colors].reverse() : colors).join() === own) {
          this.palette.value = name
          this.isReversed.value = isReversed
        }
  }

  async #askPalettes(classes: number, aborted: AbortSignal): Promise<void> {
    if (this.palettes.peek()[0]?.colors.length === classes) return
    const query = { classes: Math.min(maxColors, classes) }
    this.palettes.value = (
      await call<{ palettes: Palette[] }>({ path: '/rest/palettes', query }, aborted)
    ).palettes
  }

  async #run(work: (aborted: AbortSignal) => Promise<void>): Promise<void> {
    this.#asking.abort()
    const asking = new AbortController()
    this.#asking = asking
    this.error.value = undefined
    try {
      await work(asking.signal)
    } catch (reason) {
      if (!asking.signal.aborted) this.error.value = reason
    }
  }
}
