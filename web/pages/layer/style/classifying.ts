import { type Signal, signal } from '@preact/signals'
import { call } from '../../../api/client.ts'
import type { Classes, Palette } from './available-styles.ts'
import type { EditedStyle, Mode } from './edited-style.ts'

type Method = 'quantile' | 'equal' | 'natural'

/** Classification parameters. */
interface ClassificationOptions {
  mode: Mode
  column: string
  method: Method
  count: number
}

const usualClasses = 5
const usualCategories = 8

/** Classes and categories of a column, from the server; the last request wins. */
export class Classifying {
  /** Statistics of the classified column. */
  readonly found = signal<Classes | undefined>(undefined)
  /** `own`: limits edited by the reader. */
  readonly method = signal<Method | 'own'>('quantile')
  /** Pending request. */
  readonly request = signal<ClassificationOptions | undefined>(undefined)
  readonly palettes = signal<readonly Palette[]>([])
  readonly palette = signal<Palette['name'] | undefined>(undefined)
  readonly isReversed = signal(false)
  readonly isBusy = signal(false)
  readonly error = signal<unknown>(undefined)
  readonly #id: string
  readonly #edited: Signal<EditedStyle | undefined>
  readonly #kept: EditedStyle | undefined
  #asking: AbortController | undefined
  /** Requested number: equal values yield fewer classes. */
  #count: number | undefined

  constructor(id: string, edited: Signal<EditedStyle | undefined>, kept: EditedStyle | undefined) {
    this.#id = id
    this.#edited = edited
    this.#kept = kept
  }

  /** Loads the statistics of a saved style without changing its classes. */
  async begin(): Promise<void> {
    const kept = this.#kept
    if (kept === undefined || kept.mode === 'one') return
    this.method.value = 'own'
    this.#count = undefined
    await this.#run(async (signal) => {
      const count = kept.mode === 'classes' ? kept.classes.length : kept.categories.length
      await this.#askPalettes(count, signal)
      this.#recognize(kept)
      const request = { ...this.#requestOf(kept), method: 'equal' as const }
      if (kept.mode === 'classes') this.found.value = await this.#classes(request, signal)
    })
  }

  stop(): void {
    this.#asking?.abort()
  }

  /**
   * Classifies again with another column, method or number. Parameters of a pending request remain in effect.
   */
  async ask(change: Partial<ClassificationOptions>, base: EditedStyle): Promise<void> {
    const request = { ...this.#requestOf(base), ...this.request.peek(), ...change }
    if (request.mode !== base.mode)
      request.count = request.mode === 'classes' ? usualClasses : usualCategories
    if (change.count !== undefined) request.count = change.count
    else if (this.#count !== undefined && request.mode === base.mode) request.count = this.#count
    this.#count = request.count
    this.request.value = request
    await this.#run(async (signal) => {
      const found = await this.#classes(request, signal)
      const { bounds = [], categories = [] } = found
      await this.#askPalettes(Math.max(1, bounds.length + categories.length), signal)
      if (request.mode !== base.mode || this.palette.peek() === undefined)
        this.palette.value = request.mode === 'classes' ? 'viridis' : 'okabe-ito'
      this.method.value = request.method
      this.found.value = found
      this.request.value = undefined
      this.#edited.value = dividedBy(
        { ...(this.#edited.peek() ?? base), symbol: base.symbol },
        request,
        found,
        this.#colors(),
      )
    })
  }

  #requestOf({ mode, column = '', classes, categories }: EditedStyle): ClassificationOptions {
    const now = mode === 'classes' ? classes.length : categories.length
    const usual = mode === 'classes' ? usualClasses : usualCategories
    const method = this.method.peek()
    return { mode, column, count: now > 0 ? now : usual, method: method === 'own' ? 'quantile' : method }
  }

  /** Moves one limit: then the classes no longer belong to a method. */
  move(index: number, upper: number): void {
    const style = this.#edited.peek()
    if (style === undefined || style.classes[index]?.upper === upper) return
    this.method.value = 'own'
    const classes = style.classes.map((one, at) => (at === index ? { ...one, upper } : one))
    this.#edited.value = { ...style, classes }
  }

  async recolor(name: Palette['name'] | undefined, isReversed: boolean): Promise<void> {
    const style = this.#edited.peek()
    if (style === undefined || name === undefined) return
    this.palette.value = name
    this.isReversed.value = isReversed
    await this.#run(async (signal) => {
      await this.#askPalettes(Math.max(1, style.classes.length, style.categories.length), signal)
      const colors = this.#colors()
      const withColor = <T extends { color: string }>(one: T, at: number): T => ({
        ...one,
        color: colors[at] ?? one.color,
      })
      this.#edited.value = {
        ...style,
        classes: style.classes.map(withColor),
        categories: style.categories.map(withColor),
      }
    })
  }

  #colors(): string[] {
    const colors = this.palettes.peek().find(({ name }) => name === this.palette.peek())?.colors ?? []
    return this.isReversed.peek() ? [...colors].reverse() : colors
  }

  /** Recognizes the palette of a saved style. */
  #recognize({ mode, classes, categories }: EditedStyle): void {
    const own = (mode === 'classes' ? classes : categories).map(({ color }) => color).join()
    for (const { name, colors } of this.palettes.peek()) {
      const isStraight = colors.join() === own
      if (!isStraight && [...colors].reverse().join() !== own) continue
      this.palette.value = name
      this.isReversed.value = !isStraight
      return
    }
  }

  async #askPalettes(classes: number, signal: AbortSignal): Promise<void> {
    if (this.palettes.peek()[0]?.colors.length === classes) return
    const { palettes } = await call<{ palettes: Palette[] }>(
      { path: '/rest/palettes', query: { classes } },
      signal,
    )
    this.palettes.value = palettes
  }

  async #classes(
    { mode, column, method, count }: ClassificationOptions,
    signal: AbortSignal,
  ): Promise<Classes> {
    const path = `/rest/layers/${encodeURIComponent(this.#id)}/classes`
    const requested = mode === 'categories' ? mode : method
    const query = { attribute: column, method: requested, classes: count }
    return (await call<{ classes: Classes }>({ path, query }, signal)).classes
  }

  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    this.isBusy.value = true
    this.error.value = undefined
    try {
      await work(asking.signal)
    } catch (reason) {
      if (asking.signal.aborted) return
      this.error.value = reason
      this.request.value = undefined
    } finally {
      if (this.#asking === asking) this.isBusy.value = false
    }
  }
}

/** The style with the classes or categories that were found. */
function dividedBy(
  style: EditedStyle,
  options: ClassificationOptions,
  found: Classes,
  colors: readonly string[],
): EditedStyle {
  const { mode, column } = options
  const { bounds = [], categories = [], hasOthers = false, empty } = found
  const { others: _others, none: _none, ...rest } = style
  return {
    ...rest,
    mode,
    column,
    classes: bounds.map((upper, at) => ({ upper, color: colors[at] ?? '' })),
    categories: categories.map(({ value }, at) => ({ value, color: colors[at] ?? '' })),
    others: hasOthers ? '#636363' : undefined,
    none: empty > 0 ? '#bdbdbd' : undefined,
  }
}
