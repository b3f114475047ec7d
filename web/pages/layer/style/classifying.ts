import { type Signal, signal } from '@preact/signals'
import { call } from '../../../wire/client.ts'
import type { EditedStyle, Mode } from './edited-style.ts'
import type { Classes, Palette } from './kept-styles.ts'

type Method = 'quantile' | 'equal' | 'natural'

/** How values are to be told apart. */
interface Wish {
  mode: Mode
  column: string
  method: Method
  count: number
}

const usualClasses = 5
const usualCategories = 8

/** Classes and categories of a column, asked of the server; the last question counts. */
export class Classifying {
  /** What is known of the column that the style goes by. */
  readonly found = signal<Classes | undefined>(undefined)
  /** `own`: limits that somebody has moved. */
  readonly method = signal<Method | 'own'>('quantile')
  /** What is asked for and not there yet. */
  readonly wish = signal<Wish | undefined>(undefined)
  readonly palettes = signal<readonly Palette[]>([])
  readonly palette = signal<Palette['name'] | undefined>(undefined)
  readonly isReversed = signal(false)
  readonly isBusy = signal(false)
  readonly error = signal<unknown>(undefined)
  readonly #id: string
  readonly #edited: Signal<EditedStyle | undefined>
  readonly #kept: EditedStyle | undefined
  #asking: AbortController | undefined
  /** As it was asked for: of equal values fewer classes come. */
  #count: number | undefined

  constructor(id: string, edited: Signal<EditedStyle | undefined>, kept: EditedStyle | undefined) {
    this.#id = id
    this.#edited = edited
    this.#kept = kept
  }

  /** Of a style that is kept: how its values lie, without another division. */
  async begin(): Promise<void> {
    const kept = this.#kept
    if (kept === undefined || kept.mode === 'one') return
    this.method.value = 'own'
    this.#count = undefined
    await this.#run(async (signal) => {
      const count = kept.mode === 'classes' ? kept.classes.length : kept.categories.length
      await this.#askPalettes(count, signal)
      this.#recognize(kept)
      const wish = { ...this.#wishOf(kept), method: 'equal' as const }
      if (kept.mode === 'classes') this.found.value = await this.#classes(wish, signal)
    })
  }

  stop(): void {
    this.#asking?.abort()
  }

  /** Divides anew: by another column, method or number. What was asked for before and is not there yet holds on. */
  async ask(change: Partial<Wish>, base: EditedStyle): Promise<void> {
    const wish = { ...this.#wishOf(base), ...this.wish.peek(), ...change }
    if (wish.mode !== base.mode) wish.count = wish.mode === 'classes' ? usualClasses : usualCategories
    if (change.count !== undefined) wish.count = change.count
    else if (this.#count !== undefined && wish.mode === base.mode) wish.count = this.#count
    this.#count = wish.count
    this.wish.value = wish
    await this.#run(async (signal) => {
      const found = await this.#classes(wish, signal)
      const { bounds = [], categories = [] } = found
      await this.#askPalettes(Math.max(1, bounds.length + categories.length), signal)
      if (wish.mode !== base.mode || this.palette.peek() === undefined)
        this.palette.value = wish.mode === 'classes' ? 'viridis' : 'okabe-ito'
      this.method.value = wish.method
      this.found.value = found
      this.wish.value = undefined
      this.#edited.value = dividedBy(
        { ...(this.#edited.peek() ?? base), symbol: base.symbol },
        wish,
        found,
        this.#colors(),
      )
    })
  }

  #wishOf({ mode, column = '', classes, categories }: EditedStyle): Wish {
    const now = mode === 'classes' ? classes.length : categories.length
    const usual = mode === 'classes' ? usualClasses : usualCategories
    const method = this.method.peek()
    return { mode, column, count: now > 0 ? now : usual, method: method === 'own' ? 'quantile' : method }
  }

  /** Moves one limit: the classes are nobody's method then. */
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

  /** Which palette a kept style has its colours from. */
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

  async #classes({ mode, column, method, count }: Wish, signal: AbortSignal): Promise<Classes> {
    const path = `/rest/layers/${encodeURIComponent(this.#id)}/classes`
    const asked = mode === 'categories' ? mode : method
    const query = { attribute: column, method: asked, classes: count }
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
      this.wish.value = undefined
    } finally {
      if (this.#asking === asking) this.isBusy.value = false
    }
  }
}

/** The style with the classes or categories that were found. */
function dividedBy(style: EditedStyle, wish: Wish, found: Classes, colors: readonly string[]): EditedStyle {
  const { mode, column } = wish
  const { bounds = [], categories = [], hasOthers = false, empty } = found
  const { others: _others, none: _none, ...rest } = style
  return {
    ...{ ...rest, mode, column },
    classes: bounds.map((upper, at) => ({ upper, color: colors[at] ?? '' })),
    categories: categories.map(({ value }, at) => ({ value, color: colors[at] ?? '' })),
    ...(hasOthers && { others: '#636363' }),
    ...(empty > 0 && { none: '#bdbdbd' }),
  }
}
